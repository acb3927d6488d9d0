/// The members of one object's relationship, if the links are not in its own row but in the
/// destination's rows or in a join table. They are the members in the store, with the unsaved
/// additions and removals.
///
/// It holds keys, not objects, so that objects never hold each other.
public struct LinkSet {
    /// A member: its key, and its entity as far as known.
    public struct Member: Sendable, Hashable {
        @usableFromInline package let key: Int64
        @usableFromInline package let entity: Int

        /// Names a member.
        @inlinable
        public init(key: Int64, entity: Int) {
            self.key = key
            self.entity = entity
        }
    }

    /// The members in the store, in their order, or sorted by key if they have none; nil while they
    /// were not read.
    public private(set) var stored: [Member]?
    /// The commit up to which `stored` is known to be correct.
    public private(set) var readAt: Int64 = 0
    package private(set) var added = MemberTable()
    package private(set) var removed: Set<Int64> = []
    /// The order of an ordered relationship; nil for others, to save memory.
    private var ordering: Ordering?

    /// - Parameter isOrdered: Whether the relationship keeps an order.
    public init(isOrdered: Bool) {
        if isOrdered { ordering = Ordering() }
    }

    package var hasChanges: Bool {
        !added.isEmpty || !removed.isEmpty || ordering?.changes.isEmpty == false
    }

    /// Whether members were added, or moved in their order.
    public var hasAdditions: Bool { !added.isEmpty || ordering?.changes.isEmpty == false }

    // The store's members may be unknown. For this reason, the last change is kept even if it
    // changes nothing: a member that was added and removed again may have been a member before.

    package mutating func add(_ member: Member) {
        let wasRemoved = !removed.isEmpty && removed.remove(member.key) != nil
        let isNew = added.insert(member)
        if ordering != nil, isNew { append(member, wasRemoved: wasRemoved) }
    }

    package mutating func remove(_ key: Int64) {
        let wasAdded = added.remove(key)
        removed.insert(key)
        guard ordering != nil else { return }
        reorder { ordering in
            if wasAdded || ordering.changes.changesPlaces { ordering.changes.remove(key) }
            ordering.forgetCurrent()
        }
    }

    package mutating func setStored(_ members: [Member], at commit: Int64) {
        stored = ordering == nil ? members.sorted { $0.key < $1.key } : members
        readAt = commit
        reorder { $0.forgetCurrent() }
    }

    /// The members as they are now, in their order, or sorted by key if they have none.
    public var members: [Member] {
        if let ordering { return ordering.current ?? orderedMembers(ordering) }
        let base = stored ?? []
        if !hasChanges { return base }
        let kept = base.filter { !removed.contains($0.key) && added[$0.key] == nil }
        return kept.isEmpty ? added.members : (kept + added.members).sorted { $0.key < $1.key }
    }

    package func contains(_ key: Int64) -> Bool {
        if added[key] != nil { return true }
        if removed.contains(key) { return false }
        return stored?.contains { $0.key == key } ?? false
    }

    /// Whether any of these was read or added.
    public func mentions(_ keys: Set<Int64>) -> Bool {
        stored?.contains { keys.contains($0.key) } == true
            || (!added.isEmpty && added.keys.contains(where: keys.contains))
    }

    /// Applies the changes to the stored members, after a save.
    public mutating func commit() {
        if stored != nil { stored = members }
        discardChanges()
    }

    package mutating func discardChanges() {
        added = MemberTable()
        removed = []
        reorder {
            $0.changes = LinkOrder()
            $0.forgetCurrent()
        }
    }

    /// Whether anything was changed about one member.
    public func hasChange(of key: Int64) -> Bool { added[key] != nil || removed.contains(key) }

    /// Forgets the stored members, and the changes of one member.
    public mutating func forgetChange(of key: Int64) {
        _ = added.remove(key)
        removed.remove(key)
        reorder { $0.changes.remove(key) }
        forget()
    }

    /// Keeps only the changes that still differ from the store, after the members were read. A
    /// member that the store has keeps its place from here.
    public mutating func keepChanges(
        added isAdded: (Member) -> Bool, removed isRemoved: (Int64) -> Bool
    ) {
        removed = removed.filter(isRemoved)
        let settled = added.members.filter { !isAdded($0) }
        if settled.isEmpty { return }
        let known = Set((stored ?? []).map(\.key))
        for member in settled { _ = added.remove(member.key) }
        reorder { ordering in
            for member in settled {
                if known.contains(member.key) {
                    ordering.changes.forgetAddition(of: member.key)
                } else {
                    ordering.changes.remove(member.key)
                }
            }
            ordering.forgetCurrent()
        }
    }

    /// Forgets the stored members, so that the next access reads them again.
    public mutating func forget() {
        stored = nil
        reorder { $0.forgetCurrent() }
    }

    // MARK: Order

    /// The order of a set. It is a class, so that unordered sets do not contain its parts. If two
    /// sets share it, it is copied before it is changed.
    private final class Ordering {
        var changes = LinkOrder()
        /// The members in order, or nil if the order was not computed yet.
        private(set) var current: [Member]?
        /// The keys of the current members. It is nil until a member is added to them.
        private var currentKeys: Set<Int64>?

        init() {}

        init(_ other: Ordering) {
            changes = other.changes
            current = other.current
        }

        func setCurrent(_ members: [Member]) {
            current = members
            currentKeys = nil
        }

