import CambiumSQLite
import Testing

struct InterruptionTests {
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
        """

    @Test func `a statement that gives no row ends when that is asked for`() throws {
        let connection = try Connection(path: ":memory:")
        let interruption = Interruption()
        interruption.request()
        let error = #expect(throws: SQLiteError.self) {
            try connection.interruptible(by: interruption) { try connection.rows(Self.endless) }
        }
        #expect(error?.primaryCode == 9)
    }

    @Test func `afterwards the connection runs as before`() throws {
        let connection = try Connection(path: ":memory:")
        let interruption = Interruption()
        #expect(
            try connection.interruptible(by: interruption) { try connection.rows("SELECT 1") }
                == [[.integer(1)]])
        interruption.request()
        #expect(try connection.rows("SELECT 2") == [[.integer(2)]])
    }
}
