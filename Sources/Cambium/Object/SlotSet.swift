/// A set of slot numbers.
struct SlotSet: Hashable, Sendable {
    private var first: UInt64 = 0
    private var more: [UInt64] = []

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

    /// The slots in ascending order.
    var slots: [Int] {
        ([first] + more).enumerated().flatMap { index, word in
            (0..<64).filter { word & (1 << UInt64($0)) != 0 }.map { index * 64 + $0 }
        }
    }

    mutating func formUnion(_ other: SlotSet) {
        first |= other.first
        for (index, word) in other.more.enumerated() {
            if index < more.count { more[index] |= word } else { more.append(word) }
        }
    }
}
