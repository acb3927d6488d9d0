/// Finds the rows of a list by their keys: which chunk has a key, and where that chunk is.
struct ChunkDirectory {
    private var table = ChunkTable()
    /// Where the chunk of each number is among the chunks.
    private var positions: [Int32] = []
    /// Numbers that no chunk has.
    private var unused: [Int] = []

    init() {}

    /// The directory of rows that are there.
    init<Entity>(of rows: ResultRows<Entity>) {
        let end = (rows.chunks.map(\.number).max() ?? -1) + 1
        positions = Array(repeating: -1, count: end)
        unused = Array(Set(0..<end).subtracting(rows.chunks.map(\.number)))
        table.reserve(rows.count)
        for chunk in rows.chunks {
            for row in chunk.rows { table.insert(row.key, in: chunk.number) }
        }
        locate(rows.chunks)
    }

    /// A number for a new chunk.
    mutating func makeNumber() -> Int {
        if let number = unused.popLast() { return number }
        positions.append(-1)
        return positions.count - 1
    }

    mutating func release(_ number: Int) {
        unused.append(number)
    }

    mutating func insert(_ key: Int64, in chunk: Int) {
        table.insert(key, in: chunk)
    }

    mutating func remove(_ key: Int64, from chunk: Int) {
        table.remove(key, from: chunk)
    }

    mutating func move(_ rows: [ResultRow], from chunk: Int, to other: Int) {
        for row in rows { table.move(row.key, from: chunk, to: other) }
    }

    mutating func reserve(_ count: Int) {
        table.reserve(count)
    }

    /// Takes note of where the chunks are, after some came or went.
    mutating func locate<Entity>(_ chunks: [ResultChunk<Entity>]) {
        for (position, chunk) in chunks.enumerated() {
            positions[chunk.number] = Int32(truncatingIfNeeded: position)
        }
    }

    /// The index of the row with a key.
    func index<Entity>(of key: Int64, in rows: ResultRows<Entity>) -> Int? {
        table.first(key) { number in
            let position = Int(positions[number])
            return rows.chunks[position].offset(of: key).map { rows.start(of: position) + $0 }
        }
    }
}
