import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite
import Testing

/// What adding a column costs: SQLite goes through the whole table for a column with a check, which
/// says nothing that one row would not.
struct AddedColumnTests {
    private typealias Store = TestStore

    private func product(_ version: String, _ more: [Attribute] = [], _ rules: [Rule] = []) -> Model
    {
        Store.model(
            version,
            [
                Entity(
                    name: "Product",
                    attributes: [Attribute(name: "x", type: .int64, isOptional: true)] + more,
                    rules: rules)
            ])
    }

    private let count = Attribute(
        name: "count", type: .int32, defaultValue: .constant(.int(7)),
        limits: Limits(minimum: .int(2), maximum: .int(9)))

    private func effect(_ old: Model, _ new: Model) -> TableWork.Effect? {
        StoreWork(
            of: ModelDifference(from: old, to: new),
            schemas: (Schema(of: old), Schema(of: new))
        ).tables.first { $0.table == "Product" }?.effect
    }

    /// How many of SQLite's instructions a migration takes, in thousands.
    private func work(_ old: Model, _ new: Model, rows: Int) throws -> Int {
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO Product (_id, x) SELECT i, i FROM n
            """)
        let runner = MigrationRunner(model: new, migrations: [migration])
        var asked = 0
        runner.isCancelled = {
            asked += 1
            return false
        }
        _ = try runner.open(connection)
        return asked * 10
    }

    @Test func `a column with checks of its own is added in constant time`() throws {
        let (old, new) = (product("1"), product("2", [count]))
        #expect(effect(old, new) == .constant)
        let few = try work(old, new, rows: 1)
        #expect(try work(old, new, rows: 20_000) <= few + 20)
        #expect(
            try Store.migrate(
                old, new, rows: "INSERT INTO Product (_id, x) VALUES (1, 5)",
                query: "SELECT x, count FROM Product") == [["5", "7"]])
    }

    @Test func `a table that has had a column added is not made anew for a rule`() throws {
        let rule = Rule(
            name: "r",
            condition: .comparison(
                .keyPath(root: .subject, names: ["x"]), .greater, .literal(.int(0)), []))
        let column = Store.string("name", optional: true)
        let models = [
            product("1"), product("2", [column]), product("3", [column, count], [rule]),
            product("4", [column, count]),
        ]
        let migrations = try zip(models, models.dropFirst()).map {
            try Migration(from: $0, to: $1)
        }
        let connection = try MigrationProver.makeStore(of: models[0], seed: nil)
        try connection.execute("INSERT INTO Product (_id, x) VALUES (1, 5)")
        let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'Product'"
        let before = try connection.rows(root)
        for (model, migration) in zip(models.dropFirst(), migrations) {
            _ = try MigrationRunner(model: model, migrations: [migration]).open(connection)
            #expect(try connection.rows(root) == before, "to \(model.version)")
        }
    }

    @Test func `its checks hold from then on`() throws {
        let (old, new) = (product("1"), product("2", [count]))
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        let migration = try Migration(from: old, to: new)
        _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        for value in ["1", "10", "NULL"] {
            #expect(throws: SQLiteError.self) {
                try connection.execute("INSERT INTO Product (count) VALUES (\(value))")
            }
        }
        try connection.execute("INSERT INTO Product (count) VALUES (9)")
    }

    @Test func `a rule over a new column and an old one is one scan`() throws {
        let rule = Rule(
            name: "r",
            condition: .comparison(
                .keyPath(root: .subject, names: ["x"]), .greater,
                .keyPath(root: .subject, names: ["count"]), []))
        let (old, new) = (product("1"), product("2", [count], [rule]))
        #expect(effect(old, new) == .scan)
        #expect(
            try Store.migrate(
                old, new, rows: "INSERT INTO Product (_id, x) VALUES (1, 8)",
                query: "SELECT count FROM Product") == [["7"]])
        #expect(throws: MigrationError.self) {
            try Store.migrate(old, new, rows: "INSERT INTO Product (_id, x) VALUES (1, 7)")
        }
    }

    @Test func `a default that does not meet the new checks refuses a store with rows`() throws {
        let rule = Rule(
            name: "r",
            condition: .comparison(
                .keyPath(root: .subject, names: ["count"]), .less, .literal(.int(3)), []))
        let (old, new) = (product("1"), product("2", [count], [rule]))
        #expect(throws: MigrationError.self) {
            try Store.migrate(old, new, rows: "INSERT INTO Product (_id, x) VALUES (1, 7)")
        }
    }

    @Test func `a default that breaks its own limit is given to the rows`() throws {
        let wrong = Attribute(
            name: "count", type: .int64, defaultValue: .constant(.int(7)),
            limits: Limits(maximum: .int(3)))
        #expect(
            try Store.migrate(
                product("1"), product("2", [wrong]),
                rows: "INSERT INTO Product (_id, x) VALUES (1, 8)",
                query: "SELECT count FROM Product") == [["7"]])
    }

    @Test func `several conditions are looked at in one scan`() throws {
        let attribute = { (limits: Limits) in
            [
                Attribute(name: "a", type: .int64, isOptional: true, limits: limits),
                Attribute(name: "b", type: .int64, isOptional: true, limits: limits),
            ]
        }
        let (old, new) = (
            product("1", attribute(Limits())),
            product("2", attribute(Limits(minimum: .int(1), maximum: .int(5))))
        )
        let statements = try MigrationPlan(from: old, to: new).steps.flatMap(\.sql)
        #expect(statements.count { $0.contains("FROM \"Product\"") } == 1)
        for row in ["0, 1", "1, 6", "NULL, 0"] {
            #expect(throws: MigrationError.self) {
                try Store.migrate(
                    old, new, rows: "INSERT INTO Product (_id, a, b) VALUES (1, \(row))")
            }
        }
        #expect(
            try Store.migrate(
                old, new, rows: "INSERT INTO Product (_id, a, b) VALUES (1, 5, NULL)",
                query: "SELECT a FROM Product") == [["5"]])
    }

    @Test func `a rule of a sub-entity asks its own rows, wherever they stand`() throws {
        func model(_ version: String, _ more: [Attribute] = [], _ rules: [Rule] = []) -> Model {
            Store.model(
                version,
                [
                    Entity(name: "Shape", attributes: [Store.string("name", optional: true)]),
                    Entity(name: "Circle", parent: "Shape", attributes: more, rules: rules),
                ])
        }
        let radius = Attribute(name: "radius", type: .double, isOptional: true)
        let rule = Rule(
            name: "r",
            condition: .comparison(
                .keyPath(root: .subject, names: ["radius"]), .notEqual, .literal(.null), []))
        let (old, new) = (model("1"), model("2", [radius], [rule]))
        let row = "INSERT INTO Shape (_id, _entity) VALUES "
        #expect(
            try Store.migrate(
                old, new, rows: row + "(1, 'Shape')", query: "SELECT _id FROM Shape") == [["1"]])
        #expect(throws: MigrationError.self) {
            try Store.migrate(old, new, rows: row + "(1, 'Shape'), (2, 'Circle')")
        }
    }
}
