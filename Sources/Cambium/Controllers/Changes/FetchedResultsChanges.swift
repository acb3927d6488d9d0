/// The changes of a controller's results, as they come; made by
/// ``FetchedResultsController/changes``.
///
/// It belongs to the controller's isolation, as the objects in its elements do, and keeps the
/// controller. It ends when the task that waits for it is cancelled. Two loops over one sequence
/// share its elements; for a second consumer ask for ``FetchedResultsController/changes`` again.
public struct FetchedResultsChanges<Entity: ManagedObject>: AsyncSequence {
    /// A difference of the results.
    public typealias Element = FetchedResultsDifference<Entity>
    /// It never fails.
    public typealias Failure = Never

    let controller: FetchedResultsController<Entity>
    let consumer: ResultConsumer<Entity>

    /// Begins to wait for changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(controller: controller, consumer: consumer)
    }

    /// Waits for changes, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let controller: FetchedResultsController<Entity>
        let consumer: ResultConsumer<Entity>

        /// The next difference; nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> FetchedResultsDifference<Entity>? {
            while !Task.isCancelled {
                if let difference = consumer.take(controller.list) { return difference }
                await consumer.waiter.wait(isolation: actor)
            }
            return nil
        }
    }
}
