import CambiumRecords

/// A state of the stores that a context reads from.
///
/// ```swift
/// try context.setQueryGeneration(.current)   // from its next read on, the context sees one state
/// let products = try context.fetch(Product.fetchRequest())
/// print(products[0].category?.name ?? "")   // the state of that time, in spite of later saves
/// ```
///
/// All that the context reads is of one state: there is no read skew between its fetches. What it
/// saves is compared with the store as it is at the commit, and not with that state: two saves that
/// each rest on what the other one writes can both succeed (write skew). See <doc:Reliability>.
public struct QueryGenerationToken: Sendable {
    enum Kind: Sendable {
        case unpinned
        case current
        case pinned(QueryGeneration)
        case transaction(ContextTransaction)
    }

    let kind: Kind

    /// What is the latest at each read.
    public static let unpinned = QueryGenerationToken(kind: .unpinned)
    /// What is the latest at the next read, and then stays.
    public static let current = QueryGenerationToken(kind: .current)
}

extension QueryGenerationToken: Hashable {
    /// Whether both name the same state.
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
    /// What its transactions began with.
    let settings: TransactionSettings

    /// The state as it is now. Each store is read at one commit; of several stores these need not
    /// be of the same save.
    init(of coordinator: PersistentStoreCoordinator) throws {
        var pins = [StoreIdentifier: any SharedStore]()
        for store in coordinator.persistentStores where store.store.keepsGenerations {
            pins[store.store.identifier] = try store.store.pin()
        }
        self.pins = pins
        settings = coordinator.transactionSettings
    }

    /// Where to read the rows of a store. One that was added later is read as it is.
    func store(_ store: any StoreEngine) -> any SharedStore {
        pins[store.identifier] ?? store
    }

    /// - Throws: ``StoreError`` where a store cannot be read as it was.
    static func requireSupport(by coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores where !store.store.keepsGenerations {
            throw StoreError.invalidRequest(
                "The \(store.storeDescription) has no query generations: only a store in a "
                    + "database file or on a database server has them.",
                remedy: "Set the query generation to .unpinned, or keep the store in a file.")
        }
    }
}
