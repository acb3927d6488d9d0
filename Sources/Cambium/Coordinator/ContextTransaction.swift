import CambiumRecords

/// The transactions of a context: one in each store, begun before the context reads.
final class ContextTransaction: Sendable {
    private let parts: [StoreIdentifier: any StoreTransaction]

    private init(_ parts: [StoreIdentifier: any StoreTransaction]) {
        self.parts = parts
    }

    /// Runs a closure in transactions of all writable stores. Changes that the closure has not
    /// committed are rolled back.
    static func with<Result>(
        _ stores: [PersistentStore], _ isolation: TransactionIsolation,
        _ body: (ContextTransaction) throws -> Result
    ) throws -> Result {
        // The order is the same in every process, to prevent deadlocks.
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

    /// Returns the transaction for the reads and saves of a store, or the store itself if it has
    /// none.
    func store(_ store: any StoreEngine) -> any SavingStore { parts[store.identifier] ?? store }

    /// Whether the transaction failed because of others, so that it must be repeated.
    var mustRetry: Bool { parts.values.contains { $0.mustRetry } }

    /// Commits the transactions without saves.
    func commit() throws {
        for part in parts.values { try part.commit() }
    }
}
