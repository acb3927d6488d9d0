import CambiumSQL

/// The objects of other programs that are in the way, each with the reason, and those that SQLite
/// takes away with them.
struct ForeignObstacles {
    private var entries: [(object: StoreObject, reason: ForeignObject.Reason)] = []

    /// Adds one.
    mutating func add(_ object: StoreObject, _ reason: ForeignObject.Reason) {
        entries.append((object, reason))
    }

    /// Adds the triggers of the views, and the triggers and indexes of the tables, that have to be
    /// taken away: nobody who follows the remedy may lose what was not named.
    mutating func addCompanions(among objects: [StoreObject]) {
        let named = Set(entries.map(\.object))
        var owners: [String: StoreObject] = [:]
        for entry in entries where entry.object.takesOthersAway(where: entry.reason) {
            owners[entry.object.name.lowercased()] = entry.object
        }
        for object in objects where !named.contains(object) {
            guard object.kind == .trigger || object.kind == .index,
                let owner = owners[object.table.lowercased()]
            else { continue }
            add(object, .goesWith("the \(owner.kind.rawValue) \(owner.name)"))
        }
    }

    /// All in an order in which they can be taken away: what belongs to something before that, or
    /// it would be gone already.
    var inOrder: [(object: StoreObject, reason: ForeignObject.Reason)] {
        let kinds: [StoreObject.Kind] = [.trigger, .view, .index, .table]
        return kinds.flatMap { kind in entries.filter { $0.object.kind == kind } }
    }
}

extension StoreObject {
    /// Whether the remedy takes it away with all that belongs to it. A table that is in the way by
    /// its name alone gets another name, and keeps what it has.
    fileprivate func takesOthersAway(where reason: ForeignObject.Reason) -> Bool {
        switch (kind, reason) {
        case (.view, _): true
        case (.table, .nameIsNeeded), (.table, .wouldLoseLinks): false
        case (.table, _): true
        case (.index, _), (.trigger, _): false
        }
    }
}
