import CambiumModel
import CambiumSQLite
import Synchronization
import Testing

struct StatementTraceTests {
    private final class Log: Sendable {
        let lines = Mutex<[String]>([])

        func settings(includesValues: Bool = false) -> ConnectionSettings {
            var settings = ConnectionSettings()
            settings.observer = StatementObserver(includesValues: includesValues) { [self] record in
                let plan = (try? record.connection.plan(of: record.sql)) ?? []
                let text = record.expandedSQL ?? record.sql
                lines.withLock { $0.append("\(text) | \(record.rowCount) | \(plan.joined())") }
            }
            return settings
        }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    @Test func `each statement is told once, with its rows and its plan`() throws {
        let log = Log()
        let connection = try Connection(path: ":memory:", settings: log.settings())
        try connection.execute("CREATE TABLE t (a); CREATE INDEX i ON t (a)")
        _ = log.take()
        _ = try connection.rows("INSERT INTO t VALUES (?), (2), (3)", [.integer(1)])
        #expect(log.take() == ["INSERT INTO t VALUES (?), (2), (3) | 3 | SCAN 3 CONSTANT ROWS"])
        #expect(try connection.rows("SELECT a FROM t WHERE a > 1").count == 2)
        #expect(
            log.take() == [
                "SELECT a FROM t WHERE a > 1 | 2 | SEARCH t USING COVERING INDEX i (a>?)"
            ])
    }

    @Test func `values are told only where they are asked for`() throws {
        let log = Log()
        let connection = try Connection(
            path: ":memory:", settings: log.settings(includesValues: true))
        _ = log.take()
        _ = try connection.rows("SELECT ?", [.text("it's")])
        #expect(log.take() == ["SELECT 'it''s' | 1 | SCAN CONSTANT ROW"])
    }

    @Test func `what a trigger runs is part of its statement`() throws {
        let log = Log()
        let connection = try Connection(path: ":memory:", settings: log.settings())
        try connection.execute(
            """
            CREATE TABLE t (a); CREATE TABLE u (a); \
            CREATE TRIGGER x AFTER INSERT ON t BEGIN INSERT INTO u VALUES (new.a); END
            """)
        _ = log.take()
        try connection.execute("INSERT INTO t VALUES (1)")
        #expect(log.take().map { $0.prefix(13) } == ["INSERT INTO t"])
    }

    @Test func `a statement that fails is told, too`() throws {
        let log = Log()
        let connection = try Connection(path: ":memory:", settings: log.settings())
        try connection.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
        _ = log.take()
        #expect(throws: SQLiteError.self) {
            try connection.rows("INSERT INTO t VALUES (?)", [.integer(1)])
        }
        #expect(log.take().count == 1)
    }

    @Test func `a scan that hands rows on counts them`() throws {
        let log = Log()
        let connection = try Connection(path: ":memory:", settings: log.settings())
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
        _ = log.take()
        try connection.scan("SELECT sink(a) FROM t", []) { _ in }
        #expect(log.take() == ["SELECT sink(a) FROM t | 3 | SCAN t"])
    }
}
