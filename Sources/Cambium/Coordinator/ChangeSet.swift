import CambiumRecords

/// What one save changed in the store: the one value from which sibling contexts, controllers and
/// observers are fed.
///
/// Change sets of a store are numbered in the order of their commits.
public struct ChangeSet: Sendable {
    /// The number of the commit among those of this process; of what a child context saved into its
    /// parent, that of the latest commit before.
    public let number: Int64
    /// The context that saved; of what other processes have saved, none of this coordinator's.
    public let origin: ContextIdentifier
    let store: StoreIdentifier
    var entities: [EntityChanges]
    /// The context that has the changes, unsaved, where a child has saved them; nil when they are
    /// in the store.
    var holder: ContextIdentifier?
    /// The rows that no store has: parents alone have their objects.
    var unsaved: Set<RowIdentity> = []
    /// What the transactions of the coordinator begin with, whose number it has.
    var settings = TransactionSettings.none

    /// The objects that are new.
    public var insertedObjectIDs: [ObjectID] {
        entities.flatMap { changes in changes.inserted.map { id($0.key, changes) } }
    }

    /// The objects that were changed, with the names of the properties that were set. Objects whose
    /// relationships alone changed, kept by the other side, are among them.
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

    /// The objects whose derived values alone changed, because of other objects, with the names of
    /// the derived attributes.
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

    /// Whether nothing changed.
    public var isEmpty: Bool { entities.isEmpty }

    private func id(_ key: Int64, _ changes: EntityChanges) -> ObjectID {
        let row = RowIdentity(root: changes.entity.rootIndex, key: key)
        return ObjectID(
            changes.entity, key: key, store: store,
            isTemporary: !unsaved.isEmpty && unsaved.contains(row))
    }
}

/// Tells contexts apart in change sets.
public struct ContextIdentifier: Hashable, Sendable {
    let number: UInt64

    /// What others than this coordinator's contexts have saved.
    static let remote = ContextIdentifier(number: 0)
}

/// Others have written to the file of a store: another process, or another container of this one.
/// When it is told, the contexts have the changes in their mailboxes.
public struct RemoteStoreChange: Sendable {
    /// The UUID of the store.
    public let storeIdentifier: UUID
    /// The end of the store's history, up to which contexts have been notified; nil where it keeps
    /// none.
    public let token: HistoryToken?
    /// Whether contexts were told which objects have changed. If not, because there is no history,
    /// another process has begun it again, or too many have changed, they read everything again.
    public let isComplete: Bool

    /// Adds a change to those that nobody has taken yet: one of each store says it all.
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
    /// What others write to the stores from now on, where a store was opened with
    /// ``StoreOptions/followsRemoteChanges``: at least one element after the last commit, not one
    /// for each. Of each store one waits for whoever does not ask; where contexts were not told of
    /// all that it stands for, its ``RemoteStoreChange/isComplete`` is false. The sequence ends
    /// with the coordinator.
    ///
    /// Contexts that merge automatically need no more than the option; see
    /// ``fetchHistory(_:)`` for what was changed, and by whom.
    public var remoteChanges: AsyncStream<RemoteStoreChange> { remoteObservers.makeStream() }

    /// Calls a handler whenever another process has written to a store, see ``remoteChanges``, on a
    /// thread of the coordinator's. The next is told when the handler has returned.
    ///
    /// - Returns: What keeps the observation going.
    public func observeRemoteChanges(
        _ handler: @escaping @Sendable (RemoteStoreChange) -> Void
    ) -> ObservationToken {
        remoteObservers.observe(handler)
    }

    /// Begins to follow what others write to a store, where its options ask for that.
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
