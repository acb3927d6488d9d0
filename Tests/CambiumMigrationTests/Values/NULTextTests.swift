import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What a migration makes of texts with a NUL, which other programs have written: `length()` and
/// GLOB of SQLite's end there.
struct NULTextTests {
    private typealias Store = TestStore

    private static func model(
        _ version: String, type: AttributeType = .string, counted: Bool = false,
        fills: [MigrationDeclaration.Fill] = [], givenUp: [(String, ModelExpression)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "A",
                    attributes: [Attribute(name: "s", type: type)]
                        + (counted ? [Attribute(name: "count", type: .int64)] : []))
            ], fills: fills, givenUp: givenUp)
    }

    private static let rows = """
        INSERT INTO A (_id, s) VALUES (1, 'x' || char(0) || 'yzzzz'), (2, 'ab'),
            (3, 'k' || char(0) || 'k'), (4, 'kkkk')
        """

    @Test(arguments: [
        ("length:(s) < 3", ["1", "3", "4"]), ("s LIKE '?'", ["1", "2", "3", "4"]),
        ("s LIKE 'k*k'", ["1", "2"]), ("s BEGINSWITH 'x'", ["2", "3", "4"]),
        ("s MATCHES 'k'", ["1", "2", "3", "4"]), ("s MATCHES '[a-z]+'", ["1", "3"]),
        ("s ENDSWITH 'zz'", ["2", "3", "4"]), ("s CONTAINS 'z'", ["2", "3", "4"]),
    ])
    func `a condition sees all of a text`(condition: String, stay: [String]) throws {
        let givenUp = try ExpressionCompiler.condition(
            condition, entity: Self.model("1").entities[0], model: Self.model("1")
        ).get()
        let ids = try Store.migrate(
            Self.model("1"), Self.model("2", givenUp: [("A", givenUp)]), rows: Self.rows,
            query: "SELECT _id FROM A ORDER BY 1")
        #expect(ids.joined().map { $0 } == stay)
    }

    @Test func `a fill counts all of a text and leaves it as it is`() throws {
        let counted = Self.model("2", counted: true)
        let value = try ExpressionCompiler.value(
            "length:(s)", as: .int64, entity: counted.entities[0], model: counted
        ).get()
        let fill = MigrationDeclaration.Fill(entity: "A", attribute: "count", value: value)
        let rows = try Store.migrate(
            Self.model("1"), Self.model("2", counted: true, fills: [fill]), rows: Self.rows,
            query: "SELECT count, hex(s) FROM A ORDER BY _id")
        #expect(rows.map { $0[0] } == ["7", "2", "3", "4"])
        #expect(rows[2][1] == "6B006B")
    }

    @Test(arguments: [
        AttributeType.double, .int64, .decimal(scale: 2), .anyDecimal, .bool,
    ])
    func `a number is all of its text`(type: AttributeType) throws {
        for text in ["'1' || char(0) || 'junk'", "'1' || char(0)", "'1e999'", "'-1e999'"] {
            let (old, new) = (Self.model("1"), Self.model("2", type: type))
            let connection = try MigrationProver.makeStore(of: old, seed: nil)
            try connection.execute("INSERT INTO A (_id, s) VALUES (1, \(text))")
            let runner = MigrationRunner(
                model: new, migrations: [try Migration(from: old, to: new)])
            let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
            guard case .refused? = error else {
                Issue.record("\(text): \(error as Any)")
                continue
            }
        }
    }

    @Test func `the greatest numbers are numbers`() throws {
        let rows = try Store.migrate(
            Self.model("1"), Self.model("2", type: .double),
            rows: "INSERT INTO A (_id, s) VALUES (1, '1.7976931348623157e308'), (2, '-1e-300')",
            query: "SELECT s FROM A ORDER BY _id")
        #expect(rows.joined().map { $0 } == ["1.7976931348623157e+308", "-1e-300"])
    }
}
