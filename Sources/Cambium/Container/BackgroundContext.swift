/// A context with an actor of its own, for work beside the main actor.
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
    private(set) lazy var context = makeContext()

    init(coordinator: PersistentStoreCoordinator, mergesAutomatically: Bool) {
        self.coordinator = coordinator
        self.mergesAutomatically = mergesAutomatically
    }

    /// Runs a closure with the context, and waits for its result. The context knows what others
    /// have saved before; changes are processed at the end.
    ///
    /// The closure runs without interruption: it cannot `await`. Put a batch of work into one call
    /// rather than one object: a call costs some microseconds.
    ///
    /// - Throws: What the closure throws.
    public func perform<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        context.mergeBetweenEvents()
        defer { context.endEvent() }
        return try body(context)
    }

    private func makeContext() -> ManagedObjectContext {
        ManagedObjectContext(coordinator: coordinator, mergesAutomatically: mergesAutomatically) {
            [weak self] in
            Task { await self?.endEvent() }
        }
    }

    private func endEvent() {
        context.endEvent()
    }
}
