import Synchronization

/// A store of the program's own that finds rows when they are asked for, such as a service on the
/// network or another database.
///
/// A request may be answered with more rows than it asks for: Cambium applies conditions, orders
/// and limits itself. So the simplest store answers with all rows of the entities, and a better one
/// looks at ``StoreFetchRequest/keys`` and ``StoreFetchRequest/condition``. Conflicts are found by
/// Cambium too, from the versions of the rows that ``nodes(for:)`` returns during a save.
///
/// Methods are called from any thread, ``save(_:)`` by one at a time. Derived attributes and files
/// for large values need SQLite.
///
/// As for ``AtomicStore``, a target depends on the product `CambiumCustomStores`, and its files import
/// that.
public protocol IncrementalStore: AnyObject, Sendable {
    /// Says who the store is. Called first, once.
    ///
    /// - Throws: What keeps the store from being opened.
    func loadMetadata() throws -> IncrementalStoreMetadata

    /// Finds rows: at least those that are asked for.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none. Also called for a save that changes nothing, with an empty
    /// request.
    ///
    /// - Throws: Why it cannot. The save fails with the error.
    func save(_ request: StoreSaveRequest) throws

    /// Reserves keys of a root entity, which are never given again.
    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// Whether the store looks after unique constraints itself. Otherwise Cambium asks for all rows
    /// of an entity with such a constraint when one of them is saved. Default: false.
    var enforcesUniqueConstraints: Bool { get }
}

extension IncrementalStore {
    /// Cambium looks after unique constraints.
    public var enforcesUniqueConstraints: Bool { false }
}

/// What an incremental store says about itself.
public struct IncrementalStoreMetadata: Sendable, Hashable {
    /// The store's UUID, the same whenever it is opened: it is part of the identities of its
    /// objects.
    public var identifier: UUID
    /// The hash of the model's version that the rows are of; nil where the store does not care.
    public var versionHash: String?
    /// What the program noted.
    public var notes: [String: String]

    /// Describes a store.
    public init(identifier: UUID, versionHash: String? = nil, notes: [String: String] = [:]) {
        self.identifier = identifier
        self.versionHash = versionHash
        self.notes = notes
    }
}

/// Which rows an incremental store is asked for.
public struct StoreFetchRequest: Sendable {
    /// The names of the entities, no abstract ones, all of one hierarchy.
    public let entityNames: [String]
    /// The keys of the rows; nil where they are not known.
    public let keys: Set<Int64>?
    /// What the rows must meet; nil where anything will do. It may lead over relationships.
    public let condition: ModelExpression?
    /// The values of parameters in the condition.
    public let arguments: [String: Value]
}

/// What a save writes to an incremental store. In it conflicts are resolved already.
public struct StoreSaveRequest: Sendable {
    /// New rows.
    public internal(set) var inserted: [StoreNode] = []
    /// Changed rows, as they are to be.
    public internal(set) var updated: [StoreNode] = []
    /// Rows that are to go, as they were.
    public internal(set) var deleted: [StoreNode] = []
    /// Rows that are not written, but must be as the context has seen them: those of objects that
    /// were set to the values they had, and of ``ManagedObjectContext/detectConflicts(for:)``. They
    /// are; a store that others write to while a save goes on may look again.
    public internal(set) var locked: [StoreNode] = []
    /// What the program noted in the metadata, where that was changed.
    public internal(set) var notes: [String: String]?

    /// Whether there is nothing to write.
    public var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && notes == nil
    }
}

/// Asks an incremental store for rows, each time.
final class IncrementalBackend: NodeBackend {
    let identifier: UUID
    let needsUniquenessChecks: Bool
    private let store: any IncrementalStore
    private let savedNotes: Mutex<[String: String]>

    init(_ store: any IncrementalStore, _ model: Model) throws {
        self.store = store
        needsUniquenessChecks = !store.enforcesUniqueConstraints
        let metadata = try store.loadMetadata()
        if let hash = metadata.versionHash {
            try CustomEngine.requireVersion(hash, "of another hash", of: model)
        }
        identifier = metadata.identifier
        savedNotes = Mutex(metadata.notes)
    }

    var notes: [String: String] { savedNotes.withLock { $0 } }

    func nodes(for request: StoreFetchRequest) throws -> [StoreNode] {
        try store.nodes(for: request)
    }

    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(ofEntity: root, count: count)
    }

    func nextKey(ofEntity root: String, mayReserve: Bool) throws -> Int64? {
        mayReserve ? try store.reserveKeys(ofEntity: root, count: 1).lowerBound : nil
    }

    func save(_ request: StoreSaveRequest) throws {
        try store.save(request)
        if let notes = request.notes { savedNotes.withLock { $0 = notes } }
    }
}
