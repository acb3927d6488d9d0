// A migration is made of steps, and whoever uses one must be able to name them.
@_exported import enum CambiumSQL.MigrationKind
@_exported import struct CambiumSQL.MigrationHistory
@_exported import struct CambiumSQL.MigrationStep
