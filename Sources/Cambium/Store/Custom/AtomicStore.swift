/// A store of the program's own that is read as a whole and written as a whole, such as a file of
/// JSON.
///
/// Cambium keeps all rows in memory, and evaluates conditions, orders and limits there. Each save
/// hands the whole content over. A store of another version of the model is an error: there is no
/// migration. Derived attributes and files for large values need SQLite.
///
/// ```swift
/// final class JSONStore: AtomicStore {
///     let url: URL
///     init(url: URL) { self.url = url }
///
///     func load() throws -> StoreContent? {
///         guard let data = try? Data(contentsOf: url) else { return nil }
///         return try JSONDecoder().decode(StoreContent.self, from: data)
///     }
///
///     func save(_ content: StoreContent) throws {
///         try JSONEncoder().encode(content).write(to: url, options: .atomic)
///     }
/// }
///
/// let json = StoreType.atomic("JSON") { setup in
///     JSONStore(url: URL(filePath: setup.location.path ?? "shop.json"))
/// }
/// try coordinator.addPersistentStore(type: json, at: .file("shop.json"))
/// ```
public protocol AtomicStore: AnyObject, Sendable {
    /// Reads everything; nil where there is no store yet. Called once, when the store is added.
    ///
    /// - Throws: What keeps the store from being read; it is not opened then.
    func load() throws -> StoreContent?

    /// Writes everything, in place of what was there before. Called by each save that changes
    /// something, by one thread at a time.
    ///
    /// - Throws: What keeps the store from being written. It must be as it was before; the save
    ///   fails with the error.
    func save(_ content: StoreContent) throws
}

/// All that an atomic store holds.
public struct StoreContent: Sendable, Hashable, Codable {
    /// The store's UUID.
    public let identifier: UUID
    /// The name of the model.
    public let modelName: String
    /// The name of the model's version.
    public let modelVersion: String
    /// The hash of the model's version.
    public let versionHash: String
    /// What the program noted in the metadata.
    public var notes: [String: String]
    /// For each root entity, the next key that was never used.
    public var nextKeys: [String: Int64]
    /// The rows, in the order of entities and keys.
    public var nodes: [StoreNode]

    /// Describes what a store holds, for stores that keep it in a form of their own.
    public init(
        identifier: UUID, modelName: String, modelVersion: String, versionHash: String,
        notes: [String: String] = [:], nextKeys: [String: Int64] = [:], nodes: [StoreNode] = []
    ) {
        self.identifier = identifier
        self.modelName = modelName
        self.modelVersion = modelVersion
        self.versionHash = versionHash
        self.notes = notes
        self.nextKeys = nextKeys
        self.nodes = nodes
    }
}
