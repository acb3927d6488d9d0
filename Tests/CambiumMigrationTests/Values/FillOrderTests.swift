import CambiumModel
import Testing

@testable import CambiumSQL

/// Fills that look at attributes which are filled as well see what those get.
@Suite struct FillOrderTests {
    private typealias Store = TestStore

    private func number(_ name: String, optional: Bool) -> Attribute {
        Attribute(name: name, type: .int32, isOptional: optional)
    }

    private func path(_ name: String) -> ModelExpression {
        .keyPath(root: .subject, names: [name])
    }

    private func plus(_ name: String, _ value: Int64) -> ModelExpression {
        .arithmetic(path(name), .add, .literal(.int(value)))
    }

    private func model(
        _ version: String, _ attributes: [Attribute], _ fills: [(String, ModelExpression)] = []
    ) -> Model {
        let declared = MigrationDeclaration(
            from: "1",
            fills: fills.map { .init(entity: "A", attribute: $0.0, value: $0.1) })
        return Model(
            name: "Fills", version: version, entities: [Entity(name: "A", attributes: attributes)],
            migration: version == "1" ? nil : declared)
    }

    private let rows = "INSERT INTO A (_id, x) VALUES (1, 1), (2, NULL);"

    @Test func `a new attribute is computed from one that is new too, in whatever order`() throws {
        let old = model("1", [number("x", optional: true)])
        let fills = [("z", plus("y", 10)), ("y", plus("x", 1)), ("x", .literal(.int(7)))]
        let new = model(
            "2", [number("x", optional: false)] + ["y", "z"].map { number($0, optional: false) },
            fills)
        for query in ["SELECT x, y, z FROM A ORDER BY _id"] {
            let found = try Store.migrate(old, new, rows: rows, query: query)
            #expect(found == [["1", "2", "12"], ["7", "8", "18"]])
        }
    }

    @Test func `what looks at itself and at another comes after that one`() throws {
        let old = model("1", ["x", "y"].map { number($0, optional: true) })
        let sum = ModelExpression.arithmetic(path("y"), .add, path("x"))
        let new = model(
            "2", ["x", "y"].map { number($0, optional: true) },
            [("y", sum), ("x", .literal(.int(5)))])
        let found = try Store.migrate(
            old, new, rows: "INSERT INTO A (_id, x, y) VALUES (1, 1, 2), (2, NULL, 3);",
            query: "SELECT x, y FROM A ORDER BY _id")
        #expect(found == [["1", "3"], ["5", "8"]])
    }

    @Test func `fills that look at each other exchange what was there`() throws {
        let old = model("1", ["x", "y"].map { number($0, optional: true) })
        func or(_ other: String, _ own: String) -> ModelExpression {
            .conditional(
                .comparison(path(own), .equal, .literal(.null), []), then: path(other),
                otherwise: path(other))
        }
        let new = model(
            "2", ["x", "y"].map { number($0, optional: true) },
            [("x", or("y", "x")), ("y", or("x", "y"))])
        let found = try Store.migrate(
            old, new, rows: "INSERT INTO A (_id, x, y) VALUES (1, 1, 2), (2, NULL, 3);",
            query: "SELECT x, y FROM A ORDER BY _id")
        #expect(found == [["2", "1"], ["3", "nil"]])
    }

    @Test func `a chain of fills may be long`() throws {
        let names = (0..<60).map { "f\($0)" }
        let fills = zip(names.dropFirst(), names).map { ($0, plus($1, 1)) }
        let new = model(
            "2",
            [number("f0", optional: false)] + names.dropFirst().map { number($0, optional: true) },
            fills)
        let found = try Store.migrate(
            model("1", [number("f0", optional: false)]), new,
            rows: "INSERT INTO A (_id, f0) VALUES (1, 1), (2, 5);",
            query: "SELECT f0, f1, f59 FROM A ORDER BY _id")
        #expect(found == [["1", "2", "60"], ["5", "6", "64"]])
    }

    @Test func `passes follow what is looked at`() {
        let passes = FillPasses([
            "a": ["b", "unknown"], "b": ["c", "d"], "c": ["b"], "d": [], "e": ["e"],
            "f": ["a", "d"],
        ])
        #expect(["a", "b", "c", "d", "e", "f"].map(passes.pass) == [3, 2, 2, 1, 1, 4])
    }
}
