import CambiumRecords

extension ManagedObjectContext {
    /// Merges the saves of other contexts since the last time. A child merges the changes of its
    /// ``parent``. Unsaved changes of the same objects are kept, by the merge rules of the model
    /// (`merge="sum"`), and there is no conflict. If other contexts have deleted an object, it is
    /// removed together with its unsaved changes and unsaved links to it, and is reported among the
    /// deleted ones.
    ///
    /// Contexts that merge automatically do this at the end of an event. They also do it at every
    /// fetch and save, except for changes that conflict then; see
    /// ``automaticallyMergesChangesFromParent``.
    public func mergePending() {
        Merge(context: self).pending()
    }

    /// Merges the changes of one save of another context.
    ///
    /// A child reads the changed rows from its ``parent``, which should have merged the change
    /// before. The save of a child concerns only its parent and its parent's other children; other
    /// contexts ignore it.
    ///
    /// If the other context has different ``transactionSettings``, the changed rows are read again:
    /// this context sees only the rows that its own settings allow.
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

    /// Merges the saves of other contexts in the middle of an event. The changes may depend on
    /// values that were read before: if other contexts have changed the same properties, this is a
    /// conflict.
    func mergeIfAutomatic() {
        guard automaticallyMergesChangesFromParent, parent != nil || !merges.mailbox.hasNothing
        else { return }
        Merge(context: self).pending(deferring: .conflictsOfEvent)
    }

    /// Resets an object to its state in the store, or in the ``parent`` of a child. An object that
    /// was never saved has no row and stays as it is.
    ///
    /// - Parameter mergeChanges: If true, the row is read again and the unsaved changes are kept.
    ///   An object without changes becomes a fault, and its values may come from the row cache. If
    ///   false, the changes are discarded and the object becomes a fault. If the objects at the
    ///   other end of a to-many keep the links, its changes are their changes and are kept. If a
    ///   partner in a one-to-one was linked to another object here, it is linked to this object
    ///   again. Transient values are kept or discarded with the changes.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.state === state else { return errors.recordOtherContext(object) }
        if !mergeChanges, !errors.failedReads.isEmpty, object.canBeRestored {
            errors.failedReads.removeAll(of: RowIdentity(object))
        }
        Refresh(context: self).refresh(object, mergeChanges: mergeChanges)
        // A child may have saved the discarded changes into this context.
        family.notify([], of: [object])
    }

    /// Resets all objects to their state in the store: unchanged ones become faults; for changed
    /// ones, the row is read again and the changes are kept.
    public func refreshAllObjects() {
        let refresh = Refresh(context: self)
        // In the order of their keys: if something ends an event in between, it ends at the same
        // object each time.
        var objects: [ManagedObject] = []
        registry.forEach { objects.append($0) }
        for object in objects {
            refresh.refresh(object, mergeChanges: object.lifecycle == .updated)
        }
        replacements.followParent()
        merges.noteAllTouched()
        family.notify([], isComplete: false)
    }

    /// Forgets all objects, changes, errors and undo groups. Objects that the program still holds
    /// belong to no context any more and show default values. If you set a property of one, the next
    /// save throws ``StoreError`` with `objectOfAnotherContext`.
    ///
    /// Observers are not notified of each object: they receive one notification that all objects
    /// are invalid. Controllers should fetch again. Children keep their own changes, and read
    /// everything else again when they merge; objects that were new in this context are lost.
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
    /// Merges changes from elsewhere into contexts: reads the rows of their registered objects
    /// again, and updates the coordinator's row cache.
    ///
    /// Unsaved changes are kept, and there is no conflict. Controllers are notified of the changes.
    ///
    /// ```swift
    /// ManagedObjectContext.mergeChanges(
    ///     fromRemoteContextSave: RemoteChanges(updated: ids), into: [container.viewContext])
    /// ```
    ///
    /// - Parameters:
    ///   - changes: The objects, by kind of change. Objects of other stores are ignored.
    ///   - contexts: Contexts of the isolation of the caller.
    public static func mergeChanges(
        fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { Merge(context: context).remote(changes) }
    }
}

extension ManagedObjectContext {
    /// Merges the changes of transactions of the history: reads the rows of the context's
    /// registered objects again, and updates the coordinator's row cache.
    ///
    /// Unsaved changes are kept, and there is no conflict. Controllers are notified of the changes.
    /// Several transactions are combined into one change: an object that one inserts and a later
    /// one deletes is not reported. Pass them all at once, in their order.
    ///
    /// ```swift
    /// let result = try context.fetchHistory(HistoryRequest(after: token))
    /// context.mergeChanges(from: result.transactions)
    /// token = result.token
    /// ```
    ///
    /// If the container of a context follows other processes
    /// (``StoreOptions/followsRemoteChanges``), the context does this automatically.
    ///
    /// - Parameter transactions: Transactions of the stores of this context's coordinator; others
    ///   are ignored.
    public func mergeChanges(from transactions: [HistoryTransaction]) {
        let known = Set(coordinator.persistentStores.map { $0.identifier })
        var net = NetChanges(coordinator.model)
        for transaction in transactions where known.contains(transaction.storeIdentifier) {
            net.add(transaction, isKnown: false)
        }
        guard net.count > 0 else { return }
        Merge(context: self).remote(net.entities, net.ids)
    }

