// A program that imports CambiumMigrationCommand needs no other import for its command.
@_exported import Cambium
@_exported import CambiumChecking
