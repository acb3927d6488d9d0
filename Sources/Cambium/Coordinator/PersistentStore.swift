import CambiumMigration

/// A store that a coordinator has opened.
public final class PersistentStore: Sendable {
    /// How it was asked for.
    public let storeDescription: StoreDescription
    /// What opening did to it: made it, migrated it, or found it current.
    public let migration: MigrationOutcome
    /// The numbers of the root entities whose rows it has.
    let roots: Set<Int>
    package let store: any StoreEngine

    init(
        storeDescription: StoreDescription, roots: Set<Int>, store: any StoreEngine,
        migration: MigrationOutcome
    ) {
        self.storeDescription = storeDescription
        self.roots = roots
        self.store = store
        self.migration = migration
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
    public static func == (one: PersistentStore, other: PersistentStore) -> Bool { one === other }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
