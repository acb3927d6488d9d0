/// Finds the rows of a list by their keys: which chunk has a key, and where that chunk is.
struct ChunkDirectory {
    private var table = ChunkTable()
    /// The number of each chunk, in the order of the chunks.
    private var numbers: [Int32] = []
    /// Where the chunk of each number is among the chunks.
    private var positions: [Int32] = []
    /// Numbers that no chunk has.
    private var unused: [Int] = []

    init() {}

    /// The directory of rows that are there.
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

    /// A number for a new chunk.
    mutating func makeNumber() -> Int {
        if let number = unused.popLast() { return number }
        positions.append(-1)
        return positions.count - 1
    }

    /// Takes note that a chunk has come to a place. Until ``locate(from:)`` nothing is found.
    mutating func insertChunk(_ number: Int, at position: Int) {
        numbers.insert(Int32(truncatingIfNeeded: number), at: position)
    }

    /// Takes note that the chunk of a place has gone. Until ``locate(from:)`` nothing is found.
    mutating func removeChunk(at position: Int) {
        unused.append(Int(numbers.remove(at: position)))
    }

    /// Takes note of where the chunks from a place on are now.
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

    /// The index of the row with a key.
    func index(of key: Int64, in rows: ResultRows) -> Int? {
        table.first(key) { number in
            let position = Int(positions[number])
            return rows.chunks[position].offset(of: key).map { rows.start(of: position) + $0 }
        }
    }
}
