// A program that imports CambiumPostgres has Cambium.
@_exported import Cambium
