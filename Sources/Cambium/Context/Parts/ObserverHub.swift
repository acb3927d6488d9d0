import CambiumRecords

/// The part of a context that registers the receivers of its notifications: the followers
/// (controllers and observers of conditions), and the handlers of notifications.
///
/// Invariant: a follower is in the list once.
final class ObserverHub {
    private struct WeakFollower {
        weak var follower: (any ChangeFollower)?
    }

    private var followers: [WeakFollower] = []
    /// Whether a follower could not process a change.
    var followersAreBehind = false
    var objectsDidChange = NotificationHandlers<ObjectsDidChange>()
    var objectIDsDidChange = NotificationHandlers<ChangedObjectIDs>()
    var willSave = NotificationHandlers<Void>()
    var didSave = NotificationHandlers<SavedObjects>()
    var didSaveObjectIDs = NotificationHandlers<ChangedObjectIDs>()
    var didMergeChangesObjectIDs = NotificationHandlers<ChangedObjectIDs>()
    /// Whether observers are being notified that everything was forgotten.
    private var isNotifyingOfReset = false

    // MARK: Followers

    var hasFollowers: Bool { !followers.isEmpty }

    func add(_ follower: any ChangeFollower) {
        guard !followers.contains(where: { $0.follower === follower }) else { return }
        followers.removeAll { $0.follower == nil }
        followers.append(WeakFollower(follower: follower))
    }

    func remove(_ follower: any ChangeFollower) {
        followers.removeAll { $0.follower == nil || $0.follower === follower }
    }

    func notifyFollowers(_ changes: ObjectChanges) {
        guard !changes.isEmpty else { return }
        for case let follower? in followers.map(\.follower) { follower.contextDidChange(changes) }
        followers.removeAll { $0.follower == nil }
    }

    /// Lets followers try again if they could not process a change.
    func retryFollowers() {
        followersAreBehind = false
        for case let follower? in followers.map(\.follower) where follower.isBehind {
            follower.contextDidChange(ObjectChanges())
        }
    }

    /// The entities that any follower watches; all if an observer wants changes of every object.
    func watchedEntities(in model: ModelDescription) -> Set<Int> {
        if wantsChanges { return Set(model.entities.indices) }
        return followers.reduce(into: []) { $0.formUnion($1.follower?.watchedEntities ?? []) }
    }

    // MARK: Notifications

    /// Whether there are observers of changed objects.
    var wantsChanges: Bool { objectsDidChange.isInUse || objectIDsDidChange.isInUse }

    /// Whether there are observers of saved objects.
    var wantsSaves: Bool { didSave.isInUse || didSaveObjectIDs.isInUse }

    /// Whether an observer wants merged changes.
    var wantsMerges: Bool { wantsChanges || didMergeChangesObjectIDs.isInUse }

    func observe<Payload>(
        _ notification: ContextNotification<Payload>, _ handler: @escaping (Payload) -> Void
    ) -> ObservationToken {
        let flag = CancellationFlag()
        let former = self[keyPath: notification.handlers]
        var changed = former
        changed.add(handler, until: flag)
        self[keyPath: notification.handlers] = changed
        // The handlers are released only now, because this may release objects that are observers
        // themselves.
        withExtendedLifetime(former) {}
        return ObservationToken(flag)
    }

    /// Posts a notification.
    func post<Payload>(
        _ notification: ContextNotification<Payload>, _ payload: @autoclosure () -> Payload
    ) {
        let handlers = self[keyPath: notification.handlers]
        if handlers.isInUse { handlers.call(payload()) }
    }

    /// Posts the notifications of changed objects, unless there are none.
    func post(_ changes: ObjectsDidChange) {
        guard !changes.isEmpty else { return }
        post(.objectsDidChange, changes)
        post(.objectIDsDidChange, ChangedObjectIDs(changes))
    }

    /// Notifies that the context has forgotten all its objects.
    func notifyOfReset() {
        for case let follower? in followers.map(\.follower) { follower.contextWasReset() }
        // An observer may reset in turn.
        guard !isNotifyingOfReset, wantsChanges else { return }
        isNotifyingOfReset = true
        post(.allInvalidated)
        isNotifyingOfReset = false
    }
}

/// A receiver of all changes in a context, in the context's isolation: a controller, or an observer
/// of a condition.
protocol ChangeFollower: AnyObject {
    /// The numbers of the entities with rows that matter even without an object in the context.
    var watchedEntities: Set<Int> { get }

    /// Whether the follower could not process a change, and wants to try again.
    var isBehind: Bool { get }

    func contextDidChange(_ changes: ObjectChanges)

    /// The context forgot all its objects.
    func contextWasReset()
}
