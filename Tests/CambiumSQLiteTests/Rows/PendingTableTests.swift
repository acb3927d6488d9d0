import CambiumModel
import Testing

@testable import CambiumRecords
@testable import CambiumSQLite

struct PendingTableTests {
    private let shape = RecordShape(kinds: [.integer, .text, .blob, .real])

    private func record(
        _ writer: RecordWriter, _ key: Int64, _ values: [StoredValue]
    ) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        placed.record.key = key
        placed.record.version = key * 10
        for (slot, value) in values.enumerated() { writer.set(value, slot, of: &placed, shape) }
        return placed
    }

    @Test func `one statement inserts all records`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, v, a, b, c, d)")
        let writer = RecordWriter()
        let rows: [[StoredValue]] = [
            [.integer(1), .text("é"), .blob(Data([1, 2])), .real(0.5)],
            [.null, .null, .null, .null],
            [.integer(0), .text(""), .blob(Data()), .real(-1)],
        ]
        let placed = rows.enumerated().map { record(writer, Int64($0 + 1), $1) }
        let count = try connection.runPending(
            "INSERT INTO t SELECT key, version, c0, c1, c2, c3 FROM pending",
            over: placed.map(\.record), shape: shape)
        #expect(count == 3)
        let found = try connection.rows("SELECT id, v, a, b, c, d FROM t ORDER BY id")
        for (index, row) in rows.enumerated() {
            let key = Int64(index + 1)
            #expect(found[index] == [.integer(key), .integer(key * 10)] + row)
        }
        withExtendedLifetime(placed) {}
    }

    @Test func `columns beyond the record's slots are nil`() throws {
        let connection = try Connection(path: ":memory:")
        let writer = RecordWriter()
        let placed = record(writer, 1, [.integer(1)])
        var seen: [StoredValue] = []
        try connection.queryPending(
            "SELECT c3, c4, c1997 FROM pending", over: [placed.record], shape: shape
        ) { statement in
            seen = (0..<3).map { statement.value(at: $0) }
        }
        #expect(seen == [.null, .null, .null])
        withExtendedLifetime(placed) {}
    }

    @Test func `the table is empty again after a statement`() throws {
        let connection = try Connection(path: ":memory:")
        let writer = RecordWriter()
        let placed = record(writer, 1, [.integer(1)])
        var rows = 0
        try connection.queryPending(
            "SELECT key FROM pending", over: [placed.record], shape: shape
        ) { _ in rows += 1 }
        #expect(rows == 1)
        #expect(try connection.rows("SELECT key FROM pending").isEmpty)
        withExtendedLifetime(placed) {}
    }
}
