import CambiumRecords
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

struct QuestionTests {
    @Test func `a statement asks whether to go on, and ends where not`() throws {
        let connection = try Connection(path: ":memory:")
        var questions = 0
        let error = #expect(throws: SQLiteError.self) {
            try connection.asking(
                every: 100,
                {
                    questions += 1
                    return questions < 5
                }
            ) {
                try connection.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT count(*) FROM n
                    """)
            }
        }
        #expect(error?.primaryCode == 9)
        #expect(questions == 5)
        _ = try connection.rows("SELECT 1")
        #expect(questions == 5)
    }
}
