extension PersistentStoreCoordinator {
    /// A new context for the isolation that calls it, which it cannot leave. It runs on the threads
    /// of that isolation.
    ///
    /// It takes over what others save only when asked (``ManagedObjectContext/mergePending()``,
    /// ``ManagedObjectContext/mergeChanges(from:)``), or when
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` is set.
    /// Keep it for as long as you use its objects: they do not keep it.
    ///
    /// - Parameters:
    ///   - isolation: Whose context it is.
    ///   - fileID: The file of the call. A program that was compiled with DEBUG warns with it where
    ///     objects are used after the context is gone.
    ///   - line: The line of the call.
    public func newContext(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ManagedObjectContext {
        ManagedObjectContext(
            coordinator: self, mergesAutomatically: false,
            madeAt: ContextOrigin(place: (fileID, line)))
    }

    /// A new context for the main actor, whose pending changes are processed at the end of the
    /// event in which they were made. It merges by hand, like all contexts made so.
    @MainActor
    public func newMainContext() -> ManagedObjectContext {
        newMainContext(mergesAutomatically: false)
    }

    @MainActor
    func newMainContext(mergesAutomatically: Bool) -> ManagedObjectContext {
        let reference = MainActorReference()
        let context = ManagedObjectContext(
            coordinator: self, mergesAutomatically: mergesAutomatically
        ) {
            Task { @MainActor in reference.context?.endEvent() }
        }
        reference.context = context
        context.objectsAreObservable = true
        return context
    }

    /// A new context with an actor of its own, which runs on the coordinator's threads. It merges by
    /// hand, like all contexts made so.
    public func newBackgroundContext() -> BackgroundContext {
        BackgroundContext(coordinator: self, mergesAutomatically: false)
    }
}

/// The way back to a context of the main actor for a job that was enqueued from anywhere. It does
/// not keep the context alive, and needs no container.
@MainActor
private final class MainActorReference {
    weak var context: ManagedObjectContext?
}
