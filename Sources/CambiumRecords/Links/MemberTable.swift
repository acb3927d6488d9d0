/// Members of a relationship by their keys.
///
/// Most come in the order of their keys, as new objects do, and none is removed: these are a sorted
/// array, which takes a fraction of the time and the memory of a dictionary. Those that come out of
/// order, and all once one is removed from their midst, are in a dictionary.
package struct MemberTable: Equatable {
    package typealias Member = LinkSet.Member

    /// In the order of their keys.
    private var run: [Member] = []
    /// Those that are not in the run.
    private var others: [Int64: Member] = [:]

    package var isEmpty: Bool { run.isEmpty && others.isEmpty }

    /// All of them, in the order of their keys.
    package var members: [Member] {
        others.isEmpty ? run : (run + others.values).sorted { $0.key < $1.key }
    }

    package var keys: [Int64] { members.map(\.key) }

    package subscript(key: Int64) -> Member? {
        place(of: key).map { run[$0] } ?? (others.isEmpty ? nil : others[key])
    }

    /// Puts a member in, in the place of one with the same key.
    ///
    /// - Returns: Whether there was none.
    package mutating func insert(_ member: Member) -> Bool {
        if run.last.map({ $0.key < member.key }) ?? true,
            others.isEmpty || others[member.key] == nil
        {
            run.append(member)
            return true
        }
        if let place = place(of: member.key) {
            run[place] = member
            return false
        }
        return others.updateValue(member, forKey: member.key) == nil
    }

    /// - Returns: Whether it was there.
    package mutating func remove(_ key: Int64) -> Bool {
        guard let place = place(of: key) else {
            return !others.isEmpty && others.removeValue(forKey: key) != nil
        }
        if place == run.count - 1 {
            run.removeLast()
            return true
        }
        // To close gaps one by one would take longer with each member there is.
        for member in run { others[member.key] = member }
        run = []
        return others.removeValue(forKey: key) != nil
    }

    /// Where a key is in the run.
    private func place(of key: Int64) -> Int? {
        guard let last = run.last, key <= last.key else { return nil }
        var (low, high) = (0, run.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if run[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return run[low].key == key ? low : nil
    }

    package static func == (one: MemberTable, other: MemberTable) -> Bool {
        one.members == other.members
    }
}
