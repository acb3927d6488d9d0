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
