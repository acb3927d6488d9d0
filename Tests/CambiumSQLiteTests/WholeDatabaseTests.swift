import CambiumModel
import CambiumSQLite
import Foundation
import Testing

/// What is done to a database as a whole.
struct WholeDatabaseTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "cambium-\(UUID().uuidString).sqlite").path()
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try body(path)
    }

    @Test func `a database is emptied under the eyes of who reads it`() throws {
        try withFile { path in
            let writer = try Connection(path: path)
            try writer.beginWriteAheadLog()
            try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let reader = try Connection(path: path)
            try reader.beginReading()
            #expect(try reader.rows("SELECT a FROM t") == [[.integer(1)]])
            try Connection(path: path).emptyDatabase()
            // A transaction that has begun sees what it saw.
            #expect(try reader.rows("SELECT a FROM t") == [[.integer(1)]])
            reader.rollBack()
            #expect(throws: SQLiteError.self) { try reader.rows("SELECT a FROM t") }
            #expect(try reader.rows("SELECT * FROM sqlite_schema").isEmpty)
            try writer.execute("CREATE TABLE u (a)")
            #expect(try reader.rows("PRAGMA integrity_check") == [[.text("ok")]])
        }
    }

    @Test func `a copy is what the transaction sees that it is made in`() throws {
        try withFile { path in
            let writer = try Connection(path: path)
            try writer.beginWriteAheadLog()
            try writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let reader = try Connection(path: path)
            try reader.beginReading()
            try writer.execute("INSERT INTO t VALUES (2)")
            let copy = try Connection(path: ":memory:")
            try reader.copy(to: copy, named: "memory")
            #expect(try copy.rows("SELECT a FROM t") == [[.integer(1)]])
            reader.rollBack()
            try reader.copy(to: copy, named: "memory")
            #expect(try copy.rows("SELECT a FROM t") == [[.integer(1)], [.integer(2)]])
        }
    }

    @Test func `a copy is asked whether to go on after each few pages`() throws {
        try withFile { path in
            let connection = try Connection(path: ":memory:")
            try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(4000000))")
            var seen: [(copied: Int, total: Int)] = []
            let error = #expect(throws: SQLiteError.self) {
                try connection.backup(to: path) { copied, total in
                    seen.append((copied, total))
                    return seen.count < 3
                }
            }
            #expect(error?.primaryCode == 9)
            #expect(seen.count == 3)
            #expect(seen.map(\.copied) == seen.map(\.copied).sorted())
            #expect(seen.allSatisfy { $0.total > $0.copied && $0.copied > 0 })
        }
    }

    @Test func `a connection that is to write an existing file makes none`() throws {
        try withFile { path in
            #expect(throws: SQLiteError.self) { try Connection(path: path, mode: .readWrite) }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }
}
