import CambiumRecords

/// The transactions of a context: one in each store, begun before the context reads.
final class ContextTransaction: Sendable {
    private let parts: [StoreIdentifier: any StoreTransaction]

    private init(_ parts: [StoreIdentifier: any StoreTransaction]) {
        self.parts = parts
    }

    /// Runs a body in transactions of all stores that can be written. What the body has not committed is
    /// taken back.
    static func with<Result>(
        _ stores: [PersistentStore], _ isolation: TransactionIsolation,
        _ body: (ContextTransaction) throws -> Result
    ) throws -> Result {
        // The order is the same in every process, so that no two wait for each other.
        let engines: [any StoreEngine] = stores.map { $0.store }.filter { !$0.isReadOnly }
            .ordered { $0.identifier.uuid.uuidString < $1.identifier.uuid.uuidString }
        return try begin(engines[...], isolation, [:], body)
    }

    private static func begin<Result>(
        _ stores: ArraySlice<any StoreEngine>, _ isolation: TransactionIsolation,
        _ parts: [StoreIdentifier: any StoreTransaction],
        _ body: (ContextTransaction) throws -> Result
    ) throws -> Result {
        guard let store = stores.first else { return try body(ContextTransaction(parts)) }
        return try store.withTransaction(isolation) { transaction in
            var parts = parts
            parts[store.identifier] = transaction
            return try begin(stores.dropFirst(), isolation, parts, body)
        }
    }

    /// Where a context reads and saves the rows of a store.
    func store(_ store: any StoreEngine) -> any SavingStore { parts[store.identifier] ?? store }

    /// Whether others stood in the way, so that all of it has to be run again.
    var isToBeRepeated: Bool { parts.values.contains { $0.isToBeRepeated } }

    /// Commits the transactions in which nothing was saved.
    func commit() throws {
        for part in parts.values { try part.commit() }
    }
}
