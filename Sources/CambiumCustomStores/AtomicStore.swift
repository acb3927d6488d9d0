import Synchronization

/// A custom store that is read and written completely, such as a file of JSON.
///
/// Cambium keeps all rows in memory, and evaluates conditions, orders and limits there. Each save
/// passes the complete content. A store of another version of the model is an error: there is no
/// migration. Derived attributes and files for large values need SQLite.
///
/// A target with such a store depends on `.product(name: "CambiumCustomStores", package:
/// "Cambium")`, in addition to `Cambium` itself.
///
/// ```swift
/// import CambiumCustomStores
///
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
    /// Reads all content; nil if there is no store yet. Called once, when the store is added.
    ///
    /// - Throws: The reason why the store cannot be read. After an error, the store is not opened.
    func load() throws -> StoreContent?

    /// Writes all content, and replaces the previous one. Called by each save that changes
    /// something, by one thread at a time.
    ///
    /// - Throws: The reason why the store cannot be written. It must be unchanged then; the save
    ///   fails with the error.
    func save(_ content: StoreContent) throws
}

/// The complete content of an atomic store.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(identifier:modelName:modelVersion:versionHash:notes:nextKeys:nodes:)``
/// - ``init(from:)``
///
/// ### Rows
///
/// - ``nodes``
/// - ``nextKeys``
///
/// ### Model
///
/// - ``modelName``
/// - ``modelVersion``
/// - ``versionHash``
///
/// ### Metadata
///
/// - ``identifier``
/// - ``notes``
public struct StoreContent: Sendable, Hashable, Codable {
    /// The store's UUID.
    public let identifier: UUID
    /// The name of the model.
    public let modelName: String
    /// The name of the model's version.
    public let modelVersion: String
    /// The hash of the model's version.
    public let versionHash: String
    /// The program's entries in the metadata.
    public var notes: [String: String]
    /// For each root entity, the next key that was never used.
    public var nextKeys: [String: Int64]
    /// The rows, in the order of entities and keys.
    public var nodes: [StoreNode]

    /// Describes the content of a store, for stores with a format of their own.
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
            // A file that a user has written need not contain the next keys.
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

extension StoreNode: Codable {
    private enum Name: String, CodingKey {
        case entityName = "entity"
        case key, version, values, destinations, members
    }

    /// Encodes the values with the names of their types, so that they are decoded unchanged.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encode(entityName, forKey: .entityName)
        try container.encode(key, forKey: .key)
        try container.encode(version, forKey: .version)
        try container.encode(values.mapValues(CodableValue.init), forKey: .values)
        if !destinations.isEmpty { try container.encode(destinations, forKey: .destinations) }
        if !members.isEmpty { try container.encode(members, forKey: .members) }
    }

    /// Decodes a row.
    ///
    /// - Throws: `DecodingError` if it is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        self.init(
            entityName: try container.decode(String.self, forKey: .entityName),
            key: try container.decode(Int64.self, forKey: .key),
            version: try container.decode(Int64.self, forKey: .version),
            values: try container.decode([String: CodableValue].self, forKey: .values)
                .mapValues(\.value),
            destinations: try container.decodeIfPresent(
                [String: StoreReference].self, forKey: .destinations) ?? [:],
            members: try container.decodeIfPresent(
                [String: [StoreReference]].self, forKey: .members) ?? [:])
    }
}

/// A value with the name of its type.
private struct CodableValue: Codable {
    let value: Value

    /// The name of the value's type.
    private struct Kind: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { return nil }
    }

    init(_ value: Value) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch value {
        case .null: break
        case .bool(let value): try container.encode(value, forKey: Kind("bool"))
        case .int(let value): try container.encode(value, forKey: Kind("int"))
        // JSON has no infinity, and may not preserve all bits of its numbers.
        case .double(let value):
            try container.encode(value.bitPattern, forKey: Kind("double"))
        case .date(let value):
            try container.encode(
                value.timeIntervalSinceReferenceDate.bitPattern, forKey: Kind("date"))
        case .data(let value): try container.encode(value, forKey: Kind("data"))
        default:
            let (kind, text) = value.exactForm
            try container.encode(text, forKey: Kind(kind))
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first else {
            value = .null
            return
        }
        let found: Value? =
            switch kind.stringValue {
            case "bool": .bool(try container.decode(Bool.self, forKey: kind))
            case "int": .int(try container.decode(Int64.self, forKey: kind))
            case "double":
                .double(Double(bitPattern: try container.decode(UInt64.self, forKey: kind)))
            case "date":
                .date(
                    Date(
                        timeIntervalSinceReferenceDate: Double(
                            bitPattern: try container.decode(UInt64.self, forKey: kind))))
            // One digit more than a text of a person may have.
            case "decimal":
                Decimal(string: try container.decode(String.self, forKey: kind)).map(Value.decimal)
            case "data": .data(try container.decode(Data.self, forKey: kind))
            default:
                Value(
                    kind: kind.stringValue,
                    exactText: try container.decode(String.self, forKey: kind))
            }
        guard let found else {
            throw DecodingError.dataCorruptedError(
                forKey: kind, in: container, debugDescription: "It is not \(kind.stringValue).")
        }
        value = found
    }
}
