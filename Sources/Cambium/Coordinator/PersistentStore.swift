import CambiumMigration
import CambiumRecords

/// A store that a coordinator has opened.
///
/// ## Topics
///
/// ### Location and type
///
/// - ``location``
/// - ``type``
/// - ``identifier``
///
/// ### Opening
///
/// - ``storeDescription``
/// - ``configuration``
/// - ``options``
/// - ``isReadOnly``
/// - ``migration``
/// - ``moveReport``
///
/// ### Changes of other programs
///
/// - ``differences()``
public final class PersistentStore: Sendable {
    /// The description that the store was opened with.
    public let storeDescription: StoreDescription
    /// The result of opening the store: it was created, it was migrated, or it was current.
    public let migration: MigrationOutcome
    /// The report of the move from a store of another kind, table by table. Nil if there was no
    /// move, or if no tables were compared, as with a custom store.
    public let moveReport: MoveReport?
    /// The indices of the root entities of its rows.
    let roots: Set<Int>
    package let store: any StoreEngine
    /// The opened store, if this is a view of it for contexts with transaction settings.
    let base: PersistentStore?

    init(
        storeDescription: StoreDescription, roots: Set<Int>, store: any StoreEngine,
        migration: MigrationOutcome, moveReport: MoveReport? = nil
    ) {
        self.moveReport = moveReport
        self.storeDescription = storeDescription
        self.roots = roots
        self.store = store
        self.migration = migration
        base = nil
    }

    /// Creates a view of a store for contexts with transaction settings. If the store does not
    /// support settings, its use throws the error.
    init(of base: PersistentStore, with settings: TransactionSettings) {
        storeDescription = base.storeDescription
        migration = base.migration
        moveReport = base.moveReport
        roots = base.roots
        self.base = base
        do {
            store = try base.store.view(with: settings)
        } catch {
            store = MissingStore(base.store.identifier, error, isReadOnly: base.isReadOnly)
        }
    }

    /// The type of the store.
    public var type: StoreType { storeDescription.type }
    /// The location of the store.
    public var location: StoreLocation { storeDescription.location }
    /// The name of the configuration of its entities; nil means all entities.
    public var configuration: String? { storeDescription.configuration }
    /// The options that it was opened with.
    public var options: StoreOptions { storeDescription.options }
    /// The UUID in its metadata. If the file is moved, the UUID stays the same.
    public var identifier: UUID { store.identifier.uuid }
    /// A Boolean value that indicates whether the store rejects saves.
    public var isReadOnly: Bool { store.isReadOnly }

    /// Returns the changes that another program has made to the store's tables and indexes, and its
    /// additions beside them, sorted by name. ``DriftPolicy/report`` allows them. Compares the
    /// schema now.
    ///
    /// - Throws: ``SQLiteError`` if the store cannot be read. Custom stores have no tables, and so
    ///   no differences.
    public func differences() throws -> [StoreDifference] { try store.differences() }
}

extension PersistentStore: Hashable {
    /// Returns whether both are the same opened store.
    public static func == (one: PersistentStore, other: PersistentStore) -> Bool {
        one.opened === other.opened
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(opened))
    }

    private var opened: PersistentStore { base ?? self }
}

/// The stores by the entity hierarchies that they hold. It is immutable: a change creates a new
/// table.
final class StoreTable: Sendable {
    /// The stores, in the order of their addition.
    let persistentStores: [PersistentStore]
    /// The store that has all rows, if there is only one.
    private let single: (any StoreEngine)?
    /// The stores by entity index, if there are several.
    private let stores: [any StoreEngine]
    /// The identities of the stores by entity index; with a single store, only its identity.
    private let identifiers: [StoreIdentifier]
    /// The date rounding of a store that does not store every date exactly; nil if all stores do.
    let datePrecision: StoredDatePrecision?
    /// The maximum number of bytes of a value, or nil if no store has a limit.
    let largestValue: Int?

    /// The table for objects without a context.
    static let detached = StoreTable(MissingStore.detached)

    private init(_ single: any StoreEngine) {
        persistentStores = []
        datePrecision = nil
        largestValue = nil
        self.single = single
        stores = []
        identifiers = [single.identifier]
    }

    /// - Parameter former: The table before. Existing objects of its removed stores keep the
    ///   identities of these stores.
    init(
        _ persistentStores: [PersistentStore], in model: ModelDescription, after former: StoreTable?
    ) {
        self.persistentStores = persistentStores
        datePrecision = persistentStores.lazy.compactMap(\.store.datePrecision).first
        largestValue = persistentStores.compactMap(\.store.largestValue).min()
        if let only = persistentStores.first, persistentStores.count == 1,
            only.roots.count == model.rootCount
        {
            single = only.store
            stores = []
            identifiers = [only.store.identifier]
            return
        }
        single = nil
        stores = model.entities.map { entity in
            if let store = persistentStores.first(where: { $0.roots.contains(entity.rootIndex) }) {
                return store.store
            }
            let name = model.entities[entity.rootIndex].name
            return MissingStore(
                former.map { $0.store(ofRoot: entity.rootIndex).identifier } ?? .none,
                message: "The coordinator has no store for \(name).",
                remedy: "Add one with addPersistentStore(type:configuration:at:options:), or load "
                    + "the container's stores first.")
        }
        identifiers = stores.map { $0.identifier }
    }

    /// Returns views of the same stores for contexts with transaction settings.
    ///
    /// - Parameter former: The table before. Its views are reused.
    func view(
        in model: ModelDescription, with settings: TransactionSettings, after former: StoreTable?
    ) -> StoreTable {
        let stores = persistentStores.map { store in
            former?.persistentStores.first { $0 == store }
                ?? PersistentStore(of: store, with: settings)
        }
        return StoreTable(stores, in: model, after: former)
    }

    /// The store of the rows of a hierarchy.
    @inline(__always)
    func store(ofRoot root: Int) -> any StoreEngine {
        single ?? stores[root]
    }

    /// Returns the identity of that store. It is called for each object that is looked up.
    @inline(__always)
    func identifier(ofRoot root: Int) -> StoreIdentifier {
        identifiers[identifiers.count == 1 ? 0 : root]
    }

    /// Whether one store has all rows.
    var hasSingleStore: Bool { single != nil }

    func contains(_ identifier: StoreIdentifier) -> Bool {
        persistentStores.contains { $0.store.identifier == identifier }
    }
}

/// The objects of a context that are in one store.
struct StoreScope {
    /// The indices of the root entities; nil means all.
    let roots: Set<Int>?
    let identifier: StoreIdentifier
}
