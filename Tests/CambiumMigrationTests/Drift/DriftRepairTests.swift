import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What a repair of what another program has changed does, and says before it does it.
struct DriftRepairTests {
    private typealias Store = TestStore

    /// Three versions: the second adds a column, the third makes the table anew.
    private static let models = [model("1"), model("2", added: true), model("3", renamed: true)]

    private static func model(
        _ version: String, added: Bool = false, renamed: Bool = false, unique: Bool = false
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "A",
                    attributes: [
                        Store.string(
                            renamed ? "title" : "name", from: renamed ? "name" : nil),
                        Store.string("kind", default: "it's"), Store.string("note", optional: true),
                    ] + (added || renamed ? [Store.string("more", optional: true)] : []),
                    relationships: [
                        Relationship(name: "b", destination: "B", isOptional: true)
                    ],
                    uniqueConstraints: unique ? [UniqueConstraint(properties: ["name"])] : []),
                Entity(name: "B", attributes: [Store.string("word", optional: true)]),
            ])
    }

    private func store(of model: Model, _ change: String) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        try connection.execute(
            """
            INSERT INTO B (_id) VALUES (1);
            INSERT INTO A (_id, name, kind, note) VALUES (1, 'one', 'k', 'n'), (7, 'seven', 'l', 'o')
            """)
        try connection.execute(change)
        return connection
    }

    private func runner(
        _ policy: DriftPolicy, to version: Int = 1, knowsAll: Bool = false
    ) throws -> MigrationRunner {
        let models = Array(Self.models.prefix(version))
        let migrations = try zip(models, models.dropFirst()).map {
            try Migration(from: $0, to: $1)
        }
        let runner = MigrationRunner(
            model: models[version - 1],
            migrations: migrations.noting(models.map { Schema(of: $0) }))
        runner.driftPolicy = policy
        if knowsAll {
            runner.earlierSchema = { store in
                models.first { $0.version == store.version }.map { Schema(of: $0) }
            }
        }
        return runner
    }

    /// The error's text; the store is as it was.
    private func refusal(
        _ runner: MigrationRunner, _ connection: Connection, _ comment: Comment? = nil
    ) throws -> (differences: [StoreDifference], text: String, ofTool: String) {
        let before = try Store.dump(connection)
        let error = #expect(throws: MigrationError.self, comment) { try runner.open(connection) }
        #expect(try Store.dump(connection) == before)
        let failure = try #require(error)
        guard case .storeDiffers(let differences) = failure else { throw failure }
        return (
            differences, "\(failure)", StoreFailure(failure, storeAt: "shop.sqlite")?.message ?? ""
        )
    }

    private static let noColumns = "ALTER TABLE A DROP COLUMN kind; ALTER TABLE A DROP COLUMN note"

    // MARK: What is gone

    @Test(arguments: [1, 2, 3], [false, true])
    func `a column that is gone is made again, with its default or nothing`(
        version: Int, knowsAll: Bool
    ) throws {
        let connection = try store(of: Self.models[0], Self.noColumns)
        let runner = try runner(.repair, to: version, knowsAll: knowsAll)
        // A program alone does not know what a table was like that is another one now.
        guard version < 3 || knowsAll else {
            let refusal = try refusal(runner, connection)
            #expect(
                refusal.differences.map(\.description)
                    == ["A (changed: kind missing, note missing)"])
            #expect(
                refusal.text.contains(
                    "cannot be repaired: only the model says how the store's version made A"))
            return
        }
        let found = try runner.differences(in: connection)
        #expect(found.map(\.description) == ["A (changed: kind missing, note missing)"])
        _ = try runner.open(connection)
        let name = version == 3 ? "title" : "name"
        #expect(
            try Store.text(connection.rows("SELECT _id, \(name), kind, note FROM A"))
                == [["1", "one", "it's", "nil"], ["7", "seven", "it's", "nil"]])
        #expect(try runner.open(connection) == .current)
        #expect(try runner.differences(in: connection).isEmpty)
    }

    @Test(arguments: [1, 2])
    func `a required column that is gone is not made up`(version: Int) throws {
        let connection = try store(of: Self.models[0], "ALTER TABLE A DROP COLUMN name")
        for policy in [DriftPolicy.refuse, .repair] {
            let refusal = try refusal(runner(policy, to: version), connection)
            let reason = "cannot be repaired: A.name has no value, and is required (2 rows)"
            #expect(refusal.text.contains("A (changed: name missing)"))
            #expect(refusal.text.contains(reason) && refusal.ofTool.contains(reason))
            #expect(!refusal.ofTool.contains("--drift"))
        }
        // There is nothing that could lack a name.
        try connection.execute("DELETE FROM A")
        _ = try runner(.repair, to: version).open(connection)
        #expect(try runner(.refuse, to: version).open(connection) == .current)
    }

    @Test(arguments: [1, 2])
    func `a table that is gone is made again, without rows`(version: Int) throws {
        let connection = try store(of: Self.models[0], "DROP TABLE A")
        let words = try refusal(runner(.refuse, to: version), connection).ofTool
        #expect(
            words.contains("--drift repair repair it after a copy was made (it creates A again"))
        _ = try runner(.repair, to: version).open(connection)
        #expect(try connection.rows("SELECT count(*) FROM A") == [[.integer(0)]])
        #expect(try runner(.refuse, to: version).open(connection) == .current)
    }

    @Test(arguments: ["DROP TABLE B", "ALTER TABLE B RENAME TO theirs"])
    func `a table that objects lead to is not made again without them`(change: String) throws {
        let connection = try store(
            of: Self.models[0], "UPDATE A SET b = 1; PRAGMA foreign_keys = OFF; \(change)")
        let text = try refusal(runner(.repair), connection).text
        #expect(text.contains("A.b references deleted objects of B (2 rows)"))
    }

    @Test func `a table that only the tool knows names the tool`() throws {
        let connection = try store(of: Self.models[0], "DROP TABLE A")
        let text = try refusal(runner(.repair, to: 3), connection).text
        #expect(text.contains("swift package cambium migrate apply --drift repair"))
        _ = try runner(.repair, to: 3, knowsAll: true).open(connection)
        #expect(try runner(.refuse, to: 3).open(connection) == .current)
    }

    @Test func `no number is given twice where the numbers are forgotten`() throws {
        let connection = try store(of: Self.models[0], "DROP TABLE _keys")
        _ = try runner(.repair, to: 2).open(connection)
        #expect(
            try Store.text(connection.rows("SELECT entity, next FROM _keys ORDER BY 1"))
                == [["A", "8"], ["B", "2"]])
    }

    @Test func `numbers whose entity is forgotten are not made up`() throws {
        let connection = try store(
            of: Self.models[0], "ALTER TABLE _keys RENAME COLUMN entity TO other")
        let text = try refusal(runner(.refuse), connection).text
        #expect(text.contains("cannot be repaired: _keys.entity has no value, and is required"))
    }

    // MARK: What goes

    @Test(arguments: [1, 2])
    func `values that a repair takes away are counted before`(version: Int) throws {
        let connection = try store(
            of: Self.models[0],
            "ALTER TABLE A ADD COLUMN extra TEXT; UPDATE A SET extra = 'x' WHERE _id = 7")
        let refusal = try refusal(runner(.refuse, to: version), connection)
        #expect(refusal.differences.first?.parts.first?.values == 1)
        #expect(refusal.ofTool.contains("A (changed: extra added (1 value))"))
        #expect(
            refusal.ofTool.contains(
                "let --drift repair repair it after a copy was made (it deletes A.extra "
                    + "(1 value)), or let --drift report leave it"))
    }

    // MARK: What rows do not allow

    @Test func `what would be refused is known before`() throws {
        let model = Self.model("1", unique: true)
        let index = try #require(Schema(of: model).table(named: "A")?.indexes.last?.name)
        let connection = try store(
            of: model, "DROP INDEX \"\(index)\"; UPDATE A SET name = 'same'")
        let runner = MigrationRunner(model: model)
        for policy in [DriftPolicy.refuse, .repair] {
            runner.driftPolicy = policy
            let refusal = try refusal(runner, connection)
            #expect(refusal.text.contains("two objects of A have the same name"), "\(refusal)")
            #expect(!refusal.ofTool.contains("--drift"))
        }
    }

    @Test func `a value that is no more required is asked for again`() throws {
        let connection = try store(
            of: Self.models[0],
            """
            CREATE TABLE n (_id INTEGER PRIMARY KEY, _version INTEGER NOT NULL DEFAULT 1, name TEXT,
            kind TEXT, note TEXT, b INTEGER) STRICT;
            INSERT INTO n (_id) VALUES (5); DROP TABLE A; ALTER TABLE n RENAME TO A
            """)
        let text = try refusal(runner(.repair), connection).text
        #expect(text.contains("A.name has no value, and is required (1 row)"))
        #expect(text.contains("A.kind has no value, and is required (1 row)"))
    }

    // MARK: Report

    @Test func `a store that lacks something is not migrated as it is`() throws {
        for change in [Self.noColumns, "DROP TABLE A"] {
            let connection = try store(of: Self.models[0], change)
            let refusal = try refusal(runner(.report, to: 2), connection)
            #expect(refusal.differences.first?.name == "A")
            #expect(refusal.ofTool.contains("let --drift repair"))
            #expect(!refusal.ofTool.contains("--drift report"))
            // It can be opened where there is nothing to migrate.
            #expect(try runner(.report).open(connection) == .current)
        }
    }

    @Test(arguments: [1, 3])
    func `a column whose name is written otherwise keeps its values`(version: Int) throws {
        let connection = try store(
            of: Self.models[0], "ALTER TABLE A RENAME COLUMN note TO \"NOTE\"")
        let runner = try runner(.repair, to: version, knowsAll: true)
        let found = try runner.differences(in: connection).filter { $0.kind != .external }
        #expect(found.map(\.description) == ["A (changed: NOTE changed)"])
        _ = try runner.open(connection)
        #expect(try Store.text(connection.rows("SELECT note FROM A")) == [["n"], ["o"]])
    }

    @Test func `a table whose name is written otherwise gets it back by the SQL of the error`()
        throws
    {
        let connection = try store(
            of: Self.models[0], "ALTER TABLE A RENAME TO x; ALTER TABLE x RENAME TO a")
        let refusal = try refusal(runner(.repair), connection)
        let statements = try #require(refusal.text.firstRange(of: "give it its name back: "))
        let end = try #require(refusal.text.firstRange(of: ". Undo that"))
        try connection.execute(
            String(refusal.text[statements.upperBound..<end.lowerBound]))
        #expect(try runner(.refuse).open(connection) == .current)
    }
}
