/// In which chunk of a list the row of a key is: an open-addressing table with eight bytes to a
/// bucket.
///
/// A bucket holds half of the key's hash and the chunk's number; whether it is the very key, the
/// chunk itself says.
struct ChunkTable {
    /// The upper half is that of the hash, the lower half the chunk's number and 1; 0 is free.
    private var buckets: [UInt64] = []
    private var count = 0
    /// The number of bits that say where the search begins.
    private var bits = 0

    /// What is found in the chunk that has the key.
    ///
    /// - Parameter find: Looks for the key in a chunk, of which there may be several candidates.
    func first<Found>(_ key: Int64, _ find: (_ chunk: Int) -> Found?) -> Found? {
        guard count > 0 else { return nil }
        let hash = Self.hash(of: key)
        var index = home(of: hash)
        while buckets[index] != 0 {
            let bucket = buckets[index]
            if bucket >> 32 == hash, let found = find(Self.chunk(in: bucket)) { return found }
            index = next(index)
        }
        return nil
    }

    mutating func insert(_ key: Int64, in chunk: Int) {
        if (count + 1) * 5 > buckets.count * 4 { grow(to: count + 1) }
        place(Self.bucket(Self.hash(of: key), chunk))
        count += 1
    }

    mutating func move(_ key: Int64, from chunk: Int, to other: Int) {
        let hash = Self.hash(of: key)
        guard let index = index(of: Self.bucket(hash, chunk)) else { return }
        buckets[index] = Self.bucket(hash, other)
    }

    mutating func remove(_ key: Int64, from chunk: Int) {
        guard var hole = index(of: Self.bucket(Self.hash(of: key), chunk)) else { return }
        count -= 1
        // Those behind that began before the hole move up, so that no search ends too early.
        var index = next(hole)
        while buckets[index] != 0 {
            let distance = (index &- home(of: buckets[index] >> 32)) & (buckets.count - 1)
            if distance >= (index &- hole) & (buckets.count - 1) {
                buckets[hole] = buckets[index]
                hole = index
            }
            index = next(index)
        }
        buckets[hole] = 0
    }

    /// Makes room for so many keys.
    mutating func reserve(_ count: Int) {
        if count * 5 > buckets.count * 4 { grow(to: count) }
    }

    // MARK: Buckets

    /// Half a hash that spreads neighbouring keys evenly.
    private static func hash(of key: Int64) -> UInt64 {
        (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) >> 32
    }

    private static func bucket(_ hash: UInt64, _ chunk: Int) -> UInt64 {
        hash << 32 | UInt64(UInt32(truncatingIfNeeded: chunk)) + 1
    }

    private static func chunk(in bucket: UInt64) -> Int {
        Int(bucket & 0xFFFF_FFFF) - 1
    }

    private func home(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> UInt64(32 - bits))
    }

    private func next(_ index: Int) -> Int {
        (index + 1) & (buckets.count - 1)
    }

    private func index(of bucket: UInt64) -> Int? {
        guard count > 0 else { return nil }
        var index = home(of: bucket >> 32)
        while buckets[index] != bucket {
            if buckets[index] == 0 { return nil }
            index = next(index)
        }
        return index
    }

    private mutating func place(_ bucket: UInt64) {
        var index = home(of: bucket >> 32)
        while buckets[index] != 0 { index = next(index) }
        buckets[index] = bucket
    }

    private mutating func grow(to count: Int) {
        let old = buckets
        bits = 3
        while count * 5 > (1 << bits) * 4 { bits += 1 }
        buckets = Array(repeating: 0, count: 1 << bits)
        for bucket in old where bucket != 0 { place(bucket) }
    }
}
