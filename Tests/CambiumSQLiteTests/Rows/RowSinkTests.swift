import CambiumModel
import Testing

@testable import CambiumRecords
@testable import CambiumSQLite

struct RowSinkTests {
    private struct Stopped: Error {}

    private func makeConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:")
        try connection.execute(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);
            INSERT INTO t VALUES (1, 'one'), (2, ''), (3, NULL), (4, 'four')
            """)
        return connection
    }

    @Test func `a scan hands on every row with its values`() throws {
        let connection = try makeConnection()
        var seen: [String] = []
        try connection.scan("SELECT sink(id, a) FROM t WHERE id <> ?", [.integer(2)]) { row in
            seen.append("\(row.integer(at: 0)) \(row.text(at: 1))")
        }
        #expect(seen == ["1 one", "3 ", "4 four"])
    }

    @Test func `a scan reads records as a stepped statement does`() throws {
        let connection = try makeConnection()
        let shape = RecordShape(kinds: [.text])
        let reader = RowReader(shape: shape, columns: [1], columnNames: ["a"])
        let writer = RecordWriter()
        var scanned: [StoredValue] = []
        try connection.scan("SELECT sink(id, a) FROM t", []) { row in
            let key = row.integer(at: 0)
            let placed = try reader.read(row, key: key, version: 1, into: writer)
            scanned.append(placed.record.storedValue(0, .text))
        }
        var stepped: [StoredValue] = []
        let statement = try connection.statement("SELECT id, a FROM t")
        while try statement.step() {
            let placed = try reader.read(
                statement.row, key: statement.integer(at: 0), version: 1, into: writer)
            stepped.append(placed.record.storedValue(0, .text))
        }
        #expect(scanned == [.text("one"), .text(""), .null, .text("four")])
        #expect(stepped == scanned)
    }

    @Test func `an error of the receiver ends the scan and is thrown`() throws {
        let connection = try makeConnection()
        var count = 0
        #expect(throws: Stopped.self) {
            try connection.scan("SELECT sink(id) FROM t", []) { _ in
                count += 1
                if count == 2 { throw Stopped() }
            }
        }
        #expect(count == 2)
    }

    @Test func `a scan works again after one that failed`() throws {
        let connection = try makeConnection()
        #expect(throws: Stopped.self) {
            try connection.scan("SELECT sink(id) FROM t", []) { _ in throw Stopped() }
        }
        var count = 0
        try connection.scan("SELECT sink(id) FROM t", []) { _ in count += 1 }
        #expect(count == 4)
    }

    @Test func `a value of another type than the model's is an error with its place`() throws {
        let connection = try makeConnection()
        let reader = RowReader(
            shape: RecordShape(kinds: [.integer]), columns: [1], columnNames: ["Thing.a"])
        let writer = RecordWriter()
        let error = #expect(throws: SQLiteError.self) {
            try connection.scan("SELECT sink(id, a) FROM t", []) { row in
                _ = try reader.read(row, key: row.integer(at: 0), version: 1, into: writer)
            }
        }
        #expect(error?.message.contains("Thing.a of row 1") == true)
    }
}
