/// What was done to the order of an ordered to-many since it was saved: whom was put where, and who
/// came at the end.
///
/// It says what is to be different, not how the whole list is to look. So it can be laid over the
/// list as another context has left it meanwhile: a member that was put somewhere stands behind the
/// same member as here (behind the nearest one before it that is still there; at the front where
/// there is none), additions come at the end, and everything else stays as they have it.
package struct LinkOrder: Hashable, Sendable {
    /// Who was added, in that order. One that the store has already keeps its place there.
    package private(set) var appended: [Int64] = []
    /// Who loses the place that it has in the store and comes at the end, among `appended`.
    package private(set) var movedToEnd: Set<Int64> = []
    /// Who was put somewhere.
    package private(set) var placed: Set<Int64> = []
    /// The list as it was when it was last read, or when a member was moved.
    package private(set) var arrangement: [Int64] = []

    /// No change.
    package init() {}

    package var isEmpty: Bool { appended.isEmpty && placed.isEmpty }

    /// Whether members that the store has are to change places.
    package var changesPlaces: Bool { !placed.isEmpty || !movedToEnd.isEmpty }

    /// Adds a member at the end, unless it is a member already.
    package mutating func append(_ key: Int64, wasRemoved: Bool) {
        if placed.contains(key) || movedToEnd.contains(key) { return }
        if wasRemoved { movedToEnd.insert(key) }
        appended.append(key)
    }

    /// Takes a member out.
    package mutating func remove(_ key: Int64) {
        if placed.remove(key) == nil, let index = appended.firstIndex(of: key) {
            appended.remove(at: index)
        }
        movedToEnd.remove(key)
        // Should it come back, then at the end, and no other member moves there with it.
        if !placed.isEmpty { arrangement.removeAll { $0 == key } }
    }

    /// Takes note that the store has a member that was added. It stays where it was put; else it
    /// has its place there, and may be added again once it was taken out.
    package mutating func forgetAddition(of key: Int64) {
        guard !movedToEnd.contains(key), let index = appended.firstIndex(of: key) else { return }
        appended.remove(at: index)
    }

    /// Puts members somewhere, so that the list looks like this.
    package mutating func place(_ keys: Set<Int64>, in arrangement: [Int64]) {
        self.arrangement = arrangement
        placed.formUnion(keys)
        appended.removeAll { keys.contains($0) }
        movedToEnd.subtract(keys)
    }

    /// Takes note of the list as it came out, which may have members that others added.
    package mutating func note(_ arrangement: @autoclosure () -> [Int64]) {
        if !placed.isEmpty { self.arrangement = arrangement() }
    }

    /// Puts members at the end, also those that have another place already.
    package mutating func moveToEnd(_ keys: [Int64], known: Set<Int64>) {
        let moved = Set(keys)
        placed.subtract(moved)
        appended.removeAll { moved.contains($0) }
        arrangement.removeAll { moved.contains($0) }
        appended += keys
        movedToEnd.formUnion(moved.intersection(known))
    }

    /// Puts another member in the place of one, unless that is a member already.
    package mutating func replace(_ key: Int64, with other: Int64) {
        func replaced(_ keys: [Int64]) -> [Int64] {
            keys.contains(other)
                ? keys.filter { $0 != key } : keys.map { $0 == key ? other : $0 }
        }
        appended = replaced(appended)
        arrangement = replaced(arrangement)
        if movedToEnd.remove(key) != nil { movedToEnd.insert(other) }
        if placed.remove(key) != nil { placed.insert(other) }
    }

    /// Forgets who was put where; additions stay, at the end.
    package mutating func discardPlaces(additions: (Int64) -> Bool) {
        appended += arrangement.filter { placed.contains($0) && additions($0) }
        appended.removeAll { !additions($0) }
        placed = []
        movedToEnd = []
        arrangement = []
    }

    /// The list with these changes.
    ///
    /// - Parameter stored: The list without them and without who was taken out.
    package func applied(to stored: [Int64]) -> [Int64] {
        if appended.isEmpty, placed.isEmpty { return stored }
        let additions = Set(appended)
        var list = stored
        if !placed.isEmpty || !movedToEnd.isEmpty {
            list.removeAll { placed.contains($0) || movedToEnd.contains($0) }
        }
        let kept = Set(list)
        list += appended.filter { !kept.contains($0) }
        if placed.isEmpty { return list }
        let spine = kept.union(additions)
        var leaders: [Int64] = []
        var followers: [Int64: [Int64]] = [:]
        var leader: Int64?
        for key in arrangement {
            if placed.contains(key) {
                if let leader {
                    followers[leader, default: []].append(key)
                } else {
                    leaders.append(key)
                }
            } else if spine.contains(key) {
                leader = key
            }
        }
        var result = leaders
        result.reserveCapacity(list.count + placed.count)
        for key in list {
            result.append(key)
            if let behind = followers[key] { result += behind }
        }
        return result
    }
}