    /// Merges the changes of transactions of the history into several contexts of the caller's
    /// isolation.
    public static func mergeChanges(
        from transactions: [HistoryTransaction], into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { context.mergeChanges(from: transactions) }
    }
}

extension PersistentStoreCoordinator {
    /// Returns the changes that the histories of the stores have recorded, as transactions in the
    /// order of the commits. Transactions of several stores are ordered by date.
    ///
    /// It reads one state of each store, and holds the results in memory. To read a long history in
    /// parts, set the request's ``HistoryRequest/limit``.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` (Core Data's 134301) if a part of the history
    ///   after the token was deleted, with `noHistory` if no store keeps a history, or if another
    ///   process has turned off the history that the token is from; any error of the store.
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

    /// Merges the lists of several stores into one: it always takes the earliest of their next
    /// transactions. Within a store, this keeps the order of the commits, even if the clock was
    /// changed.
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

    /// Returns a token for the end of the histories. Everything after it has not been saved yet.
    ///
    /// - Parameter stores: The stores; nil for all that keep a history.
    /// - Throws: ``StoreError`` with `noHistory` if none of them keeps one.
    public func currentHistoryToken(
        fromStores stores: [PersistentStore]? = nil
    ) throws -> HistoryToken {
        let positions = try eachHistory(among: stores) { store in
            try store.historyPosition().map { (store.identifier.uuid, $0) }
        }
        return HistoryToken(Dictionary(positions, uniquingKeysWith: { first, _ in first }))
    }

    /// Deletes the transactions before a token. The token stays valid, because the transaction that
    /// it names is kept.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` if the token is from an earlier history, with
    ///   `noHistory` if no store keeps one, with `readOnly`.
    public func deleteHistory(before token: HistoryToken) throws {
        _ = try eachHistory { store -> Void? in
            guard let position = token.positions[store.identifier.uuid] else {
                return try store.historyPosition().map { _ in () }
            }
            return try store.deleteHistory(before: position) ? () : nil
        }
    }

    /// Deletes the transactions before a date, in all stores. `.distantFuture` deletes all.
    ///
    /// - Throws: ``StoreError`` with `noHistory` if no store keeps one, with `readOnly`.
    public func deleteHistory(before date: Date) throws {
        _ = try eachHistory { try $0.deleteHistory(before: date) ? () : nil }
    }

    /// Calls a closure with each store, and returns the results.
    ///
    /// - Parameter ask: Returns nil for a store without a history.
    /// - Throws: ``StoreError`` with `noHistory` if none of them has one.
    private func eachHistory<Answer>(
        among stores: [PersistentStore]? = nil, _ ask: (any StoreEngine) throws -> Answer?
    ) throws -> [Answer] {
        let answers = try (stores ?? persistentStores).compactMap { try ask($0.store) }
        if answers.isEmpty { throw StoreError.noHistory }
        return answers
    }
}

extension ManagedObjectContext {
    /// Returns the changes that the histories of the stores have recorded, see
    /// ``PersistentStoreCoordinator/fetchHistory(_:)``. Unsaved changes of this context are not
    /// included.
    ///
    /// - Throws: ``StoreError`` with `historyExpired` if a part of the history after the token was
    ///   deleted, with `noHistory` if no store keeps a history, or if the history of the token's
    ///   store was turned off; any error of the store.
    public func fetchHistory(_ request: HistoryRequest) throws -> HistoryResult {
        try coordinator.fetchHistory(request)
    }
}

extension HistoryRequest {
    /// Returns a request for changes of objects of an entity and its sub-entities, in addition to
    /// the entities that it already has.
    public func of<Entity: ManagedObject>(_ entity: Entity.Type) -> HistoryRequest {
        var copy = self
        copy.entityNames = (entityNames ?? []).union([Entity.entityName])
        return copy
    }
}

extension HistoryTransaction {
    /// The objects by kind of change, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
    public var objectIDs: RemoteChanges {
        func ids(_ kind: HistoryChange.Kind) -> [ObjectID] {
            changes.filter { $0.kind == kind }.map { $0.objectID }
        }
        return RemoteChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
    }
}
