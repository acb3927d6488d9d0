import CambiumMigration
import CambiumSQLite

/// The reasons that a store written by Core Data could not be imported. No new store was written
/// then, and the old one is unchanged.
///
/// ## Topics
///
/// ### Core Data store
///
/// - ``noFile(path:)``
/// - ``notCoreData(path:reason:)``
/// - ``cannotRead(path:reason:)``
/// - ``damaged(path:_:)``
/// - ``inUse(path:)``
///
/// ### Versions
///
/// - ``fitsNoVersion(_:)``
/// - ``noSuchVersion(_:known:)``
/// - ``versionIsEarlier(_:than:)``
///
/// ### New store
///
/// - ``destinationExists(path:)``
/// - ``destinationIsSource(path:)``
/// - ``cannotWrite(path:reason:)``
/// - ``isRunning(path:)``
///
/// ### Cancellation
///
/// - ``cancelled``
///
/// ### Core Data's code
///
/// - ``coreDataCode``
public enum CoreDataImportError: Error, Sendable, Hashable {
    /// There is no file.
    case noFile(path: String)
    /// The file is not a database, or a database that Core Data did not write.
    case notCoreData(path: String, reason: String)
    /// The database is damaged, or cannot be read.
    case damaged(path: String, SQLiteError)
    /// The store, its log or a file of a large value exists, but cannot be read.
    case cannotRead(path: String, reason: String)
    /// Another program writes the store.
    case inUse(path: String)
    /// No version of the model can have written the store.
    case fitsNoVersion(VersionMismatch)
    /// The model has no version of that name.
    case noSuchVersion(String, known: [String])
    /// The target version comes before the version that wrote the store.
    case versionIsEarlier(String, than: String)
    /// A file already exists at the path of the new store.
    case destinationExists(path: String)
    /// The new store, or a file that is needed to make it, would be written over the old one.
    case destinationIsSource(path: String)
    /// Another process or task is making the new store.
    case isRunning(path: String)
    /// The new store cannot be written.
    case cannotWrite(path: String, reason: String)
    /// Somebody asked to stop.
    case cancelled

    /// The code that Core Data uses for the nearest thing, for ported code.
    public var coreDataCode: Int {
        switch self {
        case .noFile: 260
        case .notCoreData, .damaged: 259
        case .cannotRead: 256
        case .inUse, .isRunning: 134080
        case .fitsNoVersion: 134100
        case .noSuchVersion, .versionIsEarlier: 134130
        case .destinationExists, .destinationIsSource: 516
        case .cannotWrite: 512
        case .cancelled: 134120
        }
    }

    /// Runs work on the file of the new store and converts its errors.
    static func making<Result>(
        _ work: () throws(NewStoreError) -> Result
    ) throws(CoreDataImportError) -> Result {
        do {
            return try work()
        } catch {
            throw CoreDataImportError(error)
        }
    }

    init(_ error: NewStoreError) {
        self =
            switch error {
            case .exists(let path): .destinationExists(path: path)
            case .isRunning(let path): .isRunning(path: path)
            case .cannotWrite(let path, let reason): .cannotWrite(path: path, reason: reason)
            }
    }
}

extension CoreDataImportError: CustomStringConvertible {
    /// The problem and how to fix it.
    public var description: String { remedy.map { "\(problem). \($0)" } ?? problem }

    /// The problem, without a full stop at the end.
    package var problem: String {
        switch self {
        case .noFile(let path):
            "There is no store \(path)"
        case .notCoreData(let path, let reason):
            "\(path) is not a SQLite store of Core Data's: \(reason)"
        case .damaged(let path, let error):
            "\(path) cannot be read: \(error.message)"
        case .cannotRead(let path, let reason):
            "\(path) cannot be read: \(reason)"
        case .inUse(let path):
            "\(path) changes while it is read"
        case .fitsNoVersion(let mismatch):
            mismatch.description
        case .noSuchVersion(let version, let known):
            "The model has no version '\(version)'. It has: \(known.joined(separator: ", "))"
        case .versionIsEarlier(let version, let other):
            "The version '\(version)' comes before '\(other)', which wrote the store, and migrations "
                + "only run forwards"
        case .destinationExists(let path):
            "\(path) exists already"
        case .destinationIsSource(let path):
            "\(path) belongs to the store that is to be imported, and would be written over"
        case .isRunning(let path):
            "Another process or task is importing to \(path)"
        case .cannotWrite(let path, let reason):
            "\(path) cannot be written: \(reason)"
        case .cancelled:
            "The import was cancelled. Nothing was written"
        }
    }

    /// The suggested fix without a full stop at the end, or nil if the problem already contains it.
    package var remedy: String? {
        switch self {
        case .damaged: "Take a copy from before it was damaged"
        case .cannotRead: "Name a file that you may read, such as a copy"
        case .inUse: "Quit the program that writes it, or import a copy"
        case .destinationExists: "Move it away, or choose another path"
        case .destinationIsSource: "Choose another path for the new store"
        case .isRunning: "Wait until it has ended"
        case .cannotWrite: "Choose a path with free space where you may write"
        case .noFile, .notCoreData, .fitsNoVersion, .noSuchVersion, .versionIsEarlier, .cancelled:
            nil
        }
    }
}
