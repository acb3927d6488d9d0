import CambiumSQL
import CambiumSQLite

/// Values that wait, in the order in which they came: in memory as long as they are few, then in a
/// temporary database, which goes with the spool.
struct ImportSpool<Element: Codable> {
    private let codec = JSONCodec()
    private let sql = SpoolSQL(slotCount: 1)
    private let shape = RecordShape(kinds: [.blob])
    private var waiting: [Element] = []
    private var connection: Connection?
    /// How many are in the database, and how many of those were read.
    private var stored = 0
    private var position = 0
    /// How many were appended.
    private(set) var count = 0

    private let capacity = 1024

    /// Adds a value, before the first is read.
    mutating func append(_ element: Element) throws {
        waiting.append(element)
        count += 1
        if waiting.count >= capacity { try flush() }
    }

    /// The next values, up to so many; none at the end.
    mutating func next(_ limit: Int) throws -> [Element] {
        guard let connection, position < stored else {
            let next = Array(waiting.prefix(limit))
            waiting.removeFirst(next.count)
            return next
        }
        let end = min(stored, position + limit)
        let rows = try connection.rows(
            sql.read, [.integer(Int64(position)), .integer(Int64(end))])
        position = end
        return try rows.compactMap { row in
            guard row.count > 1, case .blob(let data) = row[1] else { return nil }
            return try data.withUnsafeBytes { try codec.value(of: $0) }
        }
    }

    private mutating func flush() throws {
        let connection = try self.connection ?? makeConnection()
        self.connection = connection
        let writer = RecordWriter()
        let records = try waiting.enumerated().map { index, element in
            var placed = writer.makeRecord(shape)
            placed.record.key = Int64(stored + index)
            writer.set(.blob(try codec.json(of: element)), 0, of: &placed, shape)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try connection.runPending(sql.append, over: records.map(\.record), shape: shape)
        }
        stored += waiting.count
        waiting = []
    }

    private func makeConnection() throws -> Connection {
        // A database without a name is a temporary file of SQLite's.
        let connection = try Connection(path: "")
        try connection.execute(sql.create)
        return connection
    }
}
