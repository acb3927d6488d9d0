import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// Stores that another program has changed.
struct DriftTests {
    private typealias Store = TestStore

    private static func model(
        _ version: String, more: [Attribute] = [], limits: Limits = Limits()
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "A", attributes: [Store.string("name", limits: limits)] + more,
                    indexes: [Index(name: "names", elements: [IndexElement(property: "name")])]),
                Entity(name: "B", attributes: [Store.string("word")]),
            ])
    }

    private func runner(
        _ policy: DriftPolicy = .refuse, of model: Model = Self.model("1"),
        _ migrations: [Migration] = []
    ) -> MigrationRunner {
        let runner = MigrationRunner(model: model, migrations: migrations)
        runner.driftPolicy = policy
        return runner
    }

    private func store(of model: Model = Self.model("1")) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        try connection.execute("INSERT INTO A (_id, name) VALUES (1, 'one')")
        return connection
    }

    private func name(ofIndexIn connection: Connection) throws -> String {
        let rows = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        return try #require(Store.text(rows).first?.first)
    }

    private func refusal(_ body: () throws -> MigrationOutcome) throws -> [StoreDifference] {
        let error = #expect(throws: MigrationError.self) { _ = try body() }
        guard case .storeDiffers(let differences)? = error else {
            Issue.record("\(error as Any)")
            return []
        }
        return differences
    }

    // MARK: The program's version

    @Test func `each object that differs is named`() throws {
        let connection = try store()
        let index = try name(ofIndexIn: connection)
        try connection.execute(
            """
            DROP INDEX "\(index)"; ALTER TABLE A ADD COLUMN extra TEXT; DROP TABLE B
            """)
        let differences = try refusal { try runner().open(connection) }
        #expect(differences.map(\.name) == ["A", index, "B"])
        #expect(differences.map(\.kind) == [.changed, .missing, .missing])
        #expect(differences[0].actual?.contains("extra") == true)
        #expect(differences[0].expected?.contains("extra") == false)
        #expect(differences[2].actual == nil)
        let text = "\(MigrationError.storeDiffers(differences))"
        #expect(text.contains("A (changed: extra added), \(index) (missing), B (missing)"))
    }

    @Test func `what is the model's own is repaired, and rows stay`() throws {
        let connection = try store()
        let index = try name(ofIndexIn: connection)
        try connection.execute("DROP INDEX \"\(index)\"; ALTER TABLE A ADD COLUMN extra TEXT")
        #expect(try runner(.repair).open(connection) == .refreshed(backup: nil))
        #expect(try runner().open(connection) == .current)
        #expect(try name(ofIndexIn: connection) == index)
        #expect(
            try Store.text(connection.rows("SELECT * FROM A")) == [["1", "1", "one"]])
    }

    @Test func `a repair makes a copy first, which has what goes`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-drift-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()
        _ = try runner().open(fileAt: path)
        try Connection(path: path).execute(
            """
            ALTER TABLE A ADD COLUMN extra TEXT;
            INSERT INTO A (_id, name, extra) VALUES (1, 'one', 'theirs')
            """)
        #expect(try runner(.repair).open(fileAt: path) == .refreshed(backup: path + ".backup-1"))
        #expect(
            try Connection(path: path + ".backup-1").rows("SELECT extra FROM A")
                == [[.text("theirs")]])
        #expect(try runner().open(fileAt: path) == .current)
    }

    @Test func `a store is opened as it is where that is asked for`() throws {
        let connection = try store()
        try connection.execute("ALTER TABLE A ADD COLUMN extra TEXT")
        #expect(try runner(.report).open(connection) == .current)
        #expect(try runner().differences(in: connection).map(\.name) == ["A"])
    }

    @Test func `what others have added beside the model's tables is their own`() throws {
        let connection = try store()
        try connection.execute(
            """
            CREATE TABLE theirs (a); CREATE INDEX theirs_a ON theirs (a);
            CREATE INDEX theirs_name ON A (name DESC);
            CREATE VIEW their_view AS SELECT name FROM A;
            CREATE TRIGGER their_trigger AFTER INSERT ON A BEGIN SELECT 1; END;
            ANALYZE
            """)
        #expect(try runner().open(connection) == .current)
        let differences = try runner().differences(in: connection)
        #expect(
            differences.map(\.name)
                == ["their_trigger", "their_view", "theirs", "theirs_a", "theirs_name"])
        #expect(differences.allSatisfy { $0.kind == .external })
    }

    @Test func `another spelling of the same table is no difference`() throws {
        let connection = try store()
        try connection.execute("ALTER TABLE A RENAME TO other; ALTER TABLE other RENAME TO A")
        #expect(try runner().open(connection) == .current)
    }

    // MARK: Earlier versions

    /// The chain 1 → 2 → 3, as a compiler notes it.
    private func chain() throws -> (models: [Model], migrations: [Migration]) {
        let models = [
            Self.model("1"),
            Self.model("2", more: [Store.string("second", optional: true)]),
            Self.model(
                "3",
                more: [
                    Store.string("second", optional: true), Store.string("third", optional: true),
                ]),
        ]
        let migrations = [
            try Migration(from: models[0], to: models[1]),
            try Migration(from: models[1], to: models[2]),
        ]
        return (models, migrations.noting(models.map { Schema(of: $0) }))
    }

    @Test func `a later version notes only what is new`() throws {
        let (_, migrations) = try chain()
        #expect(Set(migrations[0].objects.keys).isSuperset(of: ["A", "B", "_keys"]))
        #expect(Array(migrations[1].objects.keys) == ["A"])
    }

    @Test(arguments: [0, 1])
    func `a store of an earlier version is looked at before anything runs`(
        version: Int
    ) throws {
        let (models, migrations) = try chain()
        let connection = try store(of: models[version])
        let index = try name(ofIndexIn: connection)
        try connection.execute(
            "DROP INDEX \"\(index)\"; ALTER TABLE B ADD COLUMN extra TEXT; CREATE TABLE theirs (a)")
        let before = try Store.dump(connection)
        let differences = try refusal {
            try runner(of: models[2], migrations).open(connection)
        }
        #expect(differences.map(\.name) == [index, "B"])
        #expect(try Store.dump(connection) == before)
        let outcome = try runner(.repair, of: models[2], migrations).open(connection)
        guard case .migrated("\(version + 1)", "3", _, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try runner(of: models[2]).open(connection) == .current)
    }

    @Test func `a store of an earlier version that nobody touched is migrated`() throws {
        let (models, migrations) = try chain()
        for version in 0...1 {
            let connection = try store(of: models[version])
            guard case .migrated = try runner(of: models[2], migrations).open(connection) else {
                Issue.record("not migrated")
                return
            }
        }
    }

    @Test func `a store of another form of its version is not suspected`() throws {
        let (models, migrations) = try chain()
        // A limit is in the tables, and not in the version's hash.
        let connection = try store(of: Self.model("1", limits: Limits(minimumLength: 1)))
        guard case .migrated = try runner(of: models[2], migrations).open(connection) else {
            Issue.record("not migrated")
            return
        }
    }

    @Test func `a column that others have added is not lost with new checks`() throws {
        let connection = try store()
        try connection.execute("ALTER TABLE A ADD COLUMN extra TEXT")
        let strict = Self.model("1", limits: Limits(minimumLength: 1))
        #expect(try refusal { try runner(of: strict).open(connection) }.map(\.name) == ["A"])
        #expect(try connection.rows("SELECT extra FROM A") == [[.null]])
    }
}
