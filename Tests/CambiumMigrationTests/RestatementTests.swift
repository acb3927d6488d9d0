import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

@Suite struct RestatementTests {
    private typealias Store = TestStore

    private func product(
        _ version: String, _ type: AttributeType = .int32, _ limits: Limits = Limits(),
        optional: Bool = false, default value: Int64? = nil, rules: [Rule] = [],
        more: [Attribute] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Product",
                    attributes: more + [
                        Attribute(
                            name: "x", type: type, isOptional: optional,
                            defaultValue: value.map { .constant(.int($0)) }, limits: limits),
                        Store.string("name", optional: true),
                    ], rules: rules)
            ])
    }

    private func rule(_ least: Int64) -> Rule {
        Rule(
            name: "r", message: nil,
            condition: .comparison(
                .keyPath(root: .subject, names: ["x"]), .greater, .literal(.int(least)), []))
    }

    /// No row is written again.
    private func expectInPlace(_ old: Model, _ new: Model) throws {
        let statements = try MigrationPlan(from: old, to: new).steps.flatMap(\.sql)
        #expect(!statements.isEmpty)
        #expect(!statements.contains { $0.contains("\"_new_") || $0.hasPrefix("INSERT INTO \"P") })
    }

    private let rows = "INSERT INTO Product (_id, x) VALUES (1, 5);"

    @Test func `conditions, defaults and types of the same form change in place`() throws {
        let olds = [
            product("1"), product("1", .int16), product("1", .int32, Limits(maximum: .int(9))),
            product("1", default: 1, rules: [rule(1)]),
        ]
        let news = [
            product("2", .int32, Limits(minimum: .int(2))), product("2", .int64, optional: true),
            product("2", default: 3, rules: [rule(2)]),
            product("2", more: [Attribute(name: "y", type: .int64, isOptional: true)]),
        ]
        for old in olds {
            for new in news {
                try expectInPlace(old, new)
                let found = try Store.migrate(
                    old, new, rows: rows, query: "SELECT _id, x FROM Product")
                #expect(found == [["1", "5"]])
            }
        }
    }

    @Test func `a new condition holds from then on`() throws {
        let new = product("2", .int16, Limits(maximum: .int(9)), default: 7, rules: [rule(3)])
        let migration = try Migration(from: product("1"), to: new)
        let connection = try MigrationProver.makeStore(of: product("1"), seed: nil)
        try connection.execute(rows)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        try connection.execute("INSERT INTO Product (_id) VALUES (2)")
        #expect(try Store.text(connection.rows("SELECT x FROM Product")) == [["5"], ["7"]])
        for value in ["10", "3", "40000", "NULL"] {
            #expect(throws: SQLiteError.self) {
                try connection.execute("INSERT INTO Product (x) VALUES (\(value))")
            }
        }
    }

    @Test(arguments: ["maximum", "minimum", "rule"])
    func `rows that do not meet a new condition refuse the store, which stays as it was`(
        what: String
    ) throws {
        let (new, constraint) =
            switch what {
            case "maximum": (product("2", .int32, Limits(maximum: .int(4))), "Product.x.max")
            case "rule": (product("2", rules: [rule(5)]), "Product.rule.r")
            default: (product("2", .int32, Limits(minimum: .int(6))), "Product.x.min")
            }
        let old = product("1")
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        let before = try Store.dump(connection)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        guard case .refused(let found) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found.constraint == constraint)
        #expect(found.objects == [1])
        #expect(found.value == (what == "rule" ? nil : "5"))
        #expect(try Store.dump(connection) == before)
        // What the connection knows of the table is what the file says.
        try connection.execute("INSERT INTO Product (_id, x) VALUES (2, -9)")
    }

    @Test func `a condition that changed in the same version is restated too`() throws {
        let old = product("1", .int32, Limits(maximum: .int(9)), rules: [rule(1)])
        let new = product("1", .int32, Limits(maximum: .int(7)), default: 2)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        let catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        let refresh = SchemaRefresh(from: catalogue, to: Schema(of: new))
        #expect(!refresh.statements.contains { $0.operation == .createTable("_new_Product") })
        #expect(try MigrationRunner(model: new).open(connection) == .refreshed(backup: nil))
        #expect(try MigrationRunner(model: new).open(connection) == .current)
        #expect(throws: SQLiteError.self) {
            try connection.execute("INSERT INTO Product (x) VALUES (8)")
        }
    }

    @Test func `a limit that is wider in the same version reads no row`() throws {
        func model(_ maximum: Int64) -> Model {
            product("1", .int32, Limits(maximum: .int(maximum)))
        }
        let connection = try MigrationProver.makeStore(of: model(9), seed: nil)
        let catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        func readsRows(to new: Model, of old: Model?) -> Bool {
            SchemaRefresh(from: catalogue, of: old.map { Schema(of: $0) }, to: Schema(of: new))
                .statements.contains { statement in
                    if case .checkRows = statement.operation { true } else { false }
                }
        }
        #expect(!readsRows(to: model(11), of: model(9)))
        #expect(readsRows(to: model(7), of: model(9)))
        // Where nothing tells what the store was written with, or something that it is not.
        #expect(readsRows(to: model(11), of: nil))
        #expect(readsRows(to: model(11), of: model(10)))
    }

    @Test func `a text that a wider limit does not see to its end is no hindrance`() throws {
        func runner(_ length: Int) -> MigrationRunner {
            let title = Attribute(
                name: "title", type: .string, isOptional: true,
                limits: Limits(maximumLength: length))
            let model = product("1", more: [title])
            let runner = MigrationRunner(model: model)
            runner.drafts = DraftVersions(of: model, isFrozen: false, earlier: [:])
            return runner
        }
        let connection = try Connection(path: ":memory:")
        #expect(try runner(3).open(connection) == .created)
        try connection.execute(
            "INSERT INTO Product (x, title) VALUES (1, 'ab' || char(0) || 'cdef')")
        #expect(try runner(5).open(connection) == .refreshed(backup: nil))
        #expect(try runner(5).open(connection) == .current)
    }

    @Test func `a default that reads like a check is none`() throws {
        func model(_ version: String, _ limits: Limits) -> Model {
            product(
                version,
                more: [
                    Attribute(
                        name: "note", type: .string,
                        defaultValue: .constant(.string("CHECK (length(\"note\") <= 30)")),
                        limits: limits)
                ])
        }
        let (old, new) = (model("1", Limits()), model("2", Limits(maximumLength: 30)))
        let row = "INSERT INTO Product (_id, x, note) VALUES (1, 5, "
        #expect(throws: MigrationError.self) {
            try Store.migrate(old, new, rows: row + "'more than thirty characters are too long')")
        }
        #expect(
            try Store.migrate(
                old, new, rows: row + "'abc')", query: "SELECT note FROM Product") == [["abc"]])
    }

    @Test func `nobody else can write the schema`() throws {
        let connection = try MigrationProver.makeStore(of: product("1"), seed: nil)
        try connection.execute(rows)
        let new = product("2", rules: [rule(1)])
        let migration = try Migration(from: product("1"), to: new)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        #expect(throws: SQLiteError.self) {
            try connection.execute(
                "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql")
        }
    }
}
