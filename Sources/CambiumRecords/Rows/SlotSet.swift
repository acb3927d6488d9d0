/// A set of slot numbers.
public struct SlotSet: Hashable, Sendable {
    @usableFromInline var first: UInt64 = 0
    /// The words after the first; nil for most sets, as a reference even to an empty array is
    /// counted with every copy.
    @usableFromInline var more: [UInt64]?

    /// No slots.
    @inlinable
    public init() {}

    /// One slot.
    @inlinable
    public init(_ slot: Int) {
        insert(slot)
    }

    /// Whether no slot is in the set.
    @inlinable
    public var isEmpty: Bool { first == 0 && more == nil }

    /// Adds a slot.
    @inlinable @inline(__always)
    public mutating func insert(_ slot: Int) {
        if slot < 64 {
            first |= 1 &<< UInt64(slot)
        } else {
            insertBeyond(slot - 64)
        }
    }

    @usableFromInline mutating func insertBeyond(_ slot: Int) {
        let word = slot >> 6
        var more = self.more ?? []
        self.more = nil
        while more.count <= word { more.append(0) }
        more[word] |= 1 << UInt64(slot & 63)
        self.more = more
    }

    /// Whether a slot is in the set.
    @inlinable @inline(__always)
    public func contains(_ slot: Int) -> Bool {
        slot < 64 ? first & (1 &<< UInt64(slot)) != 0 : containsBeyond(slot - 64)
    }

    @usableFromInline func containsBeyond(_ slot: Int) -> Bool {
        let word = slot >> 6
        guard let more else { return false }
        return word < more.count && more[word] & (1 << UInt64(slot & 63)) != 0
    }

    /// The slots in ascending order.
    @inlinable
    public var slots: [Int] {
        var slots: [Int] = []
        forEach { slots.append($0) }
        return slots
    }

    /// Calls the body with each slot in ascending order.
    @inlinable @inline(__always)
    public func forEach(_ body: (Int) -> Void) {
        Self.forEach(in: first, from: 0, body)
        guard let more else { return }
        for (index, word) in more.enumerated() {
            Self.forEach(in: word, from: (index + 1) * 64, body)
        }
    }

    @inlinable @inline(__always)
    static func forEach(in word: UInt64, from offset: Int, _ body: (Int) -> Void) {
        var rest = word
        while rest != 0 {
            body(offset + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// The slots that are in both sets.
    public func intersection(_ other: SlotSet) -> SlotSet {
        var common = SlotSet()
        common.first = first & other.first
        guard let more, let others = other.more else { return common }
        common.more = Self.trimmed(zip(more, others).map { $0 & $1 })
        return common
    }

    /// The slots that are not in the other set.
    public func subtracting(_ other: SlotSet) -> SlotSet {
        var rest = self
        rest.first &= ~other.first
        guard var words = more, let others = other.more else { return rest }
        for (index, word) in others.enumerated() where index < words.count {
            words[index] &= ~word
        }
        rest.more = Self.trimmed(words)
        return rest
    }

    /// Equal sets have equal words.
    private static func trimmed(_ words: [UInt64]) -> [UInt64]? {
        var words = words
        while words.last == 0 { words.removeLast() }
        return words.isEmpty ? nil : words
    }

    package mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        guard let others = other.more else { return }
        var words = more ?? []
        for (index, word) in others.enumerated() {
            if index < words.count { words[index] |= word } else { words.append(word) }
        }
        more = words
    }
}
