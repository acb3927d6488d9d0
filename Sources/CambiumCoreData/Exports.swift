// A program that imports CambiumCoreData has Cambium, and what an import reports and throws.
@_exported import Cambium
@_exported import enum CambiumAdoption.CoreDataImportError
@_exported import struct CambiumAdoption.CoreDataImportProgress
@_exported import struct CambiumAdoption.CoreDataImportReport
@_exported import struct CambiumAdoption.VersionMismatch
