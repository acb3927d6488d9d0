/// What one consumer of a controller's changes has not seen yet.
final class ResultConsumer<Entity: ManagedObject> {
    typealias Section = ResultList<Entity>.Section

    let waiter = Waiter()
    /// The list as the consumer last saw it; nil while there is nothing unseen.
    private var seen: [Section]?
    /// The unseen difference, while there is only one.
    private var only: FetchedResultsDifference<Entity>?
    /// What the unseen differences name, all together.
    private var history = ResultHistory()

    /// Takes note of a difference.
    ///
    /// - Parameter old: The list before it.
    func receive(_ difference: FetchedResultsDifference<Entity>, from old: [Section]) {
        if seen == nil {
            seen = old
            only = difference
        } else {
            only = nil
        }
        history.note(difference)
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

/// Which objects several differences name.
struct ResultHistory {
    /// Those whose place among the others may not be the old one.
    private(set) var displaced: Set<ObjectIdentifier> = []
    /// Those whose values may not be the old ones, beside the displaced ones.
    private(set) var updated: Set<ObjectIdentifier> = []

    mutating func note<Entity>(_ difference: FetchedResultsDifference<Entity>) {
        for change in difference.changes {
            switch change {
            case .insert(let object, _), .delete(let object, _), .move(let object, _, _):
                displaced.insert(ObjectIdentifier(object))
            case .update(let object, _, _):
                updated.insert(ObjectIdentifier(object))
            }
        }
    }
}
