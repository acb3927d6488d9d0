/// Values by the keys of rows.
///
/// A dictionary for one kind of key: keys are numbers that the store counts up, which a
/// multiplication spreads well enough. The hashing of a general dictionary, which has to withstand
/// keys chosen by an enemy, takes longer than all else that is done with a row of the cache.
struct KeyTable<Value> {
    /// No row has it.
    private static var vacant: Int64 { .min }

    /// For each place the key there; a power of two, of which a quarter at least is vacant.
    private var keys: [Int64] = []
    private var values: [Value?] = []
    private(set) var count = 0

    init() {}

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    subscript(key: Int64) -> Value? {
        count == 0 ? nil : place(of: key).flatMap { values[$0] }
    }

    mutating func reserveCapacity(_ capacity: Int) {
        if capacity * 4 > keys.count * 3 { grow(to: capacity) }
    }

    /// Puts a value in, in the place of one with the same key.
    ///
    /// - Returns: Whether there was none.
    mutating func updateValue(_ value: Value, forKey key: Int64) -> Bool {
        if key == Self.vacant { return false }
        if (count + 1) * 4 > keys.count * 3 { grow(to: count * 2) }
        var place = first(key)
        while keys[place] != Self.vacant {
            if keys[place] == key {
                values[place] = value
                return false
            }
            place = next(place)
        }
        keys[place] = key
        values[place] = value
        count += 1
        return true
    }

    /// - Returns: Whether it was there.
    mutating func removeValue(forKey key: Int64) -> Bool {
        guard count > 0, var gap = place(of: key) else { return false }
        count -= 1
        // Whoever had to give way to the one that goes moves up, so that a search ends at a gap.
        var place = next(gap)
        while keys[place] != Self.vacant {
            let home = first(keys[place])
            if (place &- home) & (keys.count - 1) >= (place &- gap) & (keys.count - 1) {
                keys[gap] = keys[place]
                values.swapAt(gap, place)
                gap = place
            }
            place = next(place)
        }
        keys[gap] = Self.vacant
        values[gap] = nil
        return true
    }

    @inline(__always)
    private func place(of key: Int64) -> Int? {
        if key == Self.vacant { return nil }
        var place = first(key)
        while keys[place] != Self.vacant {
            if keys[place] == key { return place }
            place = next(place)
        }
        return nil
    }

    /// Where the search for a key begins.
    @inline(__always)
    private func first(_ key: Int64) -> Int {
        // 2⁶⁴ by the golden ratio: its multiples lie far apart.
        let spread = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: spread >> 32) & (keys.count - 1)
    }

    @inline(__always)
    private func next(_ place: Int) -> Int { (place + 1) & (keys.count - 1) }

    private mutating func grow(to capacity: Int) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        let (oldKeys, oldValues) = (keys, values)
        keys = Array(repeating: Self.vacant, count: size)
        values = Array(repeating: nil, count: size)
        count = 0
        for case (let key, let value?) in zip(oldKeys, oldValues) {
            _ = updateValue(value, forKey: key)
        }
    }
}
