/// The members of a relationship that is kept elsewhere (in the destination's rows or in a join
/// table), as one object sees them: what the store has, and what was added and removed since.
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

    /// The members in the store, in their order, or sorted by key where they have none; nil while
    /// they were not read.
    public private(set) var stored: [Member]?
    /// The commit up to which `stored` is known to be right.
    public private(set) var readAt: Int64 = 0
    package private(set) var added = MemberTable()
    package private(set) var removed: Set<Int64> = []
    /// The order of an ordered relationship; nil for others, which pay for one word only.
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

    // What is in the store may not be known, so the last word is kept even where it changes
    // nothing: a member that was added and taken out again may have been there before.

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

    /// The members as they are now, in their order, or sorted by key where they have none.
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

    /// Makes the changes part of what the store has, after a save.
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

    /// Forgets what was read, and what was changed about one member.
    public mutating func forgetChange(of key: Int64) {
        _ = added.remove(key)
        removed.remove(key)
        reorder { $0.changes.remove(key) }
        forget()
    }

    /// Keeps of the changes those that still are some, after the members were read. Whom the store
    /// has keeps the place that it was given here.
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

    /// Forgets what was read, so that the next access reads again.
    public mutating func forget() {
        stored = nil
        reorder { $0.forgetCurrent() }
    }

    // MARK: Order

    /// A class, so that unordered sets do not carry its parts about; copied before it is changed
    /// where two sets share it.
    private final class Ordering {
        var changes = LinkOrder()
        /// The members in order, once they were worked out.
        private(set) var current: [Member]?
        /// Their keys, once a member was added to them.
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

    /// What was done to the order since it was saved; nil where there is none.
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

    /// Forgets who was put where. Who was added stays, at the end.
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
