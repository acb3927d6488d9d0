import Synchronization

/// What one consumer of a controller's changes has not seen yet.
///
/// One that keeps up is given each difference as it is, and costs nothing else. For one that is
/// behind, the results are kept as they were after the second difference that it has not seen.
final class ResultConsumer {
    typealias Difference = FetchedResultsDifference<ManagedObject>

    let waiter = Waiter()
    /// The first one or two unseen differences.
    private var unseen: [Difference] = []
    /// The results after two of them.
    private var state: ResultState?
    /// What the unseen differences name, apart from the first two.
    private(set) var history = ResultHistory()

    /// How many rows more than twice those of the list are remembered before those are sorted out
    /// that matter to nobody.
    static let slack = 1000

    /// Takes note of a difference. What the consumer takes up of memory is in proportion to what it
    /// saw last, however long it takes to look again.
    ///
    /// - Parameters:
    ///   - state: The results after it.
    ///   - isReordered: Whether what the results are sorted by is another.
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

    /// Keeps of the history what happened to rows that the consumer may have seen. Only for these it
    /// is asked: others are new to it, or it is never notified of them.
    private func forgetOtherRows(than state: ResultState) {
        var known = Set(state.rows.keys(in: 0..<state.rows.count))
        for case .delete(let object, _) in unseen.flatMap(\.changes) { known.insert(object.key) }
        history.keep(known)
    }

    /// The results were fetched again; what comes is relative to them.
    func restart() {
        unseen = []
        state = nil
        history = ResultHistory()
    }

    /// One difference from what the consumer last saw to the list now, or nil where it is the same.
    ///
    /// - Complexity: O(1) where there is one to be seen, O(n log n) where there are several.
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

/// What happened to which rows between two states of a list.
struct ResultHistory {
    /// Those whose place among the others may not be the old one.
    private var displaced: Set<Int64>
    /// Those whose values may not be the old ones.
    private var updated: Set<Int64>
    /// Whether any row may have another place, the order being another.
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

    /// How many rows it names, at least.
    var count: Int { max(displaced.count, updated.count) }

    /// Forgets what happened to other rows than these.
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

/// Who is notified of the changes of a controller's results, and how far the results are.
struct ResultTracking {
    private struct WeakConsumer {
        weak var consumer: ResultConsumer?
    }

    private var weakConsumers: [WeakConsumer] = []
    /// Whether something may have changed that the list does not show.
    var isStale = false
    /// Whether a change could not be followed, for an error that is not over yet.
    var isBehind = false
    var isDelivering = false
    /// Changes that came during a delivery.
    var waiting: [ObjectChanges] = []

    var consumers: [ResultConsumer] { weakConsumers.compactMap { $0.consumer } }
    var hasConsumers: Bool { weakConsumers.contains { $0.consumer != nil } }

    mutating func add(_ consumer: ResultConsumer) {
        weakConsumers.removeAll { $0.consumer == nil }
        weakConsumers.append(WeakConsumer(consumer: consumer))
    }

    /// The results were fetched again.
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

    /// Wakes all who wait; when nobody does, the next who would.
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
            // Wakes the others too: they look and wait again.
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
