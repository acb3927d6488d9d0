/// What one consumer of a controller's changes has not seen yet.
final class ResultConsumer<Entity: ManagedObject> {
    let waiter = Waiter()
    /// The results as the consumer last saw them; nil while there is nothing unseen.
    private var seen: ResultState<Entity>?
    /// The unseen difference, while there is only one.
    private var only: FetchedResultsDifference<Entity>?
    /// What the unseen differences name, all together.
    private var history = ResultHistory()

    /// Whether the consumer has seen everything.
    var isUpToDate: Bool { seen == nil }

    /// Takes note of a difference.
    ///
    /// - Parameters:
    ///   - old: The results before it; not needed where the consumer was behind already.
    ///   - isReordered: Whether what the results are sorted by is another.
    func receive(
        _ difference: FetchedResultsDifference<Entity>, from old: ResultState<Entity>?,
        isReordered: Bool = false
    ) {
        if seen == nil {
            seen = old
            only = difference
        } else {
            only = nil
        }
        history.note(difference, isReordered: isReordered)
        waiter.signal()
    }

    /// The results were fetched anew; what comes is relative to them.
    func restart() {
        seen = nil
        only = nil
        history = ResultHistory()
    }

    /// One difference from what the consumer last saw to the list now, or nil where it is the same.
    func take(_ list: ResultList<Entity>) -> FetchedResultsDifference<Entity>? {
        guard let seen else { return nil }
        defer { restart() }
        if let only { return only }
        let composed = list.difference(from: seen, history)
        return composed.isEmpty ? nil : composed
    }
}

/// What happened to which rows between two states of a list.
struct ResultHistory {
    /// Those whose place among the others may not be the old one.
    private var displaced: Set<Int64> = []
    /// Those whose values may not be the old ones.
    private var updated: Set<Int64> = []
    /// Whether any row may have another place, the order being another.
    private var isReordered = false

    init() {}

    init(displaced: Set<Int64>, updated: Set<Int64>, isReordered: Bool) {
        self.displaced = displaced
        self.updated = updated
        self.isReordered = isReordered
    }

    mutating func note<Entity>(_ difference: FetchedResultsDifference<Entity>, isReordered: Bool) {
        self.isReordered = self.isReordered || isReordered
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

    func mayHaveMoved(_ key: Int64) -> Bool {
        isReordered || displaced.contains(key)
    }

    func mayHaveChanged(_ key: Int64) -> Bool {
        updated.contains(key)
    }
}
