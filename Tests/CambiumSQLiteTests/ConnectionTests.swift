import CambiumModel
import Foundation
import Testing

@testable import CambiumSQLite

struct ConnectionTests {
    private func pragma(_ name: String, of connection: Connection) throws -> StoredValue? {
        try connection.rows("PRAGMA \(name)").first?.first
    }

    @Test func `every connection is hardened`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try pragma("foreign_keys", of: connection) == .integer(1))
        #expect(try pragma("cell_size_check", of: connection) == .integer(1))
        #expect(try pragma("trusted_schema", of: connection) == .integer(0))
        #expect(throws: SQLiteError.self) { try connection.execute("SELECT \"no column\"") }
        #expect(throws: SQLiteError.self) {
            try connection.execute("SELECT load_extension('x')")
        }
    }

    @Test func `the writer of a file keeps a log and no checkpoints of SQLite's own`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let connection = try Connection(path: folder.appending(path: "a.sqlite").path)
        try connection.beginWriteAheadLog()
        #expect(try pragma("journal_mode", of: connection) == .text("wal"))
        #expect(try pragma("synchronous", of: connection) == .integer(1))
        #expect(try pragma("wal_autocheckpoint", of: connection) == .integer(0))
        try connection.execute("CREATE TABLE t(x)")
        #expect(connection.logPages > 0)
        connection.checkpoint()
        #expect(connection.logPages == 0)
    }

    @Test func `random values can be the same in each run, and differ within it`() throws {
        let query = "SELECT random(), randomblob(16) UNION ALL SELECT random(), randomblob(16)"
        let runs = try (0..<2).map { _ in
            let connection = try Connection(path: ":memory:")
            try connection.seedRandomFunctions()
            return try connection.rows(query)
        }
        #expect(runs[0] == runs[1])
        #expect(Set(runs[0].flatMap(\.self)).count == 4)
        #expect(try Connection(path: ":memory:").rows(query) != runs[0])
    }

    @Test func `a file may be called like a URI`() throws {
        // As a URI it would be a database in memory, and be opened.
        let path = "file:/no-such-folder-\(UUID().uuidString)/a?mode=memory"
        #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readWrite) }
    }

    @Test func `a transaction that throws leaves nothing`() throws {
        struct Failure: Error {}
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(x)")
        #expect(throws: Failure.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Failure()
            }
        }
        #expect(try connection.rows("SELECT * FROM t").isEmpty)
        #expect(!connection.isInTransaction)
    }

    @Test(arguments: [
        StoredValue.null, .integer(.max), .real(.infinity), .text("a'b\u{301}"), .text(""),
        .blob(Data()), .blob(Data([0, 1])),
    ])
    func `a value is bound and read back`(_ value: StoredValue) throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.rows("SELECT ?", [value]) == [[value]])
    }

    @Test func `an error names the statement and hides the values`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(x CONSTRAINT small CHECK (x < 3))")
        let error = #expect(throws: SQLiteError.self) {
            try connection.rows("INSERT INTO t VALUES (?)", [.integer(987_654)])
        }
        #expect(error?.code == 275)
        #expect(error?.message.contains("small") == true)
        #expect(error?.description.contains("987654") == false)
    }

    @Test func `a backup is the database as it is`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (5)")
        try connection.backup(to: path)
        let copy = try Connection(path: path, mode: .readOnly)
        #expect(try copy.rows("SELECT x FROM t") == [[.integer(5)]])
    }
}
