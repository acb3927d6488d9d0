/// A dictionary from the keys of rows to values.
///
/// Keys are numbers that the store counts up, so a multiplication distributes them well enough. The
/// hashing of a general dictionary resists keys that an attacker chooses. It takes longer than all
/// other work on a row of the cache.
struct KeyTable<Value> {
    private var keys: [Int64] = []
    private var values: [Value] = []
    /// The indices into the lists, as a hash table with linear probing. Its size is a power of two,
    /// and at least a quarter of it is vacant.
    private var places: [Int32] = []

    private static var vacant: Int32 { -1 }

    init() {}

    /// Creates an empty table with a capacity.
    init(capacity: Int) {
        keys.reserveCapacity(capacity)
        values.reserveCapacity(capacity)
        makePlaces(for: capacity)
    }

    var count: Int { keys.count }

    var isEmpty: Bool { keys.isEmpty }

    @inline(__always)
    subscript(key: Int64) -> Value? {
        find(key).map { values[Int(places[$0])] }
    }

    /// Sets the value of a key.
    ///
    /// - Returns: Whether the key is new.
    mutating func updateValue(_ value: Value, forKey key: Int64) -> Bool {
        if let place = find(key) {
            values[Int(places[place])] = value
            return false
        }
        keys.append(key)
        values.append(value)
        if keys.count * 4 > places.count * 3 {
            makePlaces(for: keys.count * 2)
        } else {
            places[vacancy(for: key)] = Int32(truncatingIfNeeded: keys.count - 1)
        }
        return true
    }

    /// - Returns: Whether the key existed.
    mutating func removeValue(forKey key: Int64) -> Bool {
        guard let place = find(key) else { return false }
        let index = Int(places[place])
        close(place)
        // The last element takes its place in the lists.
        let last = keys.count - 1
        if index != last, let moved = find(keys[last]) {
            places[moved] = Int32(truncatingIfNeeded: index)
            keys[index] = keys[last]
            values[index] = values[last]
        }
        keys.removeLast()
        values.removeLast()
        return true
    }

    /// Makes a place vacant. Entries that were displaced by it move up, so that a search can end at
    /// the first vacancy.
    private mutating func close(_ place: Int) {
        var gap = place
        var next = after(gap)
        while places[next] != Self.vacant {
            let home = start(keys[Int(places[next])])
            if (next &- home) & (places.count - 1) >= (next &- gap) & (places.count - 1) {
                places[gap] = places[next]
                gap = next
            }
            next = after(next)
        }
        places[gap] = Self.vacant
    }

    @inline(__always)
    private func find(_ key: Int64) -> Int? {
        if keys.isEmpty { return nil }
        var place = start(key)
        while places[place] != Self.vacant {
            if keys[Int(places[place])] == key { return place }
            place = after(place)
        }
        return nil
    }

    private func vacancy(for key: Int64) -> Int {
        var place = start(key)
        while places[place] != Self.vacant { place = after(place) }
        return place
    }

    /// Returns the place to begin the search for a key.
    @inline(__always)
    private func start(_ key: Int64) -> Int {
        // 2⁶⁴ by the golden ratio: its multiples lie far apart.
        let spread = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: spread >> (64 - places.count.trailingZeroBitCount))
    }

    @inline(__always)
    private func after(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    private mutating func makePlaces(for capacity: Int) {
        var size = 16
        while size * 3 < capacity * 4 { size *= 2 }
        places = Array(repeating: Self.vacant, count: size)
        for (index, key) in keys.enumerated() {
            places[vacancy(for: key)] = Int32(truncatingIfNeeded: index)
        }
    }
}
