import CambiumRecords

extension PersistentStoreCoordinator {
    /// Runs a closure with a new context, and the save of its changes, in one transaction of the
    /// store, on the calling thread.
    ///
    /// See ``PersistentContainer/performTransaction(isolation:_:)`` for the details. That method
    /// runs the transaction on a thread of the container; use this one if the calling thread may
    /// wait.
    ///
    /// - Throws: The error of the closure or the save; ``StoreError`` with `busy` if other
    ///   transactions interfered 20 times or for 30 seconds; ``StoreError`` with `invalidRequest`
    ///   if a custom store does not support such transactions; `CancellationError` if the closure
    ///   has to run again, but the task was cancelled.
    public func performTransaction<Result>(
        isolation: TransactionIsolation = .serializable,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        var attempts = Attempts()
        while true {
            let context = ManagedObjectContext(
                coordinator: self, mergesAutomatically: false, madeAt: .library)
            var mustRetry = false
            do {
                return try context.runTransaction(isolation, &mustRetry, body)
            } catch  where mustRetry {
                try Task.checkCancellation()
                try attempts.waitForNext(after: error)
            }
        }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the outcome of a save that has thrown ``StoreError`` with `commitOutcomeUnknown`. It
    /// asks the server, on the calling thread. If the save was committed, all contexts read their
    /// objects again.
    ///
    /// ``PersistentContainer/outcome(of:)`` does the same on a thread of the container.
    ///
    /// - Parameter commit: The ``StoreError/commit`` of the error.
    /// - Throws: ``StoreError`` with `noStore` if the coordinator does not have its store; any
    ///   error of the store, such as `inaccessible` if the server cannot be reached.
    public func outcome(of commit: CommitID) throws -> CommitOutcome {
        guard let store = persistentStores.first(where: { $0.identifier == commit.storeIdentifier })
        else {
            throw StoreError(
                code: .noStore,
                message: "The coordinator has no store \(commit.storeIdentifier.uuidString).",
                remedy: "Ask one that has opened the store of the save.")
        }
        let outcome = try store.store.outcome(of: commit)
        // No context has been notified of it.
        if outcome == .committed { publishLoss(from: .remote, store: store.store.identifier) }
        return outcome
    }
}

extension ManagedObjectContext {
    /// Runs a closure and a save in one transaction of each store, and notifies of the save.
    ///
    /// - Parameter mustRetry: Set if it throws: whether other transactions interfered.
    fileprivate func runTransaction<Result>(
        _ isolation: TransactionIsolation, _ mustRetry: inout Bool,
        _ body: (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        defer { state.generation = .unpinned }
        let stores = coordinator.persistentStores
        let (result, notice) = try ContextTransaction.with(stores, isolation) { transaction in
            defer { mustRetry = transaction.mustRetry }
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
