import Synchronization

/// The changes of a controller that one consumer has not seen yet.
///
/// A consumer that keeps up receives each difference as it is, at no further cost. For a slow
/// consumer, the results after the second unseen difference are kept.
final class ResultConsumer {
    typealias Difference = FetchedResultsDifference<ManagedObject>

    let waiter = Waiter()
    /// The first one or two unseen differences.
    private var unseen: [Difference] = []
    /// The results after two of them.
    private var state: ResultState?
    /// The rows in the unseen differences after the first two.
    private(set) var history = ResultHistory()

    /// The history is reduced to relevant rows if it has this many rows more than twice the list's.
    static let slack = 1000

    /// Records a difference. The memory for a consumer is proportional to the results that it saw
    /// last, however slow it is.
    ///
    /// - Parameters:
    ///   - state: The results after the difference.
    ///   - isReordered: Whether the order of the results has changed.
    func receive(_ difference: Difference, _ state: ResultState, isReordered: Bool = false) {
        if let former = self.state {
            history.note(difference)
            if history.count > 2 * former.rows.count + Self.slack { forgetOtherRows(than: former) }
        } else {
            unseen.append(difference)
            if unseen.count == 2 { self.state = state }
        }
        if isReordered { history.isReordered = true }
        waiter.signal()
    }

    /// Reduces the history to rows that the consumer may have seen. The history of other rows is
    /// never used: they are new to the consumer, or it is never notified of them.
    private func forgetOtherRows(than state: ResultState) {
        var known = Set(state.rows.keys(in: 0..<state.rows.count))
        for case .delete(let object, _) in unseen.flatMap(\.changes) { known.insert(object.key) }
        history.keep(known)
    }

    /// Discards the differences, because the results were fetched again. Later changes are relative
    /// to the new results.
    func restart() {
        unseen = []
        state = nil
        history = ResultHistory()
    }

    /// Returns one difference between the results that the consumer saw last and the current list,
    /// or nil if they are the same.
    ///
    /// - Complexity: O(1) if there is one unseen difference, O(n log n) if there are several.
    func take(_ list: ResultList) -> Difference? {
        defer { restart() }
        guard let state else { return unseen.first }
        var former = FormerResults(state)
        for difference in unseen.reversed() {
            former.takeBack(difference)
            history.note(difference)
        }
        let composed = list.difference(from: former, history)
        return composed.isEmpty ? nil : composed
    }
}

/// The changes of rows between two states of a list.
struct ResultHistory {
    /// The rows with a position that may have changed.
    private var displaced: Set<Int64>
    /// The rows with values that may have changed.
    private var updated: Set<Int64>
    /// Whether any row may have moved, because the order has changed.
    var isReordered: Bool

    init(displaced: Set<Int64> = [], updated: Set<Int64> = [], isReordered: Bool = false) {
        self.displaced = displaced
        self.updated = updated
        self.isReordered = isReordered
    }

    mutating func note(_ difference: FetchedResultsDifference<ManagedObject>) {
        for change in difference.changes {
            switch change {
            case .insert(let object, _), .delete(let object, _), .move(let object, _, _):
                displaced.insert(object.key)
                updated.insert(object.key)
            case .update(let object, _, _):
                updated.insert(object.key)
            }
        }
    }

    /// The number of rows in it, at least.
    var count: Int { max(displaced.count, updated.count) }

    /// Removes the changes of all rows but these.
    mutating func keep(_ keys: Set<Int64>) {
        displaced = displaced.intersection(keys)
        updated = updated.intersection(keys)
    }

    func mayHaveMoved(_ key: Int64) -> Bool {
        isReordered || displaced.contains(key)
    }

    func mayHaveChanged(_ key: Int64) -> Bool {
        updated.contains(key)
    }
}

/// The consumers of a controller's changes, and the state of its tracking.
struct ResultTracking {
    private struct WeakConsumer {
        weak var consumer: ResultConsumer?
    }

    private var weakConsumers: [WeakConsumer] = []
    /// Whether there may be changes that the list does not show.
    var isStale = false
    /// Whether the list could not follow a change because of an error that persists.
    var isBehind = false
    var isDelivering = false
    /// Changes that occurred during a delivery.
    var waiting: [ObjectChanges] = []

    var consumers: [ResultConsumer] { weakConsumers.compactMap { $0.consumer } }
    var hasConsumers: Bool { weakConsumers.contains { $0.consumer != nil } }

    mutating func add(_ consumer: ResultConsumer) {
        weakConsumers.removeAll { $0.consumer == nil }
        weakConsumers.append(WeakConsumer(consumer: consumer))
    }

    /// Resets the tracking after a new fetch.
    mutating func restart() {
        isStale = false
        isBehind = false
        for consumer in consumers { consumer.restart() }
    }
}

/// Lets tasks wait for a signal.
final class Waiter: Sendable {
    private struct State {
        var continuations: [CheckedContinuation<Void, Never>] = []
        var isSignalled = false
    }

    private let state = Mutex(State())

    /// Wakes all waiting tasks. If there is none, the next call of `wait` returns at once.
    func signal() {
        wake(isSignal: true)
    }

    /// Waits for a signal, or until the task is cancelled.
    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let mustWait = state.withLock { state in
                        if state.isSignalled || Task.isCancelled {
                            state.isSignalled = false
                            return false
                        }
                        state.continuations.append(continuation)
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            },
            // This also wakes the other tasks: they check again and continue to wait.
            onCancel: { wake(isSignal: false) }, isolation: isolation)
    }

    private func wake(isSignal: Bool) {
        let waiting = state.withLock { state in
            defer { state.continuations = [] }
            if isSignal { state.isSignalled = state.continuations.isEmpty }
            return state.continuations
        }
        for continuation in waiting { continuation.resume() }
    }
}
