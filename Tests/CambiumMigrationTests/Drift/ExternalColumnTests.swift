import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What becomes of the columns that another program has added to the model's tables.
struct ExternalColumnTests {
    private typealias Store = TestStore

    private static let models = [
        Store.model("1", [Entity(name: "Tag", attributes: [Store.string("name")])]),
        // The table is made anew, twice.
        Store.model("2", [Entity(name: "Tag", attributes: [Store.string("title", from: "name")])]),
        Store.model(
            "3", [Entity(name: "Tag", attributes: [Store.string("title", optional: true)])]),
    ]

    private func runner(
        _ policy: DriftPolicy, to last: Model, _ models: [Model], isNoted: Bool = true
    ) throws -> MigrationRunner {
        let migrations = try zip(models, models.dropFirst()).map {
            try Migration(from: $0, to: $1)
        }
        let runner = MigrationRunner(
            model: last,
            migrations: isNoted ? migrations.noting(models.map { Schema(of: $0) }) : migrations)
        runner.driftPolicy = policy
        return runner
    }

    private func store(of model: Model = Self.models[0], more: String) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        try connection.execute("INSERT INTO Tag (_id, name) VALUES (1, 'one'), (3, 'three')")
        try connection.execute(more)
        return connection
    }

    private let theirs = """
        ALTER TABLE Tag ADD COLUMN extra TEXT DEFAULT 'a, b';
        ALTER TABLE Tag ADD COLUMN "more words" INTEGER;
        ALTER TABLE Tag ADD COLUMN sum INTEGER AS ("more words" + 1);
        CREATE INDEX their_index ON Tag (extra);
        UPDATE Tag SET extra = 'theirs', "more words" = 7 WHERE _id = 3
        """

    // MARK: Report

    @Test func `columns of others come along where tables are made anew`() throws {
        let models = Array(Self.models.prefix(3))
        let connection = try store(more: theirs)
        let runner = try runner(.report, to: models[2], models)
        guard case .migrated("1", "3", _, _) = try runner.open(connection) else {
            Issue.record("not migrated")
            return
        }
        #expect(
            try Store.text(
                connection.rows("SELECT _id, title, extra, \"more words\", sum FROM Tag"))
                == [["1", "one", "a, b", "nil", "nil"], ["3", "three", "theirs", "7", "8"]])
        #expect(
            try connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'their_index'").count
                == 1)
        #expect(try runner.open(connection) == .current)
    }

    @Test func `columns of others stay where checks alone are brought up to date`() throws {
        let old = Store.model(
            "1", [Entity(name: "Tag", attributes: [Store.string("name", default: "x")])])
        let new = Store.model(
            "1",
            [
                Entity(
                    name: "Tag", attributes: [Store.string("name", limits: .init(minimumLength: 1))]
                )
            ])
        let connection = try store(of: old, more: theirs)
        #expect(try runner(.report, to: new, [new]).open(connection) == .refreshed(backup: nil))
        #expect(try connection.rows("SELECT extra FROM Tag WHERE _id = 3") == [[.text("theirs")]])
        #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO Tag (name) VALUES ('')")
        }
    }

    @Test func `columns of others refuse a migration that has no place for them`() throws {
        let renamed = Store.model(
            "2", [Entity(name: "Label", renamedFrom: "Tag", attributes: [Store.string("name")])])
        let connection = try store(more: theirs)
        let before = try Store.dump(connection)
        let runner = try runner(.report, to: renamed, [Self.models[0], renamed])
        let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
        guard case .columnsHaveNoPlace(let differences)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(differences.map(\.name) == ["Tag"])
        #expect(
            "\(try #require(error))".contains(
                "Tag (changed: extra added (2 values), more words added (1 value), "))
        #expect(try Store.dump(connection) == before)
    }

    @Test func `a column of others with the name of a new one is refused, and repaired`() throws {
        for title in ["title", "Title"] {
            let connection = try store(
                more: "ALTER TABLE Tag ADD COLUMN \(title) TEXT; UPDATE Tag SET title = 'theirs'")
            let models = Array(Self.models.prefix(2))
            let before = try Store.dump(connection)
            let error = #expect(throws: MigrationError.self) {
                try runner(.report, to: models[1], models).open(connection)
            }
            let text = "\(try #require(error))"
            #expect(text.contains("delete columns that another program has added: Tag"))
            #expect(text.contains("set the drift policy repair"))
            #expect(try Store.dump(connection) == before)
            _ = try runner(.repair, to: models[1], models).open(connection)
            #expect(
                try Store.text(connection.rows("SELECT title FROM Tag")) == [["one"], ["three"]])
        }
    }

    // MARK: A store of a form that nobody knows

    @Test(arguments: [DriftPolicy.refuse, .repair, .report])
    func `columns that could not be known of do not go without a copy`(
        policy: DriftPolicy
    ) throws {
        let old = Self.models[0]
        let new = Store.model(
            "2",
            [
                Entity(
                    name: "Tag",
                    attributes: [Store.string("name"), Store.string("y", optional: true)])
            ])
        let connection = try store(of: old, more: theirs)
        // The chain says nothing about what the store should have.
        let runner = try runner(policy, to: new, [old, new], isNoted: false)
        if policy == .refuse {
            #expect(throws: MigrationError.self) { try runner.open(connection) }
        } else {
            _ = try runner.open(connection)
        }
        #expect(try connection.rows("SELECT extra FROM Tag WHERE _id = 3") == [[.text("theirs")]])
    }

    // MARK: Names

    @Test(arguments: [0, 1])
    func `the columns that differ are named`(version: Int) throws {
        let model = Self.models[version]
        let models = Array(Self.models.prefix(3))
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        try connection.execute(theirs.replacing("UPDATE", with: "EXPLAIN UPDATE"))
        // Of its own version and of an earlier one.
        for runner in [
            try runner(.refuse, to: model, [model]), try runner(.refuse, to: models[2], models),
        ] {
            let found = try runner.differences(in: connection).first { $0.name == "Tag" }
            #expect(found?.parts.map(\.name) == ["extra", "more words", "sum"])
            #expect(
                found?.description
                    == "Tag (changed: extra added, more words added, sum added)")
        }
    }

    @Test func `a column that is changed or missing is named`() throws {
        let model = Store.model(
            "1",
            [
                Entity(
                    name: "Tag",
                    attributes: [
                        Store.string("name"), Attribute(name: "stock", type: .int64),
                        Attribute(name: "rank", type: .int64, isOptional: true),
                    ],
                    rules: [
                        Rule(
                            name: "inStock",
                            condition: .comparison(
                                .keyPath(root: .subject, names: ["stock"]), .greater,
                                .literal(.int(0)), []))
                    ])
            ])
        let connection = try MigrationProver.makeStore(of: model, seed: nil)
        try connection.execute(
            """
            CREATE TABLE other (_id INTEGER PRIMARY KEY, _version INTEGER NOT NULL DEFAULT 1,
                "name" TEXT, stock INTEGER NOT NULL) STRICT;
            DROP TABLE Tag; ALTER TABLE other RENAME TO Tag
            """)
        let runner = try runner(.refuse, to: model, [model])
        let found = try runner.differences(in: connection).first { $0.name == "Tag" }
        let parts = try #require(found?.parts)
        #expect(parts.contains { $0.name == "name" && $0.kind == .changed })
        #expect(parts.contains { $0.name == "rank" && $0.kind == .missing })
        #expect(parts.contains { $0.name == "Tag.rule.inStock" && $0.kind == .missing })
    }

    @Test func `a program names what differs in a version between`() throws {
        let models = Array(Self.models.prefix(3))
        // The statements that lead to version 2 tell what its table is.
        for (change, words) in [
            ("ALTER TABLE Tag DROP COLUMN title", "Tag (changed: title missing)"),
            (
                "ALTER TABLE Tag DROP COLUMN title; ALTER TABLE Tag ADD COLUMN title INTEGER",
                "Tag (changed: title changed)"
            ),
        ] {
            let connection = try MigrationProver.makeStore(of: models[1], seed: nil)
            try connection.execute(change)
            let error = #expect(throws: MigrationError.self) {
                try runner(.refuse, to: models[2], models).open(connection)
            }
            #expect("\(try #require(error))".contains(words))
        }
        // Of the first one no more is known than what is read of it.
        let connection = try MigrationProver.makeStore(of: models[0], seed: nil)
        try connection.execute("ALTER TABLE Tag DROP COLUMN name")
        let error = #expect(throws: MigrationError.self) {
            try runner(.refuse, to: models[2], models).open(connection)
        }
        #expect("\(try #require(error))".contains("Tag (changed: name missing)"))
    }
}
