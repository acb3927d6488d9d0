// A program that imports CambiumCoreData has Cambium, and what an import reports and throws.
@_exported import Cambium
@_exported import enum CambiumCoreDataStore.CoreDataImportError
@_exported import struct CambiumCoreDataStore.CoreDataImportProgress
@_exported import struct CambiumCoreDataStore.CoreDataImportReport
@_exported import struct CambiumCoreDataStore.VersionMismatch
