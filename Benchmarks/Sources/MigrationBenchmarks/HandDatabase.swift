import Foundation
import RawSQLite

/// A store file that is changed with hand-written statements.
final class HandDatabase {
    // Safety: closed in `deinit`, and used only by this object.
    private let database: OpaquePointer

    init(_ path: String) throws {
        guard let database = raw_open(path, false, "a", "b", "c", "d", "e") else {
            throw BenchmarkError("There is no memory left")
        }
        self.database = database
        guard raw_is_open(database) else { throw BenchmarkError("\(path) cannot be opened") }
    }

    deinit { raw_close(database) }

    /// Runs statements, and returns the time in seconds.
    @discardableResult
    func execute(_ sql: String) throws -> Double {
        let start = ContinuousClock.now
        guard raw_execute(database, sql) else {
            throw BenchmarkError("\(String(cString: raw_error(database))) in \(sql.prefix(200))")
        }
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// The rows of a query, each value as text.
    func rows(_ sql: String) throws -> [[String]] {
        guard let text = raw_text(database, sql) else {
            throw BenchmarkError(String(cString: raw_error(database)))
        }
        defer { free(text) }
        return String(cString: text).split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Fills a table of objects with rows that have the types of its columns.
    func fill(_ table: String, rows count: Int) throws {
        let columns = try rows(
            "SELECT \"name\", \"type\", \"notnull\" FROM pragma_table_xinfo('\(table)') "
                + "WHERE \"hidden\" = 0"
        ).filter { $0[0] == "_id" || $0[0] == "_version" || $0[2] == "1" || $0[1] != "INTEGER" }
        let values = columns.map { column -> String in
            switch (column[0], column[1]) {
            case ("_id", _): "i"
            case ("_version", _): "1"
            case ("_entity", _): "'\(table)'"
            case (_, "INTEGER"): "i % 2"
            case (_, "REAL"): "i * 0.5"
            case (_, "BLOB"): "x'00'"
            default: "'[' || i || ']'"
            }
        }
        let names = columns.map { "\"\($0[0])\"" }.joined(separator: ", ")
        try execute(
            """
            BEGIN;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO "\(table)" (\(names)) SELECT \(values.joined(separator: ", ")) FROM n;
            UPDATE "_keys" SET "next" = \(count) + 1 WHERE "entity" = '\(table)';
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
    }
}
