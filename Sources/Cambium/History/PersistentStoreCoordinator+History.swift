extension PersistentStoreCoordinator {
    /// What the histories of the stores say about changes: transactions in the order of their
    /// stores' commits, those of several stores by date.
    ///
    /// It reads one state of each store, and holds what it found in memory; a request's
    /// ``HistoryRequest/fetchLimit`` takes a long history in parts.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` (Core Data's 134301) where a part of what
    ///   came after the token is gone, with `noHistory` where no store keeps one; what the store threw.
    public func fetchHistory(_ request: HistoryRequest) throws -> HistoryResult {
        try request.check()
        var token = request.token ?? HistoryToken()
        var found: [HistoryTransaction] = []
        let stores = try storesWithHistory().filter {
            request.storeIdentifiers?.contains($0.store.identifier.uuid) ?? true
        }
        for (store, history) in stores {
            found += try store.fetchHistory(request, after: &token, history)
        }
        if stores.count > 1 {
            // A stable order: within a store it is that of the commits, whatever a clock said.
            let ordered = found.enumerated().sorted { one, other in
                one.element.storeIdentifier == other.element.storeIdentifier
                    ? one.offset < other.offset : one.element.date < other.element.date
            }
            found = ordered.map(\.element)
        }
        return HistoryResult(transactions: found, token: token)
    }

    /// The end of the histories: what comes after it has not been saved yet.
    ///
    /// - Parameter stores: Which stores; nil for all that keep a history.
    /// - Throws: ``StoreError`` with `noHistory` where none of them keeps one.
    public func currentHistoryToken(
        fromStores stores: [PersistentStore]? = nil
    ) throws -> HistoryToken {
        var token = HistoryToken()
        for (store, history) in try storesWithHistory(among: stores) {
            token.advance(store.identifier.uuid, to: try store.historyPosition(history))
        }
        return token
    }

    /// Removes the transactions before those that a token leads to. The named ones stay, so that
    /// the token is still good.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` where the token is of an earlier history,
    ///   with `noHistory` where no store keeps one, with `readOnly`.
    public func deleteHistory(before token: HistoryToken) throws {
        for (store, history) in try storesWithHistory() {
            guard let position = token.positions[store.identifier.uuid] else { continue }
            try store.deleteHistory(before: position, history)
        }
    }

    /// Removes the transactions of before a date, in all stores. `.distantFuture` removes all.
    ///
    /// - Throws: ``StoreError`` with `noHistory` where no store keeps one, with `readOnly`.
    public func deleteHistory(before date: Date) throws {
        for (store, history) in try storesWithHistory() {
            try store.deleteHistory(before: date, history)
        }
    }

    private func storesWithHistory(
        among stores: [PersistentStore]? = nil
    ) throws -> [(store: SQLiteStore, history: StoreHistory)] {
        let found = (stores ?? persistentStores).compactMap { persistentStore in
            (persistentStore.store as? SQLiteStore).flatMap { store in
                store.history.map { (store, $0) }
            }
        }
        if found.isEmpty { throw StoreError.noHistory }
        return found
    }
}

extension ManagedObjectContext {
    /// What the histories of the stores say about changes. See
    /// ``PersistentStoreCoordinator/fetchHistory(_:)``; what this context has not saved is no part
    /// of it.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` where a part of what came after the token is
    ///   gone, with `noHistory` where no store keeps one; what the store threw.
    public func fetchHistory(_ request: HistoryRequest) throws -> HistoryResult {
        try coordinator.fetchHistory(request)
    }
}
