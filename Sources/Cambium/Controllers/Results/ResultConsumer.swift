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
            if history.count > 2 * former.rows.count + Self.slack { forgetStrangers(to: former) }
        } else {
            unseen.append(difference)
            if unseen.count == 2 { self.state = state }
        }
        if isReordered { history.isReordered = true }
        waiter.signal()
    }

    /// Keeps of the history what happened to rows that the consumer may have seen. Only for these it
    /// is asked: others are new to it, or it never hears of them.
    private func forgetStrangers(to state: ResultState) {
        var known = Set(state.rows.keys(in: 0..<state.rows.count))
        for case .delete(let object, _) in unseen.flatMap(\.changes) { known.insert(object.key) }
        history.keep(known)
    }

    /// The results were fetched anew; what comes is relative to them.
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
