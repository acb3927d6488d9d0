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

extension PersistentStoreCoordinator {
    /// Runs a closure with a new context, and the save of what it changes, in one transaction of the
    /// store, on the calling thread.
    ///
    /// ``PersistentContainer/performTransaction(isolation:_:)`` says what that means, and runs it on
    /// a thread of the container: use this one where the calling thread may wait.
    ///
    /// - Throws: What the closure or the save throws; ``StoreError`` with `busy` where others stood
    ///   in the way 20 times or for 30 seconds; ``StoreError`` with `invalidRequest` where a store
    ///   has no such transactions, because it is a program's own; `CancellationError` where the task
    ///   is cancelled before it would run again.
    public func performTransaction<Result>(
        isolation: TransactionIsolation = .serializable,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        var attempts = Attempts()
        while true {
            let context = ManagedObjectContext(
                coordinator: self, mergesAutomatically: false, madeAt: .library)
            var isToBeRepeated = false
            do {
                return try context.runTransaction(isolation, &isToBeRepeated, body)
            } catch  where isToBeRepeated {
                try Task.checkCancellation()
                try attempts.waitForNext(after: error)
            }
        }
    }
}

extension ManagedObjectContext {
    /// Runs a closure and a save in one transaction of each store, and notifies of the save.
    ///
    /// - Parameter isToBeRepeated: Says, where it throws, whether others stood in the way.
    fileprivate func runTransaction<Result>(
        _ isolation: TransactionIsolation, _ isToBeRepeated: inout Bool,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        defer { state.generation = .unpinned }
        let stores = coordinator.persistentStores
        let (result, notice) = try ContextTransaction.with(stores, isolation) { transaction in
            defer { isToBeRepeated = transaction.isToBeRepeated }
            state.generation = QueryGenerationToken(kind: .transaction(transaction))
            let result = try body(self)
            let notice = try Save(context: self).write()
            try transaction.commit()
            return (result, notice)
        }
        state.generation = .unpinned
        if let notice { try Save(context: self).finish(notice) }
        return result
    }
}
