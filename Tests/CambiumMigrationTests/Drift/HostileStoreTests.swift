import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// Stores that somebody has made so that whoever opens them waits for ever, or does what he should
/// not.
struct HostileStoreTests {
    private typealias Store = TestStore

    private static func model(_ version: String, more: [Attribute] = []) -> Model {
        Store.model(
            version,
            [
                Entity(name: "A", attributes: [Store.string("name")] + more),
                Entity(name: "B", attributes: [Store.string("word")]),
            ])
    }

    /// A query that takes seconds. Without its condition it never ends; a test in which it runs is to
    /// fail, and not to hang.
    private static let endless = """
        WITH RECURSIVE e(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM e WHERE n < 8000000) \
        SELECT n AS _id, 1 AS _version, 'x' AS name, 'x' AS value, n AS extra FROM e
        """

    private func runner(
        _ policy: DriftPolicy = .refuse, of model: Model = Self.model("1"),
        _ migrations: [Migration] = []
    ) -> MigrationRunner {
        let runner = MigrationRunner(model: model, migrations: migrations)
        runner.driftPolicy = policy
        return runner
    }

    private func store(_ sql: String) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.model("1"), seed: nil)
        try connection.execute("INSERT INTO A (_id, name) VALUES (1, 'one')")
        try connection.execute(sql)
        return connection
    }

    private func write(_ sql: String, intoCatalogueOf connection: Connection) throws {
        try connection.withoutDefense {
            try connection.execute("PRAGMA writable_schema = ON; \(sql)")
            try connection.execute("PRAGMA writable_schema = RESET")
        }
        connection.forgetStatements()
    }

    private func migration() throws -> (Model, Migration) {
        let new = Self.model("2", more: [Store.string("more", optional: true)])
        return (new, try Migration(from: Self.model("1"), to: new))
    }

    private func withFile(_ connection: Connection, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "cambium-\(UUID().uuidString).sqlite").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try connection.backup(to: path)
        try body(path)
    }

    @Test(arguments: DriftPolicy.allCases, [true, false])
    func `a view in the place of a table is refused, and not read`(
        _ policy: DriftPolicy, _ isBehind: Bool
    ) throws {
        let connection = try store("DROP TABLE A; CREATE VIEW A AS \(Self.endless)")
        let (new, migration) = try migration()
        let runner = runner(policy, of: isBehind ? new : Self.model("1"), [migration])
        for allowsMigration in [true, false] where allowsMigration || !isBehind {
            runner.allowsMigration = allowsMigration
            let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
            #expect("\(error as Any)".contains("A is a view, and must be an ordinary table"))
        }
    }

    @Test func `a virtual table in the place of a table is refused, and not read`() throws {
        let connection = try store(
            "CREATE VIEW v AS \(Self.endless); DROP TABLE A; "
                + "CREATE VIRTUAL TABLE A USING fts5(name, content='v', content_rowid='_id')")
        let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
        #expect("\(error as Any)".contains("A is a virtual table, and must be an ordinary table"))
    }

    @Test(arguments: [
        "CREATE VIEW _metadata AS SELECT name, value FROM m",
        """
        CREATE TABLE _metadata (name, kept, value AS (kept));
        INSERT INTO _metadata SELECT name, value FROM m
        """,
    ])
    func `metadata that are queried or computed are not read`(_ sql: String) throws {
        let connection = try store(
            "CREATE TABLE m AS SELECT * FROM _metadata; DROP TABLE _metadata; \(sql)")
        for policy in DriftPolicy.allCases {
            #expect(throws: MigrationError.notAStore) { try runner(policy).open(connection) }
        }
    }

    @Test(arguments: ["name = 'other'", "type = 'table'", "type = 'index'"])
    func `SQLite holds the kind and the name in a catalogue against the text`(_ lie: String) throws
    {
        let connection = try store("DROP TABLE A; CREATE VIEW A AS \(Self.endless)")
        try write("UPDATE sqlite_schema SET \(lie) WHERE name = 'A'", intoCatalogueOf: connection)
        for policy in DriftPolicy.allCases {
            let error = #expect(throws: SQLiteError.self) { try runner(policy).open(connection) }
            #expect(error?.message.contains("malformed database schema") == true)
        }
    }

    @Test func `a column that another program computes is not looked into`() throws {
        let connection = try store("ALTER TABLE A ADD COLUMN extra TEXT AS (name || 'x')")
        let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
        guard case .storeDiffers(let differences)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(differences.map(\.parts).first?.first?.values == nil)
        #expect(differences.first?.obstacles == [])
    }

    @Test func `a column of the model's that is computed is named`() throws {
        let connection = try store(
            """
            DROP TABLE A; CREATE TABLE "A" ("_id" INTEGER PRIMARY KEY, \
            "_version" INTEGER NOT NULL DEFAULT 1, "name" TEXT AS (hex(_id))) STRICT
            """)
        try connection.execute("INSERT INTO A (_id) VALUES (1)")
        let error = #expect(throws: MigrationError.self) { try runner(.repair).open(connection) }
        #expect("\(error as Any)".contains("A has a column that another program computes"))
    }

    @Test func `of a text in the catalogue no second statement is run`() throws {
        let connection = try store("CREATE VIEW v AS SELECT 1")
        try write(
            "UPDATE sqlite_schema SET sql = sql || '; CREATE TABLE pwned (a)' WHERE name = 'v'",
            intoCatalogueOf: connection)
        let (new, migration) = try migration()
        #expect(throws: MigrationError.self) {
            try runner(of: new, [migration]).open(connection)
        }
        let names = try connection.rows("SELECT name FROM sqlite_schema WHERE name = 'pwned'")
        #expect(names.isEmpty)
        #expect(throws: SQLiteError.self) {
            try connection.executeAlone("CREATE TABLE one (a); CREATE TABLE two (a)")
        }
        #expect(throws: SQLiteError.self) { try connection.rows("SELECT * FROM one") }
        try connection.executeAlone("CREATE TABLE one (a) ; ")
    }

    @Test func `what does not come to an end is ended`() throws {
        let connection = try store("")
        let error = #expect(throws: MigrationError.self) {
            try connection.withBudget {
                _ = try connection.rows("SELECT count(*) FROM (\(Self.endless))")
            }
        }
        #expect("\(error as Any)".contains("has no end"))
    }

    @Test func `the status, the plan and a rehearsal read no view`() throws {
        let connection = try store("DROP TABLE A; CREATE VIEW A AS \(Self.endless)")
        let (new, migration) = try migration()
        try withFile(connection) { path in
            for runner in [runner(), runner(of: new, [migration])] {
                let maintenance = StoreMaintenance(runner, storeAt: path)
                let status = try maintenance.status()
                #expect(status.problem?.contains("A is a view") == true)
                #expect(throws: MigrationError.self) { try maintenance.apply() }
                #expect(throws: MigrationError.self) { try maintenance.plan() }
                #expect(throws: MigrationError.self) {
                    try runner.forecast(Connection(path: path), at: path)
                }
            }
        }
    }

    @Test func `counting for a plan goes through tables alone`() throws {
        let connection = try store(
            "CREATE VIEW v AS \(Self.endless); "
                + "CREATE VIRTUAL TABLE f USING fts5(name, content='v', content_rowid='_id')")
        let (new, migration) = try migration()
        let forecast = try runner(of: new, [migration]).forecast(connection, at: nil)
        #expect(forecast?.rows == 0)
    }

    @Test(arguments: [
        "CREATE VIEW mine AS SELECT 1",
        "CREATE TRIGGER mine AFTER INSERT ON A BEGIN SELECT 1; END",
        "CREATE TABLE mine (a)",
        "CREATE INDEX mine ON A (name)",
        "CREATE VIRTUAL TABLE mine USING rtree(a, b, c)",
        "CREATE TABLE _history_mine (a)",
    ])
    func `without trust, all that is none of the model's is refused`(_ sql: String) throws {
        let connection = try store("")
        let (new, migration) = try migration()
        for runner in [runner(), runner(of: new, [migration])] {
            runner.trustsExternalObjects = false
            try connection.execute("SAVEPOINT a; \(sql)")
            let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
            guard case .objectsAreNotTrusted(let objects)? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(objects.contains { $0.name.contains("mine") && $0.reason == .isNotTrusted })
            try connection.execute("ROLLBACK TO a; RELEASE a")
        }
    }

    @Test func `metadata of any length make short messages`() throws {
        for name in ["model", "version", "versionHash", "format"] {
            let connection = try store(
                "UPDATE _metadata SET value = hex(zeroblob(2000000)) WHERE name = '\(name)'")
            let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
            #expect("\(error as Any)".utf8.count < 1_000)
        }
    }

    @Test func `names of any length and number make short messages`() throws {
        let long = String(repeating: "x", count: 100_000)
        let columns = (0..<500).map { "ALTER TABLE A ADD COLUMN c\($0) TEXT;" }.joined()
        let connection = try store("\(columns) ALTER TABLE B ADD COLUMN \"\(long)\" TEXT")
        let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
        #expect("\(error as Any)".utf8.count < 10_000)
        #expect("\(error as Any)".contains("and 480 more"))
    }
}
