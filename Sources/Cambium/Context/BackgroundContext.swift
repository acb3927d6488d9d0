/// A context with an actor of its own, for work beside the main actor.
///
/// Its actor runs on threads that belong to the coordinator, and not on those of Swift's tasks.
/// A closure may wait for a lock, a disk or another process: tasks that do not need the store go on
/// meanwhile.
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

    /// Runs a closure with the context, and waits for its result. The context knows what others
    /// have saved before; changes are processed at the end.
    ///
    /// The closure runs without interruption: it cannot `await`. It is part of the calling task:
    /// task-local values, priority and cancellation are the caller's. If the task is cancelled, the
    /// closure runs all the same, also if it has not begun; it can ask `Task.isCancelled`.
    ///
    /// The closure runs on one of the coordinator's threads, and the caller is suspended meanwhile.
    /// The contexts of a coordinator use at most 16 threads at once, or one for each processor if
    /// there are more. If all are busy, the call waits for one without blocking a thread: calls of
    /// higher priority first, then in their order. A closure may start other background tasks, but
    /// must not block until they end: they may be waiting for its thread.
    ///
    /// - Complexity: Going to another thread and back takes about 10 µs. Put a batch of work into one
    ///   call rather than one object.
    /// - Throws: What the closure throws.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        Merge(context: context).betweenEvents()
        // A change need not enqueue a job that ends the event.
        context.activity.isEndOfEventScheduled = true
        defer { context.endEvent() }
        return try body(context)
    }

    /// Runs a closure with the context, and releases the context on the same thread: to free all its
    /// objects may take longer than the caller can wait.
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
    /// A new context for the isolation that calls it, which it cannot leave. It runs on the threads
    /// of that isolation.
    ///
    /// It merges what other contexts save only when asked (``ManagedObjectContext/mergePending()``,
    /// ``ManagedObjectContext/mergeChanges(from:)-(ChangeSet)``), or when
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` is set.
    /// Keep it for as long as you use its objects: they do not keep it.
    ///
    /// - Parameters:
    ///   - isolation: Whose context it is.
    ///   - fileID: The file of the call. A program that was compiled with DEBUG warns with it where
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
