import Synchronization

/// A custom store that finds rows on request, such as a service on the network or another database.
///
/// A store may return more rows than requested: Cambium applies conditions, orders and limits
/// itself. The simplest store returns all rows of the entities. A better one uses
/// ``StoreFetchRequest/keys`` and ``StoreFetchRequest/condition``. Cambium also detects conflicts,
/// from the versions of the rows that ``nodes(for:)`` returns during a save.
///
/// Methods are called from any thread; ``save(_:)`` is called by one thread at a time. Derived
/// attributes and files for large values need SQLite.
///
/// As for ``AtomicStore``, a target depends on the product `CambiumCustomStores`, and its files
/// import it.
public protocol IncrementalStore: AnyObject, Sendable {
    /// Returns the metadata of the store. Called first, once.
    ///
    /// - Throws: The reason why the store cannot be opened.
    func loadMetadata() throws -> IncrementalStoreMetadata

    /// Finds rows: at least the requested ones.
    func nodes(for request: StoreFetchRequest) throws -> [StoreNode]

    /// Writes changes, all or none. Also called for a save that changes nothing, with an empty
    /// request.
    ///
    /// - Throws: An error if the store cannot save. The save fails with this error.
    func save(_ request: StoreSaveRequest) throws

    /// Reserves keys of a root entity. They are never given again.
    func reserveKeys(ofEntity root: String, count: Int) throws -> Range<Int64>

    /// A Boolean value that indicates whether the store checks unique constraints itself.
    /// Otherwise, when a row of an entity with such a constraint is saved, Cambium requests all
    /// rows of the entity. Default: false.
    var enforcesUniqueConstraints: Bool { get }
}

extension IncrementalStore {
    /// Cambium looks after unique constraints.
    public var enforcesUniqueConstraints: Bool { false }
}

/// The metadata of an incremental store.
public struct IncrementalStoreMetadata: Sendable, Hashable {
    /// The store's UUID, the same whenever it is opened: it is part of the identities of its
    /// objects.
    public var identifier: UUID
    /// The hash of the model's version of the rows; nil if the store does not check it.
    public var versionHash: String?
    /// The program's entries.
    public var notes: [String: String]

    /// Describes a store.
    public init(identifier: UUID, versionHash: String? = nil, notes: [String: String] = [:]) {
        self.identifier = identifier
        self.versionHash = versionHash
        self.notes = notes
    }
}

/// A request for rows of an incremental store.
public struct StoreFetchRequest: Sendable {
    /// The names of the entities, no abstract ones, all of one hierarchy.
    public let entityNames: [String]
    /// The keys of the rows; nil if they are not known.
    public let keys: Set<Int64>?
    /// The condition for the rows; nil for all. It may include paths over relationships.
    public let condition: ModelExpression?
    /// The values of parameters in the condition.
    public let arguments: [String: Value]
}

/// The writes of a save to an incremental store. All conflicts are resolved already.
public struct StoreSaveRequest: Sendable {
    /// New rows.
    public internal(set) var inserted: [StoreNode] = []
    /// Changed rows, as they are to be.
    public internal(set) var updated: [StoreNode] = []
    /// Rows to delete, as they were.
    public internal(set) var deleted: [StoreNode] = []
    /// Rows that are not written, but must be unchanged since the context read them. They belong to
    /// objects whose properties were set to equal values, and to the objects of
    /// ``ManagedObjectContext/detectConflicts(for:)``. Cambium has checked this before the save. If
    /// other programs can write to the store during a save, the store may check it again.
    public internal(set) var locked: [StoreNode] = []
    /// The program's entries in the metadata, if they were changed.
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
