/// The members of a relationship that is kept elsewhere (in the destination's rows or in a join
/// table), as one object sees them: what the store has, and what was added and removed since.
///
/// It holds keys, not objects, so that objects never hold each other.
struct LinkSet {
    /// A member: its key, and its entity as far as known.
    struct Member: Hashable {
        let key: Int64
        let entity: Int
    }

    /// The members in the store, sorted by key; nil while they were not read.
    private(set) var stored: [Member]?
    /// The commit up to which `stored` is known to be right.
    private(set) var readAt: Int64 = 0
    private(set) var added: [Int64: Member] = [:]
    private(set) var removed: Set<Int64> = []

    var hasChanges: Bool { !added.isEmpty || !removed.isEmpty }

    // What is in the store may not be known, so the last word is kept even where it changes nothing:
    // a member that was added and taken out again may have been there before.

    mutating func add(_ member: Member) {
        if !removed.isEmpty { removed.remove(member.key) }
        added[member.key] = member
    }

    mutating func remove(_ key: Int64) {
        added[key] = nil
        removed.insert(key)
    }

    mutating func setStored(_ members: [Member], at commit: Int64) {
        stored = members.sorted { $0.key < $1.key }
        readAt = commit
    }

    /// The members as they are now, sorted by key.
    var members: [Member] {
        let base = stored ?? []
        if !hasChanges { return base }
        let kept = base.filter { !removed.contains($0.key) && added[$0.key] == nil }
        return (kept + added.values).sorted { $0.key < $1.key }
    }

    func contains(_ key: Int64) -> Bool {
        if added[key] != nil { return true }
        if removed.contains(key) { return false }
        return stored?.contains { $0.key == key } ?? false
    }

    /// Makes the changes part of what the store has, after a save.
    mutating func commit() {
        if stored != nil { stored = members }
        discardChanges()
    }

    mutating func discardChanges() {
        added = [:]
        removed = []
    }

    /// Forgets what was read, and what was changed about one member.
    mutating func forgetChange(of key: Int64) {
        added[key] = nil
        removed.remove(key)
        stored = nil
    }

    /// Forgets what was read, so that the next access reads again.
    mutating func forget() {
        stored = nil
    }
}
