import Cambium

/// What a list of one context should be: a plain array, and what was done to it since the last
/// save, so simple that it is right.
struct ListOracle {
    private(set) var now: [ObjectID] = []
    private var added: Set<ObjectID> = []
    private var removed: Set<ObjectID> = []
    private var placed: Set<ObjectID> = []
    private var atEnd: [ObjectID] = []

    mutating func append(_ id: ObjectID) {
        added.insert(id)
        if !placed.contains(id), !atEnd.contains(id) { atEnd.append(id) }
        if !now.contains(id) { now.append(id) }
    }

    mutating func remove(_ id: ObjectID) {
        now.removeAll { $0 == id }
        atEnd.removeAll { $0 == id }
        placed.remove(id)
        added.remove(id)
        removed.insert(id)
    }

    /// Puts one before another, or at the end.
    mutating func put(_ id: ObjectID, before other: ObjectID?) {
        let old = now
        if !now.contains(id) { added.insert(id) }
        now.removeAll { $0 == id }
        now.insert(id, at: other.flatMap { now.firstIndex(of: $0) } ?? now.count)
        if now == old { return }
        atEnd.removeAll { $0 == id }
        if now.last == id {
            placed.remove(id)
            removed.insert(id)
            atEnd.append(id)
        } else {
            placed.insert(id)
        }
    }

    mutating func exchange(_ one: Int, _ other: Int) {
        if one == other { return }
        now.swapAt(one, other)
        for id in [now[one], now[other]] {
            placed.insert(id)
            atEnd.removeAll { $0 == id }
        }
    }

    mutating func sort(_ keys: (ObjectID) -> Int64) {
        let sorted = now.sorted { keys($0) < keys($1) }
        if sorted == now { return }
        now = sorted
        placed = Set(now)
        atEnd = []
    }

    /// Lays what was done here over the list that somebody else has saved.
    mutating func merge(_ theirs: [ObjectID]) {
        let members = added.union(theirs)
        var list = theirs.filter { !removed.contains($0) && !placed.contains($0) }
        for id in atEnd where !list.contains(id) { list.append(id) }
        for (index, id) in now.enumerated() where placed.contains(id) {
            let leader = now[..<index].reversed().lazy.compactMap { list.firstIndex(of: $0) }.first
            list.insert(id, at: leader.map { $0 + 1 } ?? 0)
        }
        now = list.filter(members.contains)
    }

    mutating func settle() {
        added = []
        removed = []
        placed = []
        atEnd = []
    }
}
