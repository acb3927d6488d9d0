/// A set of slot numbers.
struct SlotSet: Hashable, Sendable {
    private var first: UInt64 = 0
    private var more: [UInt64] = []

    /// No slots.
    init() {}

    /// One slot.
    init(_ slot: Int) {
        insert(slot)
    }

    var isEmpty: Bool { first == 0 && more.allSatisfy { $0 == 0 } }

    @inline(__always)
    mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 &<< UInt64(slot)
        } else {
            insertBeyond(slot - 64)
        }
    }

    private mutating func insertBeyond(_ slot: Int) {
        let word = slot >> 6
        while more.count <= word { more.append(0) }
        more[word] |= 1 << UInt64(slot & 63)
    }

    /// Whether a slot is in the set.
    @inline(__always)
    func contains(_ slot: Int) -> Bool {
        slot < 64 ? first & (1 &<< UInt64(slot)) != 0 : containsBeyond(slot - 64)
    }

    private func containsBeyond(_ slot: Int) -> Bool {
        let word = slot >> 6
        return word < more.count && more[word] & (1 << UInt64(slot & 63)) != 0
    }

    /// The slots in ascending order.
    var slots: [Int] {
        var slots: [Int] = []
        forEach { slots.append($0) }
        return slots
    }

    /// Calls the body with each slot in ascending order.
    @inline(__always)
    func forEach(_ body: (Int) -> Void) {
        Self.forEach(in: first, from: 0, body)
        if more.isEmpty { return }
        for (index, word) in more.enumerated() {
            Self.forEach(in: word, from: (index + 1) * 64, body)
        }
    }

    @inline(__always)
    private static func forEach(in word: UInt64, from offset: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(offset + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// The slots that are in both sets.
    func intersection(_ other: SlotSet) -> SlotSet {
        var common = SlotSet()
        common.first = first & other.first
        if more.isEmpty || other.more.isEmpty { return common }
        common.more = zip(more, other.more).map { $0 & $1 }
        // Equal sets have equal words.
        while common.more.last == 0 { common.more.removeLast() }
        return common
    }

    /// The slots that are not in the other set.
    func subtracting(_ other: SlotSet) -> SlotSet {
        var rest = self
        rest.first &= ~other.first
        for (index, word) in other.more.enumerated() where index < rest.more.count {
            rest.more[index] &= ~word
        }
        while rest.more.last == 0 { rest.more.removeLast() }
        return rest
    }

    mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        for (index, word) in other.more.enumerated() {
            if index < more.count { more[index] |= word } else { more.append(word) }
        }
    }
}
