/// What store is to be opened, and how.
///
/// ```swift
/// let container = PersistentContainer(name: "Shop", model: Shop.model)
/// container.persistentStoreDescriptions = [
///     StoreDescription(location: .file("catalogue.sqlite"), configuration: "Catalogue"),
///     StoreDescription(type: .memory, configuration: "Session"),
/// ]
/// ```
public struct StoreDescription: Sendable {
    /// What keeps the rows. Default: SQLite.
    public var type: StoreType
    /// Where.
    public var location: StoreLocation
    /// The name of the configuration of the model whose entities the store holds; nil means all.
    public var configuration: String?
    /// How to open it.
    public var options: StoreOptions

    /// Describes a store.
    public init(
        type: StoreType = .sqlite, location: StoreLocation, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) {
        self.type = type
        self.location = location
        self.configuration = configuration
        self.options = options
    }

    /// Describes a store that has no place: one in memory, or one of the program's own that needs
    /// none. A SQLite store without a place is in memory too.
    public init(
        type: StoreType, configuration: String? = nil, options: StoreOptions = StoreOptions()
    ) {
        self.init(
            type: type, location: .memory, configuration: configuration, options: options)
    }
}

extension StoreDescription: CustomStringConvertible {
    /// The type, the place and the configuration.
    public var description: String {
        "\(type) store \(location)" + (configuration.map { " (configuration \($0))" } ?? "")
    }
}

/// What keeps the rows of a store.
public struct StoreType: Sendable {
    /// The name, which the metadata of a store tell.
    public let name: String
    /// What makes stores of the type.
    let kind: any StoreKind

    /// A type of another product, which gives it with an extension of its own.
    package init(name: String, kind: any StoreKind) {
        self.name = name
        self.kind = kind
    }

    /// SQLite, in a file or in memory.
    public static let sqlite = StoreType(name: "SQLite", kind: SQLiteKind.file)
    /// SQLite in memory, whatever else is said about the place.
    public static let memory = StoreType(name: "InMemory", kind: SQLiteKind.memory)

    /// The name that Core Data has for ``memory``.
    @available(*, unavailable, renamed: "memory")
    public static var inMemory: StoreType { memory }

    /// Whether a store of the type can take back what it has written, until it commits.
    var isTransactional: Bool { kind.isTransactional }
}

extension StoreType: Hashable {
    /// Whether both have the same name.
    public static func == (one: StoreType, other: StoreType) -> Bool { one.name == other.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension StoreType: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// Why a store could not be opened. The store is as it was.
public struct StoreLoadingError: Error, Sendable {
    /// What kind of failure it is, for programs.
    public enum Code: Sendable, Hashable {
        /// The file cannot be opened, or made.
        case cannotOpen
        /// Another process holds a lock.
        case busy
        /// The file is none that the store's type can read, or another program damaged it.
        case notAStore
        /// The store is of another model.
        case otherModel
        /// The store is of another version, and automatic migration is off.
        case needsMigration
        /// The store was written by a later version of the program, or by one that it does not
        /// know.
        case unknownVersion
        /// The migration failed.
        case migrationFailed
        /// Another program has changed the store's tables.
        case storeDiffers
        /// The migration was cancelled.
        case cancelled
        /// What was asked for cannot be: an unknown configuration, entities that another store has,
        /// a pragma that may not be set.
        case invalidRequest
    }

    /// What kind of failure it is.
    public let code: Code
    /// Which store it was, and how it was to be opened.
    public let store: StoreDescription
    /// The error behind it: a ``MigrationError``, ``MigrationStepError``, ``StoreError``,
    /// ``SQLiteError``, or what a store of the program's own has thrown.
    public let underlying: any Error

    init(_ store: StoreDescription, _ underlying: any Error) {
        self.store = store
        // What is wrong with a file is said in words.
        let trouble = (underlying as? any EngineError).flatMap { error in
            store.location.path.flatMap(error.troubleOpening)
        }
        self.underlying = trouble ?? underlying
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
        case .cannotOpen, .inaccessible, .missingFile: .cannotOpen
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
    /// Which store, and why.
    public var description: String {
        let reason = "\(underlying)"
        return "The \(store) could not be opened: \(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }
}

/// Several stores that could not be opened.
public struct StoreLoadingErrors: Error, Sendable {
    /// All of them; at least two.
    public let errors: [StoreLoadingError]

    /// Core Data's code for a store that could not be opened.
    public var coreDataCode: Int { 134080 }
}

extension StoreLoadingErrors: CustomStringConvertible {
    /// One line for each store.
    public var description: String { errors.map { $0.description }.joined(separator: "\n") }
}
