import Synchronization

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

/// Keeps all rows of an atomic store in memory.
final class AtomicBackend: NodeBackend {
    private struct Contents {
        /// By the name of the root entity.
        var nodes: [String: [Int64: StoreNode]] = [:]
        var nextKeys: [String: Int64]
        var notes: [String: String]
    }

    let identifier: UUID
    let needsUniquenessChecks = true
    private let store: any AtomicStore
    private let model: Model
    private let contents: Mutex<Contents>

    init(_ store: any AtomicStore, _ model: Model) throws {
        self.store = store
        self.model = model
        let content = try store.load()
        if let content {
            try CustomEngine.requireVersion(content.versionHash, content.modelVersion, of: model)
        }
        identifier = try content?.identifier ?? UUID.random()
        var contents = Contents(
            nextKeys: content?.nextKeys ?? [:], notes: content?.notes ?? [:])
        for node in content?.nodes ?? [] {
            let root = try CustomEngine.root(of: node, in: model)
            contents.nodes[root, default: [:]][node.key] = node
            // A file that people have written need not say which keys are free.
            let (next, isFull) = node.key.addingReportingOverflow(1)
            if isFull { throw StoreError.noKeysLeft(for: root) }
            contents.nextKeys[root] = max(contents.nextKeys[root] ?? 1, next)
        }
        self.contents = Mutex(contents)
    }

    var notes: [String: String] { contents.withLock { $0.notes } }

    func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
        guard let first = request.entityNames.first, let entity = model.entity(named: first) else {
            return []
        }
        let root = model.root(of: entity).name
        return contents.withLock { contents in
            guard let nodes = contents.nodes[root] else { return [] }
            if let keys = request.keys { return keys.compactMap { nodes[$0] } }
            return Array(nodes.values)
        }
    }

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try contents.withLock { contents in
            let first = contents.nextKeys[root] ?? 1
            let (next, isFull) = first.addingReportingOverflow(Int64(count))
            if isFull { throw StoreError.noKeysLeft(for: root) }
            contents.nextKeys[root] = next
            return first..<next
        }
    }

    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64? {
        contents.withLock { $0.nextKeys[root] ?? 1 }
    }

    func save(_ request: StoreSaveRequest) throws {
        guard !request.isEmpty else { return }
        var changed = contents.withLock { $0 }
        for node in request.inserted + request.updated {
            let root = try CustomEngine.root(of: node, in: model)
            changed.nodes[root, default: [:]][node.key] = node
        }
        for node in request.deleted {
            let root = try CustomEngine.root(of: node, in: model)
            changed.nodes[root]?[node.key] = nil
        }
        if let notes = request.notes { changed.notes = notes }
        try store.save(content(of: changed))
        contents.withLock { contents in
            contents.nodes = changed.nodes
            contents.notes = changed.notes
        }
    }

    private func content(of contents: Contents) -> StoreContent {
        StoreContent(
            identifier: identifier, modelName: model.name, modelVersion: model.version,
            versionHash: model.versionHash, notes: contents.notes, nextKeys: contents.nextKeys,
            nodes: model.roots.flatMap { root in
                (contents.nodes[root.name] ?? [:]).values.sorted { $0.key < $1.key }
            })
    }
}
