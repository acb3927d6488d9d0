import CambiumRecords

/// The changes of one save in the store. Sibling contexts, controllers and observers all receive
/// this value.
///
/// Change sets of a store are numbered in the order of their commits.
public struct ChangeSet: Sendable {
    /// The number of the commit in this process. If a child context saved into its parent, the
    /// number of the latest commit before that.
    public let number: Int64
    /// The context that saved. For saves of other processes, it is the identifier of no context.
    public let origin: ContextIdentifier
    let store: StoreIdentifier
    var entities: [EntityChanges]
    /// If a child context saved the changes, the parent that has them unsaved; nil if they are in
    /// the store.
    var holder: ContextIdentifier?
    /// The rows that no store has: only parent contexts have their objects.
    var unsaved: Set<RowIdentity> = []
    /// The transaction settings of the coordinator that numbered the change set.
    var settings = TransactionSettings.none

    /// The inserted objects.
    public var insertedObjectIDs: [ObjectID] {
        entities.flatMap { changes in changes.inserted.map { id($0.key, changes) } }
    }

    /// The updated objects, with the names of the properties that were set. Includes objects with
    /// only changed relationships that have no column in their row.
    public var updatedObjectIDs: [ObjectID: Set<String>] {
        var updated = [ObjectID: Set<String>]()
        for changes in entities {
            for row in changes.updated {
                let layout = changes.entity.layout
                updated[id(row.key, changes)] = Set(
                    row.slots.slots.map { layout.slots[$0].property } + row.links)
            }
        }
        return updated
    }

    /// The objects with only changed derived values, because other objects changed, with the names
    /// of the derived attributes.
    public var refreshedObjectIDs: [ObjectID: Set<String>] {
        var refreshed = [ObjectID: Set<String>]()
        for changes in entities {
            for row in changes.refreshed {
                refreshed[id(row.key, changes)] = Set(
                    row.slots.slots.map { changes.entity.layout.slots[$0].property })
            }
        }
        return refreshed
    }

    /// The deleted objects.
    public var deletedObjectIDs: [ObjectID] {
        entities.flatMap { changes in changes.deleted.map { id($0, changes) } }
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { entities.isEmpty }

    private func id(_ key: Int64, _ changes: EntityChanges) -> ObjectID {
        let row = RowIdentity(root: changes.entity.rootIndex, key: key)
        return ObjectID(
            changes.entity, key: key, store: store,
            isTemporary: !unsaved.isEmpty && unsaved.contains(row))
    }
}

/// The identifier of a context in change sets.
public struct ContextIdentifier: Hashable, Sendable {
    let number: UInt64

    /// The identifier for saves that no context of this coordinator made.
    static let remote = ContextIdentifier(number: 0)
}

/// A change that another process, or another container of this process, has written to the file of
/// a store. When it is reported, the contexts have the changes in their mailboxes.
public struct RemoteStoreChange: Sendable {
    /// The UUID of the store.
    public let storeIdentifier: UUID
    /// The end of the history that contexts were notified of, or nil if the store has no history.
    public let token: HistoryToken?
    /// Whether contexts were notified of every changed object. If it is false, they read all
    /// objects again. The reasons are: there is no history, another process has restarted it, or
    /// too many objects have changed.
    public let isComplete: Bool

    /// Adds a change to the waiting ones. A newer change of a store replaces an older one.
    static func join(_ waiting: inout [RemoteStoreChange], _ change: RemoteStoreChange) {
        var isComplete = change.isComplete
        if let index = waiting.firstIndex(where: { $0.storeIdentifier == change.storeIdentifier }) {
            isComplete = waiting.remove(at: index).isComplete && isComplete
        }
        waiting.append(
            RemoteStoreChange(
                storeIdentifier: change.storeIdentifier, token: change.token,
                isComplete: isComplete))
    }
}

extension PersistentStoreCoordinator {
    /// The changes of other processes from now on, for stores that were opened with
    /// ``StoreOptions/followsRemoteChanges``. There is at least one element after the last commit,
    /// but not one for each commit. For a slow consumer, at most one change of each store waits; if
    /// contexts were not notified of every object in it, its ``RemoteStoreChange/isComplete`` is
    /// false. The sequence ends with the coordinator.
    ///
    /// Contexts that merge automatically need only the option. ``fetchHistory(_:)`` returns the
    /// changed objects and their authors.
    public var remoteChanges: AsyncStream<RemoteStoreChange> { remoteObservers.makeStream() }

    /// Calls a handler after each change of a store by another process, see ``remoteChanges``, on a
    /// thread of the coordinator. Calls do not overlap.
    ///
    /// - Returns: A token that keeps the observation active.
    public func observeRemoteChanges(
        _ handler: @escaping @Sendable (RemoteStoreChange) -> Void
    ) -> ObservationToken {
        remoteObservers.observe(handler)
    }

    /// Starts to follow changes of other processes, if the options of the store enable that.
    func followOthers(of persistentStore: PersistentStore) throws {
        guard persistentStore.options.followsRemoteChanges else { return }
        try persistentStore.store.followOthers(for: self)
    }
}

extension PersistentStoreCoordinator: CommitReceiver {
    package func receive(_ changes: [EntityChanges]?, from store: StoreIdentifier) {
        if let changes {
            publish(changes, from: .remote, store: store)
        } else {
            publishLoss(from: .remote, store: store)
        }
    }

    package func announce(_ store: StoreIdentifier, at token: HistoryToken?, isComplete: Bool) {
        remoteObservers.send(
            RemoteStoreChange(storeIdentifier: store.uuid, token: token, isComplete: isComplete))
    }
}
