// A program that imports CambiumCoreData also gets Cambium, and the reports and errors of imports.
@_exported import Cambium
@_exported import enum CambiumCoreDataStore.CoreDataImportError
@_exported import struct CambiumCoreDataStore.CoreDataImportProgress
@_exported import struct CambiumCoreDataStore.CoreDataImportReport
@_exported import struct CambiumCoreDataStore.VersionMismatch
