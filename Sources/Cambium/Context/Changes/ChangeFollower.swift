/// Whoever wants to know what changes in a context, in the context's isolation: controllers and
/// observers of conditions.
protocol ChangeFollower: AnyObject {
    /// The numbers of the entities whose rows matter even where the context has no object for them.
    var watchedEntities: Set<Int> { get }

    /// Whether the follower could not take in what it was told, and wants to try again.
    var isBehind: Bool { get }

    func contextDidChange(_ changes: ObjectChanges)

    /// The context forgot all its objects.
    func contextWasReset()
}

struct WeakFollower {
    weak var follower: (any ChangeFollower)?
}

extension ManagedObjectContext {
    func addFollower(_ follower: any ChangeFollower) {
        guard !followers.contains(where: { $0.follower === follower }) else { return }
        followers.removeAll { $0.follower == nil }
        followers.append(WeakFollower(follower: follower))
    }

    func removeFollower(_ follower: any ChangeFollower) {
        followers.removeAll { $0.follower == nil || $0.follower === follower }
    }

    func notifyFollowers(_ changes: ObjectChanges) {
        guard !changes.isEmpty else { return }
        for case let follower? in followers.map(\.follower) { follower.contextDidChange(changes) }
        followers.removeAll { $0.follower == nil }
    }

    /// Lets those try again that could not follow a change.
    func retryFollowers() {
        followersAreBehind = false
        for case let follower? in followers.map(\.follower) where follower.isBehind {
            follower.contextDidChange(ObjectChanges())
        }
    }

    /// The entities that any follower watches; all where somebody wants to know of every object.
    var watchedEntities: Set<Int> {
        if observations?.wantsChanges == true { return Set(coordinator.model.entities.indices) }
        return followers.reduce(into: []) { $0.formUnion($1.follower?.watchedEntities ?? []) }
    }
}
