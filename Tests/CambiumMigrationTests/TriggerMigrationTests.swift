import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What becomes of triggers when a store's tables change.
struct TriggerMigrationTests {
    private typealias Store = TestStore

    private static let old = Store.model(
        "1", [Entity(name: "A", attributes: [Store.string("name")])])
    /// One column more: nothing that was there is touched.
    private static let wider = Store.model(
        "2",
        [
            Entity(
                name: "A", attributes: [Store.string("name"), Store.string("more", optional: true)])
        ])
    private static let renamed = Store.model(
        "2", [Entity(name: "A", attributes: [Store.string("title", from: "name")])])
    /// The same version with a limit, for which the table is built anew.
    private static let limited = Model(
        name: "Shop", version: "1",
        entities: [
            Entity(
                name: "A",
                attributes: [
                    Attribute(name: "name", type: .string, limits: Limits(maximumLength: 9))
                ])
        ])

    private func store(hasHistory: Bool = true) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.old, seed: nil)
        try connection.execute(
            """
            CREATE TABLE audit (what TEXT);
            CREATE TRIGGER mine AFTER INSERT ON A BEGIN INSERT INTO audit VALUES (NEW._id); END
            """)
        guard hasHistory else { return connection }
        let triggers = HistoryTriggers(of: Schema(of: Self.old), Self.old, .properties).triggers
        for statement in HistorySQL.createStatements + triggers.map(\.createStatement)
            + HistorySettings(content: .properties, epoch: UUID()).writeStatements
        { try connection.execute(statement) }
        try connection.execute("INSERT INTO A (_id, name) VALUES (1, 'a')")
        return connection
    }

    private func migrate(_ connection: Connection, to model: Model) throws {
        let migrations = try model.version == "1" ? [] : [Migration(from: Self.old, to: model)]
        _ = try MigrationRunner(model: model, migrations: migrations).open(connection)
    }

    private func count(_ table: String, _ connection: Connection) throws -> StoredValue? {
        try connection.rows("SELECT count(*) FROM \(table)").first?.first
    }

    private func floor(_ connection: Connection) throws -> StoredValue? {
        try connection.rows(HistorySQL.bounds).first?[3]
    }

    @Test(arguments: ["wider", "renamed", "limited"])
    func `another program's trigger survives`(_ name: String) throws {
        let models = ["wider": Self.wider, "renamed": Self.renamed, "limited": Self.limited]
        let model = try #require(models[name])
        let connection = try store(hasHistory: false)
        try migrate(connection, to: model)
        #expect(try count("audit", connection) == .integer(0))
        let column = name == "renamed" ? "title" : "name"
        try connection.execute("INSERT INTO A (_id, \(column)) VALUES (5, 'b')")
        #expect(try count("audit", connection) == .integer(1))
    }

    @Test func `a store whose checks change keeps its history, and goes on with it`() throws {
        let connection = try store()
        try migrate(connection, to: Self.limited)
        #expect(try count("_history_changes", connection) == .integer(1))
        try connection.execute("UPDATE A SET name = 'b'")
        #expect(try count("_history_changes", connection) == .integer(2))
    }

    @Test func `what a migration adds is in the history from then on`() throws {
        let connection = try store()
        try migrate(connection, to: Self.wider)
        #expect(try floor(connection) == .integer(0))
        try connection.execute("UPDATE A SET more = 'b'")
        let last = try connection.rows(
            "SELECT properties FROM _history_changes ORDER BY number DESC LIMIT 1")
        #expect(last == [[.text(" more")]])
    }

    @Test func `a migration that renames tells older changes by the new names`() throws {
        let connection = try store()
        try connection.execute("UPDATE A SET name = 'b'")
        try migrate(connection, to: Self.renamed)
        #expect(try floor(connection) == .integer(0))
        try connection.execute("UPDATE A SET title = 'c'")
        let lists = try connection.rows("SELECT properties FROM _history_changes ORDER BY number")
        #expect(lists == ["", " title", "", " title"].map { [.text($0)] })
        let transactions = try connection.rows(
            "SELECT first, last, author, context FROM _history_transactions ORDER BY last")
        #expect(
            transactions == [
                [.integer(1), .integer(2), .null, .null],
                [
                    .integer(3), .integer(3), .text("migration"),
                    .text("from version 1 to version 2"),
                ],
            ])
    }

    @Test func `a plan says what becomes of the history`() throws {
        let migration = try Migration(from: Self.old, to: Self.renamed)
        let runner = MigrationRunner(model: Self.renamed, migrations: [migration])
        let forecast = try runner.forecast(store(), at: nil)
        #expect(forecast?.history == .continues)
        let text = PlanReport(store: "a", forecast).text
        #expect(text.contains("History") && text.contains("continues, under the new names"))
        #expect(try runner.forecast(store(hasHistory: false), at: nil)?.history == nil)
    }

    @Test func `a migration whose changes nobody knows begins the history anew`() throws {
        let planned = try Migration(from: Self.old, to: Self.renamed)
        let migration = Migration(
            from: planned.from, to: planned.to, fromHash: planned.fromHash,
            toHash: planned.toHash, steps: planned.steps,
            history: MigrationHistory(obstacle: "Nobody knows"))
        let runner = MigrationRunner(model: Self.renamed, migrations: [migration])
        let connection = try store()
        let forecast = try runner.forecast(connection, at: nil)
        #expect(forecast?.history == .restarts(because: "Nobody knows"))
        _ = try runner.open(connection)
        #expect(try floor(connection) == .integer(1))
    }

    @Test func `of the program's own steps nobody knows what they change`() throws {
        let model = Model(
            name: Self.renamed.name, version: "2", entities: Self.renamed.entities,
            migration: MigrationDeclaration(from: "1", steps: [.init(name: "settle")]))
        let obstacle = try Migration(from: Self.old, to: model).history?.obstacle
        #expect(obstacle?.contains("own steps") == true)
    }
}
