import Synchronization

/// The changes of a controller's results, as they come; made by
/// ``FetchedResultsController/changes``.
///
/// It belongs to the controller's isolation, as the objects in its elements do. It ends when the
/// task that waits for it is cancelled.
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
                guard await consumer.waiter.wait(isolation: actor) else { return nil }
            }
            return nil
        }
    }
}

/// What one consumer has not seen yet.
final class ResultConsumer<Entity: ManagedObject> {
    let waiter = Waiter()
    private var unseen: [FetchedResultsDifference<Entity>] = []

    func receive(_ difference: FetchedResultsDifference<Entity>) {
        unseen.append(difference)
        waiter.signal()
    }

    /// The results were fetched anew; what comes is relative to them.
    func restart() {
        unseen = []
    }

    func finish() {
        waiter.finish()
    }

    /// One difference from what the consumer last saw to the list now, or nil where it is the same.
    func take(_ list: ResultList<Entity>) -> FetchedResultsDifference<Entity>? {
        defer { unseen = [] }
        guard unseen.count > 1 else { return unseen.first }
        let composed = list.difference(composing: unseen)
        return composed.isEmpty ? nil : composed
    }
}

/// Wakes one waiting task.
final class Waiter: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Bool, Never>?
        var isSignalled = false
        var isFinished = false
    }

    private let state = Mutex(State())

    func signal() {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            state.isSignalled = state.continuation == nil
            return state.continuation
        }
        waiting?.resume(returning: true)
    }

    func finish() {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            state.isFinished = true
            return state.continuation
        }
        waiting?.resume(returning: false)
    }

    /// Waits for the next signal.
    ///
    /// - Returns: False when the task was cancelled or there will be no signal any more.
    func wait(isolation: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let answer: Bool? = state.withLock { state in
                        if state.isFinished || Task.isCancelled { return false }
                        if state.isSignalled {
                            state.isSignalled = false
                            return true
                        }
                        state.continuation = continuation
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            }, onCancel: { finishOne() }, isolation: isolation)
    }

    private func finishOne() {
        let waiting = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        waiting?.resume(returning: false)
    }
}
