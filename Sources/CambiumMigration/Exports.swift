// A migration is made of steps, and its users must be able to name them.
@_exported import enum CambiumPlan.MigrationKind
@_exported import struct CambiumPlan.RowCopy
@_exported import enum CambiumPlan.SchemaOperation
@_exported import struct CambiumPlan.UniqueRows
@_exported import struct CambiumSQL.MigrationHistory
@_exported import struct CambiumSQL.MigrationStatement
@_exported import struct CambiumSQL.MigrationStep
