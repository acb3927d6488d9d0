import CambiumSQLite
import Testing

struct StatementCacheTests {
    @Test func `a statement is compiled once for as long as it is used`() throws {
        let connection = try Connection(path: ":memory:")
        let first = try connection.statement("SELECT 1")
        for _ in 0..<5 { #expect(try connection.statement("SELECT 1") === first) }
        #expect(connection.statementCount == 1)
    }

    @Test func `of ever new texts a limited number is kept, those that were used last`() throws {
        let connection = try Connection(path: ":memory:")
        let kept = try connection.statement("SELECT 'kept'")
        for number in 0..<1000 {
            _ = try connection.rows("SELECT \(number)")
            #expect(try connection.statement("SELECT 'kept'") === kept)
        }
        #expect(connection.statementCount <= 200)
        #expect(connection.statementCount > 100)
    }

    @Test func `a statement that is let go of while it runs goes on`() throws {
        let connection = try Connection(path: ":memory:")
        let running = try connection.statement("VALUES (1), (2), (3)")
        #expect(try running.step())
        for number in 0..<500 { _ = try connection.statement("SELECT \(number)") }
        #expect(try running.step())
        #expect(running.integer(at: 0) == 2)
    }
}
