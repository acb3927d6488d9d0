import CambiumRecords

extension ManagedObjectContext {
    /// Merges what other contexts have saved since the last time, a child what has come to its
    /// ``parent``. Unsaved changes of the same objects stay on top, by the merge rules of the model
    /// (`merge="sum"`), and no conflict is raised. An object that other contexts have deleted goes,
    /// together with its unsaved changes and unsaved links to it, and is reported among the deleted
    /// ones.
    ///
    /// Contexts that merge automatically do it by themselves, at the end of an event and, but for
    /// what is a conflict then, at every fetch and save; see
    /// ``automaticallyMergesChangesFromParent``.
    public func mergePending() {
        Merge(context: self).pending()
    }

    /// Merges what one save of another context changed.
    ///
    /// A child reads the changed rows from its ``parent``, which should have merged the change
    /// before. What a child has saved concerns its parent's other children only; others ignore it.
    ///
    /// Where the other context has other ``transactionSettings``, the changed rows are read again:
    /// this one sees of them what its own settings let it see.
    public func mergeChanges(from changeSet: ChangeSet) {
        if changeSet.settings == coordinator.transactionSettings {
            Merge(context: self).merge([changeSet])
        } else if changeSet.holder == nil {
            Merge(context: self).remote(
                RemoteChanges(
                    inserted: changeSet.insertedObjectIDs,
                    updated: changeSet.updatedObjectIDs.map(\.key)
                        + changeSet.refreshedObjectIDs.map(\.key),
                    deleted: changeSet.deletedObjectIDs))
        }
    }

    /// Merges what other contexts have saved in the middle of an event. What was read before may be
    /// what the changes rest on: where other contexts have changed the same, that is a conflict.
    func mergeIfAutomatic() {
        guard automaticallyMergesChangesFromParent, parent != nil || !merges.mailbox.hasNothing
        else { return }
        Merge(context: self).pending(deferring: .conflictsOfEvent)
    }

    /// Brings an object back to what the store has, or the ``parent`` of a child. An object that was
    /// never saved has no row and stays as it is.
    ///
    /// - Parameter mergeChanges: True reads the row again and keeps the unsaved changes on top (an
    ///   object without changes becomes a fault, whose values may come from the row cache); false
    ///   drops the changes and makes the object a fault. What was changed in a to-many whose links
    ///   the objects at the other end keep is their change and stays. A partner in a one-to-one that
    ///   was led to another object here comes back from there. What is in memory only is kept with
    ///   the changes, and dropped with them.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.state === state else { return errors.recordOtherContext(object) }
        if !mergeChanges, !errors.failedReads.isEmpty, object.canBeRestored {
            errors.failedReads.removeAll(of: RowIdentity(object))
        }
        Refresh(context: self).refresh(object, mergeChanges: mergeChanges)
        // A child may have saved into this context what is dropped.
        family.notify([], of: [object])
    }

    /// Brings all objects back to what the store has: unchanged ones become faults, changed ones
    /// keep their changes on top of the row, which is read again.
    public func refreshAllObjects() {
        let refresh = Refresh(context: self)
        // In the order of their keys: what ends an event in between ends it at the same one each time.
        var objects: [ManagedObject] = []
        registry.forEach { objects.append($0) }
        for object in objects {
            refresh.refresh(object, mergeChanges: object.lifecycle == .updated)
        }
        replacements.followParent()
        merges.noteAllTouched()
        family.notify([], isComplete: false)
    }

    /// Forgets everything: all objects, changes, errors and what could be undone. Objects that
    /// somebody still holds are of no context any more and show placeholders; setting a property of
    /// one is a mistake that the next save throws (``StoreError`` with `foreignObject`).
    ///
    /// Observers are not notified object by object; observers hear that all objects are invalid,
    /// and controllers should fetch again. Children keep their own changes, and read everything
    /// else again when they merge; objects that were new in this context are then lost.
    public func reset() {
        if !activity.isResetting { Reset(context: self).run() }
    }
}

/// Objects that were changed without a context of this coordinator knowing of it: by a batch
/// operation, another process, or SQL.
public struct RemoteChanges: Sendable {
    /// The objects that are new.
    public var inserted: [ObjectID]
    /// The objects that have other values or links.
    public var updated: [ObjectID]
    /// The deleted objects.
    public var deleted: [ObjectID]

    /// Lists changes by their kind.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

extension ManagedObjectContext {
    /// Takes changes that were made elsewhere over into contexts: reads the rows of the objects
    /// that they have registered again, and brings the coordinator's row cache up to date.
    ///
    /// Unsaved changes stay on top, and no conflict is raised. Controllers are notified of the
    /// changes.
    ///
    /// ```swift
    /// ManagedObjectContext.mergeChanges(
    ///     fromRemoteContextSave: RemoteChanges(updated: ids), into: [container.viewContext])
    /// ```
    ///
    /// - Parameters:
    ///   - changes: The objects, by what happened to them. Those of other stores are left out.
    ///   - contexts: Contexts of the isolation that calls.
    public static func mergeChanges(
        fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { Merge(context: context).remote(changes) }
    }
}

extension ManagedObjectContext {
    /// Takes over what transactions of the history changed: reads the rows of the objects that the
    /// context has registered again, and brings the coordinator's row cache up to date.
    ///
    /// Unsaved changes stay on top, and no conflict is raised. Controllers are notified of the
    /// changes. Several transactions are one change: an object that one inserts and a later one
    /// deletes is not told of. Give them all at once, in their order.
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
        let known = Set(coordinator.persistentStores.map { $0.identifier })
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
            changes.filter { $0.kind == kind }.map { $0.objectID }
        }
        return RemoteChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
    }
}
