// A program that imports CambiumPostgres can use Cambium without another import.
@_exported import Cambium
