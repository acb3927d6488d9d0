import CambiumRecords

/// A state of the stores that a context reads from.
///
/// ```swift
/// try context.setQueryGeneration(.current)   // from its next read on, the context sees one state
/// let products = try context.fetch(Product.fetchRequest())
/// print(products[0].category?.name ?? "")   // the state of that time, in spite of later saves
/// ```
///
/// All reads of the context are of one state: there is no read skew between its fetches. A save is
/// compared with the store's state at the commit, not with the pinned state. Two saves that each
/// depend on rows that the other one writes can both succeed (write skew). See <doc:Reliability>.
public struct QueryGenerationToken: Sendable {
    enum Kind: Sendable {
        case unpinned
        case current
        case pinned(QueryGeneration)
        case transaction(ContextTransaction)
    }

    let kind: Kind

    /// The latest state at each read.
    public static let unpinned = QueryGenerationToken(kind: .unpinned)
    /// The latest state at the next read, for all further reads.
    public static let current = QueryGenerationToken(kind: .current)
}

extension QueryGenerationToken: Hashable {
    /// Returns whether both are the same state.
    public static func == (one: QueryGenerationToken, other: QueryGenerationToken) -> Bool {
        switch (one.kind, other.kind) {
        case (.unpinned, .unpinned), (.current, .current): true
        case (.pinned(let one), .pinned(let other)): one === other
        case (.transaction(let one), .transaction(let other)): one === other
        default: false
        }
    }

    /// Hashes the kind and the state.
    public func hash(into hasher: inout Hasher) {
        switch kind {
        case .unpinned: hasher.combine(0)
        case .current: hasher.combine(1)
        case .pinned(let generation): hasher.combine(ObjectIdentifier(generation))
        case .transaction(let transaction): hasher.combine(ObjectIdentifier(transaction))
        }
    }
}

/// A state of the stores of a coordinator, held by read transactions.
final class QueryGeneration: Sendable {
    private let pins: [StoreIdentifier: any SharedStore]
    /// The settings that its transactions began with.
    let settings: TransactionSettings

    /// Pins the current state. Each store is read at one commit; if there are several stores, these
    /// commits may be of different saves.
    init(of coordinator: PersistentStoreCoordinator) throws {
        var pins = [StoreIdentifier: any SharedStore]()
        for store in coordinator.persistentStores where store.store.keepsGenerations {
            pins[store.store.identifier] = try store.store.pin()
        }
        self.pins = pins
        settings = coordinator.transactionSettings
    }

    /// Returns the pinned store for reads of a store. If a store was added later, returns the store
    /// itself.
    func store(_ store: any StoreEngine) -> any SharedStore {
        pins[store.identifier] ?? store
    }

    /// - Throws: ``StoreError`` if a store has no query generations.
    static func requireSupport(by coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores where !store.store.keepsGenerations {
            throw StoreError.invalidRequest(
                "The \(store.storeDescription) has no query generations: only a store in a "
                    + "database file or on a database server has them.",
                remedy: "Set the query generation to .unpinned, or keep the store in a file.")
        }
    }
}