        func forgetCurrent() {
            current = nil
            currentKeys = nil
        }

        /// Follows an addition at the end.
        func appendToCurrent(_ member: Member) {
            guard current != nil else { return }
            if currentKeys == nil { currentKeys = Set((current ?? []).map(\.key)) }
            if currentKeys?.insert(member.key).inserted == true { current?.append(member) }
        }
    }

    /// The changes of the order since it was saved; nil if there is no order.
    package var order: LinkOrder? { ordering?.changes }

    /// Whether ``members`` has to be computed again at each use.
    public var needsOrdering: Bool { ordering.map { $0.current == nil } ?? false }

    /// Works out the order once for all.
    public mutating func settleOrder() {
        guard let ordering else { return }
        let members = orderedMembers(ordering)
        reorder {
            $0.setCurrent(members)
            $0.changes.note(members.map(\.key))
        }
    }

    /// Puts members somewhere, so that the list looks like this.
    public mutating func place(_ keys: Set<Int64>, in arrangement: [Int64]) {
        reorder {
            $0.changes.place(keys, in: arrangement)
            $0.forgetCurrent()
        }
    }

    /// Puts members at the end.
    public mutating func moveToEnd(_ keys: [Int64]) {
        let known = Set((stored ?? []).map(\.key))
        reorder {
            $0.changes.moveToEnd(keys, known: known)
            $0.forgetCurrent()
        }
    }

    /// Forgets the places of moved members. Added members are kept, at the end.
    public mutating func discardPlaces() {
        let added = added
        reorder {
            $0.changes.discardPlaces { added[$0] != nil }
            $0.forgetCurrent()
        }
    }

    private mutating func append(_ member: Member, wasRemoved: Bool) {
        reorder { ordering in
            ordering.changes.append(member.key, wasRemoved: wasRemoved)
            ordering.appendToCurrent(member)
        }
    }

    private mutating func reorder(_ body: (Ordering) -> Void) {
        if ordering == nil { return }
        if !isKnownUniquelyReferenced(&ordering) { ordering = ordering.map(Ordering.init) }
        if let ordering { body(ordering) }
    }

    private func orderedMembers(_ ordering: Ordering) -> [Member] {
        let kept = (stored ?? []).filter { !removed.contains($0.key) }
        let changes = ordering.changes
        if changes.isEmpty { return kept }
        let byKey = Dictionary(
            (added.members + kept).map { ($0.key, $0) }, uniquingKeysWith: { added, _ in added })
        return changes.applied(to: kept.map(\.key)).compactMap { byKey[$0] }
    }
}

/// The changes of the order of a to-many since it was saved: the members that were moved, and the
/// members that were appended.
///
/// It describes the differences, not the complete list. For this reason it can be applied to the
/// list that another context has saved meanwhile. A moved member is placed behind the same member
/// as here (behind the nearest one before it that still exists; at the front if there is none).
/// Additions are appended, and everything else keeps its order.
package struct LinkOrder: Hashable, Sendable {
    /// The added members, in their order. A member that the store has already keeps its place
    /// there.
    package private(set) var appended: [Int64] = []
    /// The members that lose their place in the store and are appended, among `appended`.
    package private(set) var movedToEnd: Set<Int64> = []
    /// The members that were moved.
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

    /// Adds the members of another list at the end, unless they are members already.
    package mutating func append(_ other: LinkOrder) {
        let known = placed.union(appended)
        appended += other.applied(to: []).filter { !known.contains($0) }
    }

    /// Takes a member out.
    package mutating func remove(_ key: Int64) {
        if placed.remove(key) == nil, let index = appended.firstIndex(of: key) {
            appended.remove(at: index)
        }
        movedToEnd.remove(key)
        // If it is added again, it is appended, and no other member moves to the end with it.
        if !placed.isEmpty { arrangement.removeAll { $0 == key } }
    }

    /// Notes that the store has an added member. If it was moved, it keeps its place. Otherwise it
    /// has its place in the store, and may be added again after a removal.
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

    /// Notes the resulting list. It may have members that others added.
    package mutating func note(_ arrangement: @autoclosure () -> [Int64]) {
        if !placed.isEmpty { self.arrangement = arrangement() }
    }

    /// Moves members to the end, including members that were moved before.
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

    /// Forgets the places of moved members; additions are kept, at the end.
    package mutating func discardPlaces(additions: (Int64) -> Bool) {
        appended += arrangement.filter { placed.contains($0) && additions($0) }
        appended.removeAll { !additions($0) }
        placed = []
        movedToEnd = []
        arrangement = []
    }

    /// The list with these changes.
    ///
    /// - Parameter stored: The list without them and without the removed members.
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

/// Members of a relationship by their keys.
///
/// Most are added in the order of their keys, as new objects are, and none is removed: these are a
/// sorted array. It needs a fraction of the time and the memory of a dictionary. Members that are
/// added out of order are in a dictionary; so are all members once one is removed from their
/// middle.
package struct MemberTable: Equatable {
    package typealias Member = LinkSet.Member

    /// In the order of their keys.
    private var run: [Member] = []
    /// The members that are not in the run.
    private var others: [Int64: Member] = [:]

    package var isEmpty: Bool { run.isEmpty && others.isEmpty }

    /// All members, in the order of their keys.
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

    /// - Returns: Whether the object was a member.
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

    /// The index of a key in the run.
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
