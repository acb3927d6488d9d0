/// The error of a store that could not be opened. The store is unchanged.
public struct StoreLoadingError: Error, Sendable {
    /// The kind of failure, for programs.
    public enum Code: Sendable, Hashable {
        /// The file cannot be opened or created, or a server cannot be reached or rejects the
        /// program.
        case cannotOpen
        /// Another process holds a lock.
        case busy
        /// The file is none that the store's type can read, or another program damaged it.
        case notAStore
        /// The store is of another model.
        case otherModel
        /// The store is of another version, and automatic migration is off.
        case needsMigration
        /// The store was written by a later version of the program, or by an unknown version.
        case unknownVersion
        /// The migration failed.
        case migrationFailed
        /// Another program has changed the store's tables.
        case storeDiffers
        /// The migration was cancelled.
        case cancelled
        /// The request is invalid: an unknown configuration, entities that another store has, a
        /// pragma that may not be set.
        case invalidRequest
    }

    /// The kind of failure.
    public let code: Code
    /// The description of the store.
    public let store: StoreDescription
    /// The underlying error: a ``MigrationError``, ``MigrationStepError``, ``StoreError``,
    /// ``SQLiteError``, or the error of a custom store.
    public let underlying: any Error

    init(_ store: StoreDescription, _ underlying: any Error) {
        self.store = store
        // A failure with a file is described in words.
        let problem = (underlying as? any EngineError).flatMap { error in
            store.location.path.flatMap(error.openingProblem)
        }
        self.underlying = problem ?? underlying
        code = Self.code(of: self.underlying)
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        case let error as MigrationError:
            switch error {
            case .otherDraft(let draft) where draft.refusal != nil: .migrationFailed
            case .notAStore, .storeIsDamaged: .notAStore
            case .otherModel: .otherModel
            case .newerFormat, .newerVersion, .noWayBack, .unknownVersion, .otherDraft:
                .unknownVersion
            case .migrationIsOff: .needsMigration
            case .cancelled: .cancelled
            case .storeDiffers, .columnsHaveNoPlace, .externalObjectsInTheWay,
                .objectsAreNotTrusted:
                .storeDiffers
            case .refused, .statementFailed, .brokenLinks, .backupFailed, .backupOfFilesFailed,
                .codeIsMissing:
                .migrationFailed
            }
        case let error as any EngineError:
            code(of: error.openingFailure)
        case let error as StoreError:
            code(of: error.code)
        case is MigrationStepError:
            .migrationFailed
        case is CancellationError:
            .cancelled
        default:
            .cannotOpen
        }
    }

    private static func code(of code: StoreError.Code) -> Code {
        switch code {
        case .corrupt: .notAStore
        case .cannotOpen, .inaccessible, .missingFile, .notPermitted, .readOnly: .cannotOpen
        case .notTrusted: .storeDiffers
        case .busy: .busy
        default: .invalidRequest
        }
    }

    /// The code that Core Data uses for the nearest thing, for ported code.
    public var coreDataCode: Int {
        switch underlying {
        case let error as MigrationError: return error.coreDataCode
        case let error as StoreError: return error.coreDataCode
        default: break
        }
        return switch code {
        case .cannotOpen: 134080
        case .busy: 134090
        case .notAStore: 259
        case .otherModel, .storeDiffers: 134020
        case .needsMigration: 134100
        case .unknownVersion: 134130
        case .migrationFailed: 134110
        case .cancelled: 134120
        case .invalidRequest: 134060
        }
    }
}

extension StoreLoadingError: CustomStringConvertible {
    /// The store and the reason.
    public var description: String {
        let reason = "\(underlying)"
        return "The \(store) could not be opened: \(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }
}

/// Several stores that could not be opened.
public struct StoreLoadingErrors: Error, Sendable {
    /// All errors, at least two.
    public let errors: [StoreLoadingError]

    /// Core Data's code for a store that could not be opened.
    public var coreDataCode: Int { 134080 }
}

extension StoreLoadingErrors: CustomStringConvertible {
    /// One line for each store.
    public var description: String { errors.map { $0.description }.joined(separator: "\n") }
}
