/// A context with an actor of its own, for work outside of the main actor.
///
/// The actor runs on threads of the coordinator, not on the threads of Swift's tasks. A closure may
/// wait for a lock, a disk or another process: tasks that do not need the store continue meanwhile.
///
/// ```swift
/// let importer = container.newBackgroundContext()
/// let count = try await importer.perform { context in
///     try context.count(for: Product.fetchRequest())
/// }
/// ```
public actor BackgroundContext {
    private let coordinator: PersistentStoreCoordinator
    private let mergesAutomatically: Bool
    private nonisolated let executor: StoreExecutor
    private var existing: ManagedObjectContext?
    var context: ManagedObjectContext {
        if let existing { return existing }
        let made = makeContext()
        existing = made
        return made
    }

    init(coordinator: PersistentStoreCoordinator, mergesAutomatically: Bool) {
        self.coordinator = coordinator
        self.mergesAutomatically = mergesAutomatically
        executor = StoreExecutor(coordinator.threads)
    }

    /// Runs the actor on the coordinator's threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    /// Runs a closure with the context, and waits for its result. Merges the saves of other
    /// contexts first, and processes the changes at the end.
    ///
    /// The closure runs without interruption: it cannot `await`. It is part of the calling task:
    /// task-local values, priority and cancellation are the caller's. If the task is cancelled, the
    /// closure still runs, even if it has not begun; it can check `Task.isCancelled`.
    ///
    /// The closure runs on one of the coordinator's threads, and the caller is suspended meanwhile.
    /// The contexts of a coordinator use at most 16 threads at once, or one for each processor if
    /// there are more. If all threads are busy, the call waits for one without blocking a thread.
    /// Calls of higher priority run first, then the others in their order. A closure may start
    /// other background tasks, but must not block until they end: they may be waiting for its
    /// thread.
    ///
    /// - Complexity: Switching to another thread and back takes about 10 µs. Put a batch of work
    ///   into one call rather than one object.
    /// - Throws: The error of the closure.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        Merge(context: context).betweenEvents()
        // A change need not enqueue a job that ends the event.
        context.activity.isEndOfEventScheduled = true
        defer { context.endEvent() }
        return try body(context)
    }

    /// Runs a closure with the context, and releases the context on the same thread: to free all
    /// its objects may take longer than the caller can wait.
    func performOnce<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        defer { existing = nil }
        return try perform(body)
    }

    private func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(coordinator: coordinator, mergesAutomatically: mergesAutomatically) {
            [weak self] in
            Task { await self?.endEvent() }
        }
    }

    private func endEvent() {
        existing?.endEvent()
    }
}

extension PersistentStoreCoordinator {
    /// Creates a context for the isolation of the caller. It cannot leave this isolation, and runs
    /// on its threads.
    ///
    /// It merges the saves of other contexts only when you call
    /// ``ManagedObjectContext/mergePending()`` or ``ManagedObjectContext/mergeChanges(from:)-(ChangeSet)``, or
    /// if ``ManagedObjectContext/automaticallyMergesChangesFromParent`` is set. Keep the context
    /// for as long as you use its objects: they do not keep it.
    ///
    /// - Parameters:
    ///   - isolation: The isolation of the context.
    ///   - fileID: The file of the call. A program that was compiled with DEBUG warns with it if
    ///     objects are used after the context was released.
    ///   - line: The line of the call.
    public func newContext(
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ManagedObjectContext {
        ManagedObjectContext(
            coordinator: self, mergesAutomatically: false,
            madeAt: ContextOrigin(place: (fileID, line)))
    }

    /// Creates a context for the main actor. It processes pending changes at the end of the event
    /// that made them, and does not merge automatically.
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

    /// Creates a context with an actor of its own. It runs on the coordinator's threads, and does
    /// not merge automatically.
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
