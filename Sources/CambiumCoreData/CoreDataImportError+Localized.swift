import Cambium
import CambiumCoreDataStore

extension CoreDataImportError: LocalizedError {
    /// The problem, as a sentence.
    public var errorDescription: String? { problem.ended }
    /// The message of SQLite or the system, or the kind of failure.
    public var failureReason: String? {
        switch self {
        case .noFile: "The path does not name a file."
        case .damaged(_, let error): error.words
        case .notCoreData(_, let reason), .cannotRead(_, let reason), .cannotWrite(_, let reason):
            reason.sentence
        case .inUse: "Another program has written the store during the import."
        case .fitsNoVersion: "The tables of the store match no version of the model."
        case .noSuchVersion: "Names of versions must match the model exactly."
        case .versionIsEarlier: "Migrations only run forwards."
        case .destinationExists, .destinationIsSource: "An import does not overwrite files."
        case .isRunning: "Two imports cannot write one store."
        case .cancelled: "The program, or the person who uses it, has stopped the import."
        }
    }
    /// The suggested fix.
    public var recoverySuggestion: String? {
        if let remedy { return remedy.ended }
        return switch self {
        case .noFile: "Correct the path."
        case .notCoreData: "Choose a store that Core Data has written."
        case .fitsNoVersion(let mismatch) where mismatch.isUnrelated:
            "Open the store with its own model."
        case .fitsNoVersion: "Add the version that wrote the store to the model, or name it."
        case .noSuchVersion: "Choose one of the model's versions."
        case .versionIsEarlier: "Choose the same version or a later one."
        default: "Import the store again."
        }
    }
}
