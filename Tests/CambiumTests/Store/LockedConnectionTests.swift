import CambiumModel
import CambiumSQLite
import Testing

@testable import Cambium
@testable import CambiumSQLiteStore

/// What the user of a connection learns of errors.
@Suite(.onSQLite("They are about connections of SQLite."))
struct LockedConnectionTests {
    private let connection: LockedConnection

    init() throws {
        connection = LockedConnection(try Connection(path: ":memory:"), for: nil)
    }

    /// A statement that fails because a function of ours does.
    private func match(_ connection: Connection) throws {
        _ = try connection.rows(
            "SELECT cambium_text(?, 'MATCHES', '(a*)*\\1b', 0)",
            [.text(String(repeating: "a", count: 40))])
    }

    @Test func `what a function of ours has thrown is thrown`() {
        #expect(throws: PatternLimitError.self) { try connection.withLock(match) }
        #expect(throws: PatternLimitError.self) { try connection.withoutLock(match) }
    }

    @Test func `it is not the reason of the next error`() {
        #expect(throws: CancellationError.self) {
            try connection.withLock { connection in
                do { try match(connection) } catch is SQLiteError { throw CancellationError() }
            }
        }
        #expect(throws: SQLiteError.self) { try connection.withLock { try $0.execute("x") } }
    }
}
