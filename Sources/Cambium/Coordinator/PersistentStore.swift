import CambiumMigration
import CambiumRecords

/// A store that a coordinator has opened.
public final class PersistentStore: Sendable {
    /// How it was asked for.
    public let storeDescription: StoreDescription
    /// What opening did to it: made it, migrated it, or found it current.
    public let migration: MigrationOutcome
    /// What was moved to it from a store of another kind, table by table; nil where nothing was, or
    /// where no tables were compared, as with a store of the program's own.
    public let moveReport: MoveReport?
    /// The numbers of the root entities whose rows it has.
    let roots: Set<Int>
    package let store: any StoreEngine
    /// The opened store, where this is the same for contexts whose transactions begin with settings.
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

    /// The same store for contexts whose transactions begin with settings. One that has no settings
    /// says so when it is used.
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

    /// What keeps the rows.
    public var type: StoreType { storeDescription.type }
    /// Where it is.
    public var location: StoreLocation { storeDescription.location }
    /// The name of the configuration whose entities it holds; nil for all.
    public var configuration: String? { storeDescription.configuration }
    /// How it was opened.
    public var options: StoreOptions { storeDescription.options }
    /// The UUID in its metadata, which stays with the file wherever it is moved.
    public var identifier: UUID { store.identifier.uuid }
    /// Whether saves are refused.
    public var isReadOnly: Bool { store.isReadOnly }

    /// What another program has changed about the store's tables and indexes, or added beside them,
    /// sorted by name: what ``DriftPolicy/report`` lets pass. Compares them now.
    ///
    /// - Throws: ``SQLiteError`` where the store cannot be read. Stores of types of the program's own
    ///   have no tables, and so no differences.
    public func differences() throws -> [StoreDifference] { try store.differences() }
}

extension PersistentStore: Hashable {
    /// Whether both are the same opened store.
    public static func == (one: PersistentStore, other: PersistentStore) -> Bool {
        one.opened === other.opened
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(opened))
    }

    private var opened: PersistentStore { base ?? self }
}

/// Which store has the rows of which hierarchy. Immutable: a change makes another one.
final class StoreTable: Sendable {
    /// The stores in the order in which they were added.
    let persistentStores: [PersistentStore]
    /// The one store that has all rows, in the normal case.
    private let single: (any StoreEngine)?
    /// By the number of an entity, where there are several.
    private let stores: [any StoreEngine]
    /// The identities of the stores, by the number of an entity; of the single one, that alone.
    private let identifiers: [StoreIdentifier]
    /// How the store keeps dates that does not keep each to the bit; nil where all stores do.
    let keptDates: KeptDates?
    /// The greatest number of bytes of a value; nil where no store has a limit.
    let largestValue: Int?

    /// The table of objects that belong to no context.
    static let detached = StoreTable(MissingStore.detached)

    private init(_ single: any StoreEngine) {
        persistentStores = []
        keptDates = nil
        largestValue = nil
        self.single = single
        stores = []
        identifiers = [single.identifier]
    }

    /// - Parameter former: The table before, whose removed stores leave their identity to objects
    ///   that are still there.
    init(
        _ persistentStores: [PersistentStore], in model: ModelDescription, after former: StoreTable?
    ) {
        self.persistentStores = persistentStores
        keptDates = persistentStores.lazy.compactMap(\.store.keptDates).first
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

    /// The same stores for contexts whose transactions begin with settings.
    ///
    /// - Parameter former: The table before, whose stores stay.
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

    /// The identity of that store: asked for each object that is looked up.
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
    /// The numbers of the root entities; nil for all.
    let roots: Set<Int>?
    let identifier: StoreIdentifier
}
