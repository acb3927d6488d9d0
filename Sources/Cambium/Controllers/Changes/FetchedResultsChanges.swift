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
    let consumer: ResultConsumer

    /// Begins to wait for changes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: self)
    }

    /// What was not seen yet, as one difference; nil where there is nothing.
    func take() -> FetchedResultsDifference<Entity>? {
        consumer.take(controller.list).map { FetchedResultsDifference($0) }
    }

    /// Waits for changes, one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: FetchedResultsChanges

        /// The next difference; nil when the task was cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async -> FetchedResultsDifference<Entity>? {
            while !Task.isCancelled {
                if let difference = changes.take() { return difference }
                await changes.consumer.waiter.wait(isolation: actor)
            }
            return nil
        }
    }
}
