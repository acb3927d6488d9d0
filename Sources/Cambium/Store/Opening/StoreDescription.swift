/// Describes a store to open: its type, location, configuration and options.
///
/// ```swift
/// let container = PersistentContainer(name: "Shop", model: Shop.model)
/// container.persistentStoreDescriptions = [
///     StoreDescription(location: .file("catalogue.sqlite"), configuration: "Catalogue"),
///     StoreDescription(type: .memory, configuration: "Session"),
/// ]
/// ```
public struct StoreDescription: Sendable {
    /// The type of the store. Default: SQLite, or the type of the location.
    public var type: StoreType
    /// The location of the store.
    public var location: StoreLocation
    /// The name of the configuration of the model with the store's entities; nil means all
    /// entities.
    public var configuration: String?
    /// The options of the store.
    public var options: StoreOptions

    /// Describes a store.
    public init(
        type: StoreType? = nil, location: StoreLocation, configuration: String? = nil,
        options: StoreOptions = StoreOptions()
    ) {
        self.type = type ?? location.type
        self.location = location
        self.configuration = configuration
        self.options = options
    }

    /// Describes a store without a location: one in memory, or a custom store that needs none. A
    /// SQLite store without a location is in memory too.
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
        let place = if case .server = location { "" } else { " \(location)" }
        return "\(type) store\(place)" + (configuration.map { " (configuration \($0))" } ?? "")
    }
}

/// The type of a store.
public struct StoreType: Sendable {
    /// The name. The metadata of a store contain it.
    public let name: String
    /// Creates stores of the type.
    let kind: any StoreKind

    /// Creates a type of another product. The product provides it with an extension of its own.
    package init(name: String, kind: any StoreKind) {
        self.name = name
        self.kind = kind
    }

    /// SQLite, in a file or in memory.
    public static let sqlite = StoreType(name: "SQLite", kind: SQLiteKind.file)
    /// SQLite in memory. The location is ignored.
    public static let memory = StoreType(name: "InMemory", kind: SQLiteKind.memory)

    /// The name that Core Data has for ``memory``.
    @available(*, unavailable, renamed: "memory")
    public static var inMemory: StoreType { memory }

    /// Whether a store of the type can roll back its writes until it commits.
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
