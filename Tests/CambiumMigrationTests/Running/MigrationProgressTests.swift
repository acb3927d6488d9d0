import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What is told of a migration while it runs, and how it is ended.
struct MigrationProgressTests {
    private typealias Store = TestStore

    private static let old = Store.model(
        "1", [Entity(name: "A", attributes: [Store.string("name"), Store.string("gone")])])
    private static let new = Store.model(
        "2", [Entity(name: "A", attributes: [Store.string("name")])], drops: [("A", "gone")])

    private func store(rows: Int) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.old, seed: nil)
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO A (_id, name, gone) SELECT i, 'name ' || i, 'x' FROM n
            """)
        return connection
    }

    private var runner: MigrationRunner {
        get throws {
            MigrationRunner(
                model: Self.new, migrations: [try Migration(from: Self.old, to: Self.new)])
        }
    }

    @Test func `every statement is told of, then the checks`() throws {
        var seen: [MigrationProgress] = []
        let runner = try runner
        runner.progress = { seen.append($0) }
        _ = try runner.open(try store(rows: 3))
        let total = try #require(seen.first).total
        #expect(seen.map(\.completed) == Array(0...total))
        #expect(seen.dropLast().allSatisfy { $0.phase == .migration })
        #expect(seen.last?.phase == .verification)
    }

    @Test func `the fraction grows with the rows, and never goes back`() throws {
        var seen: [MigrationProgress] = []
        let runner = try runner
        runner.progress = { seen.append($0) }
        _ = try runner.open(try store(rows: 5_000))
        let fractions = seen.map(\.fraction)
        #expect(fractions == fractions.sorted())
        #expect(fractions.allSatisfy { (0...1).contains($0) })
        // Nearly all of the work is to copy the rows.
        let rebuild = try #require(seen.firstIndex { $0.summary.hasPrefix("Rebuild") })
        let replacement = try #require(seen.firstIndex { $0.summary.contains("in place") })
        #expect(fractions[replacement] - fractions[rebuild] > 0.5)
    }

    @Test func `a statement that takes long ends soon after that was asked for`() throws {
        let connection = try store(rows: 20_000)
        let before = try connection.rows("SELECT count(*), sum(_id) FROM A")
        let runner = try runner
        var completed = 0
        var questions = 0
        runner.progress = { completed = $0.completed }
        runner.isCancelled = {
            if completed > 0 { questions += 1 }
            // The third question comes in the middle of the copy.
            return questions == 3
        }
        #expect(throws: MigrationError.cancelled) { try runner.open(connection) }
        #expect(questions == 3)
        // Not before one of the statements after it.
        #expect(completed == 1)
        #expect(try connection.rows("SELECT count(*), sum(_id) FROM A") == before)
        #expect(!connection.isInTransaction)
    }
}
