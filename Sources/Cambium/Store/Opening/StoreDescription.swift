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
