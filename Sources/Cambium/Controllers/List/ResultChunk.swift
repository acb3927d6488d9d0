/// A chunk of adjacent rows of a list.
///
/// A chunk is changed only by its single owner; see ``ResultRows``.
final class ResultChunk {
    /// The number of the chunk in the table of keys.
    let number: Int
    var rows: [ResultRow]
    /// The objects of the rows; empty if the list keeps only keys.
    var objects: [ManagedObject]
    /// The values that the rows are sorted by, row by row.
    var values: [Value]

    init(number: Int, rows: [ResultRow] = [], objects: [ManagedObject] = [], values: [Value] = []) {
        self.number = number
        self.rows = rows
        self.objects = objects
        self.values = values
    }

    func copy() -> ResultChunk {
        ResultChunk(number: number, rows: rows, objects: objects, values: values)
    }

    /// The offset of a row in the chunk.
    func offset(of key: Int64) -> Int? {
        for offset in rows.indices where rows[offset].key == key { return offset }
        return nil
    }
}

/// A row of a controller's results.
struct ResultRow {
    let key: Int64
    /// The state of the object when its last change was reported.
    var seen: SeenState
}

extension ResultChunk {
    /// Reserves capacity for a number of rows.
    func reserve(_ count: Int, width: Int, keepsObjects: Bool) {
        rows.reserveCapacity(count)
        if keepsObjects { objects.reserveCapacity(count) }
        values.reserveCapacity(count * width)
    }

    func append(_ entry: ResultEntry, keepsObject: Bool) {
        rows.append(ResultRow(key: entry.key, seen: entry.seen))
        if keepsObject, let object = entry.object { objects.append(object) }
        values.append(contentsOf: entry.keys)
    }

    /// Appends rows of another chunk.
    func append(_ other: ResultChunk, _ range: Range<Int>, width: Int) {
        rows.append(contentsOf: other.rows[range])
        if !other.objects.isEmpty { objects.append(contentsOf: other.objects[range]) }
        values.append(contentsOf: other.values[range.lowerBound * width..<range.upperBound * width])
    }

    /// Removes the last rows, and returns them as a new chunk.
    func split(_ range: Range<Int>, number: Int, width: Int) -> ResultChunk {
        let part = ResultChunk(number: number)
        part.append(self, range, width: width)
        rows.removeLast(range.count)
        if !objects.isEmpty { objects.removeLast(range.count) }
        values.removeLast(range.count * width)
        return part
    }

    /// Releases the memory of removed rows: an array that shrinks keeps its capacity.
    func trim() {
        func copy<Element>(_ elements: [Element]) -> [Element] {
            var copy: [Element] = []
            copy.reserveCapacity(elements.count)
            copy.append(contentsOf: elements)
            return copy
        }
        (rows, objects, values) = (copy(rows), copy(objects), copy(values))
    }

    /// Removes the rows at ascending offsets.
    func remove(at offsets: [Int], width: Int) {
        rows.remove(at: offsets, width: 1)
        if !objects.isEmpty { objects.remove(at: offsets, width: 1) }
        values.remove(at: offsets, width: width)
    }

    /// Inserts rows before the rows that are at ascending offsets now.
    func insert(
        _ entries: ArraySlice<ResultEntry>, before offsets: [Int], width: Int, keepsObjects: Bool
    ) {
        let first = entries.startIndex
        rows.insert(before: offsets, width: 1) { row, _ in
            ResultRow(key: entries[first + row].key, seen: entries[first + row].seen)
        }
        if keepsObjects {
            let arriving = entries.compactMap { $0.object }
            objects.insert(before: offsets, width: 1) { row, _ in arriving[row] }
        }
        values.insert(before: offsets, width: width) { row, part in
            entries[first + row].keys[part]
        }
    }
}

extension Array {
    /// The number of rows up to which single insertions and removals are faster. They move the
    /// memory after each position; the alternative swaps elements, and each swap changes reference
    /// counts.
    private static var few: Int { 64 }

    /// Removes rows of `width` elements each, at ascending offsets. Each remaining element moves
    /// once.
    fileprivate mutating func remove(at offsets: [Int], width: Int) {
        if offsets.count <= Self.few {
            for offset in offsets.reversed() {
                removeSubrange(offset * width..<(offset + 1) * width)
            }
            return
        }
        var target = offsets[0] * width
        for (number, offset) in offsets.enumerated() {
            let end = number + 1 < offsets.count ? offsets[number + 1] * width : count
            for source in (offset + 1) * width..<end {
                swapAt(source, target)
                target += 1
            }
        }
        removeLast(offsets.count * width)
    }

