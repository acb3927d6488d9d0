extension PersistentStoreCoordinator {
    /// What the histories of the stores say about changes: transactions in the order of their
    /// stores' commits, those of several stores by date.
    ///
    /// It reads one state of each store, and holds what it found in memory; a request's
    /// ``HistoryRequest/limit`` takes a long history in parts.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` (Core Data's 134301) where a part of what
    ///   came after the token is gone, with `noHistory` where no store keeps one, or where the
    ///   token is of one that another process has turned off; what the store threw.
    public func fetchHistory(_ request: HistoryRequest) throws -> HistoryResult {
        try request.check()
        var token = request.token ?? HistoryToken()
        let found = try eachHistory { store -> [HistoryTransaction]? in
            let isWanted = request.storeIdentifiers?.contains(store.identifier.uuid) ?? true
            guard isWanted else { return try store.historyPosition().map { _ in [] } }
            return try store.fetchHistory(request, after: &token)
        }
        return HistoryResult(transactions: Self.merged(found), token: token)
    }

    /// Makes one list of those of several stores: always the earliest of their next ones. So within
    /// a store the order is that of the commits, whatever a clock said.
    private static func merged(_ lists: [[HistoryTransaction]]) -> [HistoryTransaction] {
        if lists.count == 1 { return lists[0] }
        var rest = lists.map { $0[...] }
        var merged: [HistoryTransaction] = []
        merged.reserveCapacity(lists.reduce(0) { $0 + $1.count })
        while true {
            var earliest: (list: Int, date: Date)?
            for list in rest.indices {
                guard let date = rest[list].first?.date else { continue }
                if earliest.map({ date < $0.date }) ?? true { earliest = (list, date) }
            }
            guard let earliest else { return merged }
            merged.append(rest[earliest.list].removeFirst())
        }
    }

    /// The end of the histories: what comes after it has not been saved yet.
    ///
    /// - Parameter stores: Which stores; nil for all that keep a history.
    /// - Throws: ``StoreError`` with `noHistory` where none of them keeps one.
    public func currentHistoryToken(
        fromStores stores: [PersistentStore]? = nil
    ) throws -> HistoryToken {
        let positions = try eachHistory(among: stores) { store in
            try store.historyPosition().map { (store.identifier.uuid, $0) }
        }
        return HistoryToken(Dictionary(positions, uniquingKeysWith: { first, _ in first }))
    }

    /// Removes the transactions before those that a token leads to. The named ones stay, so that
    /// the token is still good.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` where the token is of an earlier history,
    ///   with `noHistory` where no store keeps one, with `readOnly`.
    public func deleteHistory(before token: HistoryToken) throws {
        _ = try eachHistory { store -> Void? in
            guard let position = token.positions[store.identifier.uuid] else {
                return try store.historyPosition().map { _ in () }
            }
            return try store.deleteHistory(before: position) ? () : nil
        }
    }

    /// Removes the transactions of before a date, in all stores. `.distantFuture` removes all.
    ///
    /// - Throws: ``StoreError`` with `noHistory` where no store keeps one, with `readOnly`.
    public func deleteHistory(before date: Date) throws {
        _ = try eachHistory { try $0.deleteHistory(before: date) ? () : nil }
    }

    /// Asks the stores about their histories.
    ///
    /// - Parameter ask: Returns nil for a store that has none.
    /// - Throws: ``StoreError`` with `noHistory` where none of them has one.
    private func eachHistory<Answer>(
        among stores: [PersistentStore]? = nil, _ ask: (any StoreEngine) throws -> Answer?
    ) throws -> [Answer] {
        let answers = try (stores ?? persistentStores).compactMap { try ask($0.store) }
        if answers.isEmpty { throw StoreError.noHistory }
        return answers
    }
}

extension ManagedObjectContext {
    /// What the histories of the stores say about changes. See
    /// ``PersistentStoreCoordinator/fetchHistory(_:)``; what this context has not saved is no part
    /// of it.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` where a part of what came after the token is
    ///   gone, with `noHistory` where no store keeps one, or the token's no more; what the store
    ///   threw.
    public func fetchHistory(_ request: HistoryRequest) throws -> HistoryResult {
        try coordinator.fetchHistory(request)
    }
}

extension HistoryRequest {
    /// Only changes of objects of one entity and its sub-entities, or of one more.
    public func of<Entity: ManagedObject>(_ entity: Entity.Type) -> HistoryRequest {
        var copy = self
        copy.entityNames = (entityNames ?? []).union([Entity.entityName])
        return copy
    }
}

extension HistoryTransaction {
    /// The objects by what happened to them, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
    public var objectIDs: RemoteChanges {
        func ids(_ kind: HistoryChange.Kind) -> [ObjectID] {
            changes.filter { $0.kind == kind }.map(\.objectID)
        }
        return RemoteChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
    }
}
