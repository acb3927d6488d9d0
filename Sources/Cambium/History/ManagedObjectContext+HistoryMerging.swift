extension ManagedObjectContext {
    /// Takes over what transactions of the history changed: reads the rows of the objects that the
    /// context has registered again, and brings the coordinator's row cache up to date.
    ///
    /// Unsaved changes stay on top, and no conflict is raised. Controllers hear of the changes.
    /// Several transactions are one change: an object that one inserts and a later one deletes is
    /// not told of. Give them all at once, in their order.
    ///
    /// ```swift
    /// let result = try context.fetchHistory(HistoryRequest(after: token))
    /// context.mergeChanges(from: result.transactions)
    /// token = result.token
    /// ```
    ///
    /// Contexts whose container follows other processes
    /// (``StoreOptions/followsRemoteChanges``) do so by themselves.
    ///
    /// - Parameter transactions: Of stores of this context's coordinator; others are left out.
    public func mergeChanges(from transactions: [HistoryTransaction]) {
        let known = Set(coordinator.persistentStores.map(\.identifier))
        var net = NetChanges(coordinator.model)
        for transaction in transactions where known.contains(transaction.storeIdentifier) {
            net.add(transaction, isKnown: false)
        }
        guard net.count > 0 else { return }
        Merge(context: self).remote(net.entities, net.ids)
    }

    /// Takes over what transactions of the history changed, in several contexts of the isolation
    /// that calls.
    public static func mergeChanges(
        from transactions: [HistoryTransaction], into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { context.mergeChanges(from: transactions) }
    }
}
