// A program that imports Cambium has the model's values (dates and decimals with them), the
// migrations that its generated code lists, and the error that a store's engine throws.
@_exported import CambiumEngine
@_exported import CambiumMigration
@_exported import CambiumModel
@_exported import struct CambiumSQLite.SQLiteError