    /// Inserts rows of `width` elements each, before the rows at ascending offsets. Each existing
    /// element moves once.
    ///
    /// - Parameter element: Returns an element by the number of its row and its index in the row.
    fileprivate mutating func insert(
        before offsets: [Int], width: Int, _ element: (_ row: Int, _ part: Int) -> Element
    ) {
        if offsets.count <= Self.few {
            for row in offsets.indices.reversed() {
                for part in 0..<width {
                    insert(element(row, part), at: offsets[row] * width + part)
                }
            }
            return
        }
        guard width > 0 else { return }
        // From the end, so that each element moves before its position is overwritten.
        var source = count
        append(contentsOf: repeatElement(element(0, 0), count: offsets.count * width))
        var target = count
        for row in offsets.indices.reversed() {
            while source > offsets[row] * width {
                source -= 1
                target -= 1
                swapAt(source, target)
            }
            for part in (0..<width).reversed() {
                target -= 1
                self[target] = element(row, part)
            }
        }
    }
}

/// Maps the keys of a list's rows to their chunks: an open-addressing table with eight bytes for
/// each bucket.
///
/// A bucket has half of the key's hash and the chunk's number. The chunk itself decides whether it
/// has the key.
struct ChunkTable {
    /// The upper half is the hash, the lower half the chunk's number plus 1; 0 means free.
    private var buckets: [UInt64] = []
    private var count = 0
    /// The number of hash bits that select the first bucket.
    private var bits = 0

    /// Returns the result of a search in the chunk that has the key.
    ///
    /// - Parameter find: Searches a chunk for the key. There may be several candidates.
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
        // Later buckets with a home before the hole move up, so that no search ends too early.
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

    /// Reserves capacity for a number of keys.
    mutating func reserve(_ count: Int) {
        if count * 5 > buckets.count * 4 { grow(to: count) }
    }

    // MARK: Buckets

    /// Returns half of a hash that distributes neighbouring keys evenly.
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

/// Finds the rows of a list by their keys. It has the chunk of each key, and the position of each
/// chunk.
struct ChunkDirectory {
    private var table = ChunkTable()
    /// The number of each chunk, in the order of the chunks.
    private var numbers: [Int32] = []
    /// The position of the chunk with each number.
    private var positions: [Int32] = []
    /// Numbers without a chunk.
    private var unused: [Int] = []

    init() {}

    /// Creates the directory of existing rows.
    init(of rows: ResultRows) {
        numbers = rows.chunks.map { Int32(truncatingIfNeeded: $0.number) }
        let end = Int(numbers.max() ?? -1) + 1
        positions = Array(repeating: -1, count: end)
        unused = Array(Set(0..<end).subtracting(numbers.map { Int($0) }))
        table.reserve(rows.count)
        for chunk in rows.chunks {
            for row in chunk.rows { table.insert(row.key, in: chunk.number) }
        }
        locate(from: 0)
    }

    // MARK: Chunks

    /// Returns a number for a new chunk.
    mutating func makeNumber() -> Int {
        if let number = unused.popLast() { return number }
        positions.append(-1)
        return positions.count - 1
    }

    /// Records a chunk that was inserted at a position. Lookups fail until ``locate(from:)`` is
    /// called.
    mutating func insertChunk(_ number: Int, at position: Int) {
        numbers.insert(Int32(truncatingIfNeeded: number), at: position)
    }

    /// Records that the chunk at a position was removed. Lookups fail until ``locate(from:)`` is
    /// called.
    mutating func removeChunk(at position: Int) {
        unused.append(Int(numbers.remove(at: position)))
    }

    /// Updates the positions of the chunks from a position on.
    mutating func locate(from start: Int) {
        for position in start..<max(start, numbers.count) {
            positions[Int(numbers[position])] = Int32(truncatingIfNeeded: position)
        }
    }

    // MARK: Rows

    mutating func insert(_ key: Int64, in chunk: Int) {
        table.insert(key, in: chunk)
    }

    mutating func remove(_ key: Int64, from chunk: Int) {
        table.remove(key, from: chunk)
    }

    mutating func move(_ rows: some Sequence<ResultRow>, from chunk: Int, to other: Int) {
        for row in rows { table.move(row.key, from: chunk, to: other) }
    }

    mutating func reserve(_ count: Int) {
        table.reserve(count)
    }

    /// Returns the index of the row with a key.
    func index(of key: Int64, in rows: ResultRows) -> Int? {
        table.first(key) { number in
            let position = Int(positions[number])
            return rows.chunks[position].offset(of: key).map { rows.start(of: position) + $0 }
        }
    }
}
