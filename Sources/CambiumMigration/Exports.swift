// A migration is made of steps, and whoever uses one must be able to name them.
@_exported import enum CambiumSQL.MigrationKind
@_exported import struct CambiumSQL.MigrationHistory
@_exported import enum CambiumSQL.SchemaOperation
@_exported import struct CambiumSQL.MigrationStatement
@_exported import struct CambiumSQL.MigrationStep
@_exported import struct CambiumSQL.RowCopy
@_exported import struct CambiumSQL.UniqueRows
