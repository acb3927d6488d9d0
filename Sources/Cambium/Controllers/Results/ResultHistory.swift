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
