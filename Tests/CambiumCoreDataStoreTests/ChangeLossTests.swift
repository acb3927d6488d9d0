import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// How much each change of a step takes where several are about the same objects or values: what one
/// has taken is there for no other.
struct ChangeLossTests {
    // MARK: Objects

    @Test func `an object goes with the first change that asks for it`() throws {
        let entity = Entity(
            name: "E", attributes: [.optional("a", .int32), .optional("b", .int32)])
        let unique = Entity(
            name: "E", attributes: entity.attributes,
            uniqueConstraints: [
                UniqueConstraint(properties: ["a"]), UniqueConstraint(properties: ["b"]),
            ])
        let report = try LossSample.importStore(
            [entity], [unique],
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "E", condition: LossSample.isEqual("a", 1), reason: "r1"),
                    .init(entity: "E", condition: LossSample.isEqual("b", 1), reason: "r2"),
                ],
                deduplications: [
                    .init(entity: "E", properties: ["a"], reason: "r3"),
                    .init(entity: "E", properties: ["b"], reason: "r4"),
                ]),
            entities: [(1, "E", 0, 9)],
            """
            CREATE TABLE ZE KEYS, ZA INTEGER, ZB INTEGER);
            INSERT INTO ZE VALUES (1, 1, 1, 1, 1), (2, 1, 1, 5, 5), (3, 1, 1, 5, 5), (4, 1, 1, 7, 8)
            """)
        let words = [
            "drop the objects of E where a == 1 (r1)",
            "keep one of several objects of E with the same a (r3)",
        ]
        #expect(report.migration?.losses == words.map { "2: \($0): 1 object" })
        #expect(report.migration?.objects.map(\.ids) == [[1, 3]])
        #expect(report.migration?.objects.map(\.changes) == [words])
    }

    // MARK: Values

    @Test func `a composite value goes for the reason of its parts`() throws {
        let parts = ["s.e", "s.w"].map { Attribute.optional($0, .int32) }
        let whole = Entity(
            name: "E", attributes: parts,
            compositeAttributes: [CompositeAttribute(name: "s", composite: "S")])
        let report = try LossSample.importStore(
            [whole], [Entity(name: "E")],
            MigrationDeclaration(
                from: "1",
                drops: parts.map { .init(entity: "E", property: $0.name, reason: "r") }),
            entities: [(1, "E", 0, 9)],
            """
            CREATE TABLE ZE KEYS, ZS_E INTEGER, ZS_W INTEGER);
            INSERT INTO ZE VALUES (1, 1, 1, 1, 2), (2, 1, 1, NULL, 3)
            """)
        #expect(report.migration?.losses == ["2: drop E.s and its data (r): 3 values"])
    }

    @Test func `values that a sub-entity goes on with are not lost`() throws {
        func entities(parent: [Attribute], child: [Attribute]) -> [Entity] {
            [
                Entity(name: "P", attributes: parent),
                Entity(name: "C", parent: "P", attributes: child),
                Entity(name: "D", parent: "P"),
            ]
        }
        let x = Attribute.optional("x", .int32)
        let report = try LossSample.importStore(
            entities(parent: [x], child: []), entities(parent: [], child: [x]),
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "P", property: "x", reason: "r")]),
            entities: [(1, "P", 0, 9), (2, "C", 1, 0), (3, "D", 1, 0)],
            """
            CREATE TABLE ZP KEYS, ZX INTEGER);
            INSERT INTO ZP VALUES (1, 1, 1, 1), (2, 2, 1, 2), (3, 2, 1, 3), (4, 3, 1, 4),
                (5, 3, 1, NULL)
            """)
        #expect(report.migration?.losses == ["2: drop P.x and its data (r): 2 values"])
    }

    @Test func `what is dropped has the name that it had where entities change theirs`() throws {
        let (k, x) = (Attribute.required("k", .int32), Attribute.optional("x", .int32))
        let report = try LossSample.importStore(
            [Entity(name: "A", attributes: [x, k]), Entity(name: "B", attributes: [k])],
            [
                Entity(name: "B", renamedFrom: "A", attributes: [k]),
                Entity(name: "A", renamedFrom: "B", attributes: [k]),
            ],
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", property: "x", reason: "r")]),
            entities: LossSample.pairNumbers,
            """
            CREATE TABLE ZA KEYS, ZX INTEGER, ZK INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, NULL, 1); INSERT INTO ZB VALUES (1, 2, 1, 1)
            """)
        #expect(report.migration?.losses == ["2: drop A.x and its data (r): 1 value"])
    }

    @Test(arguments: [(7, 0), (2, 1)])
    func `a fill takes the values that are others afterwards`(limit: Int64, number: Int) throws {
        // At most the limit, and the limit where there was none.
        let fill = ModelExpression.conditional(
            .or([
                .comparison(LossSample.path("k"), .equal, .literal(.null), []),
                .comparison(LossSample.path("k"), .greater, .literal(.int(limit)), []),
            ]), then: .literal(.int(limit)), otherwise: LossSample.path("k"))
        let report = try LossSample.importStore(
            [Entity(name: "E", attributes: [.optional("k", .int32)])],
            [Entity(name: "E", attributes: [.required("k", .int32)])],
            MigrationDeclaration(
                from: "1", fills: [.init(entity: "E", attribute: "k", value: fill)]),
            entities: [(1, "E", 0, 9)],
            """
            CREATE TABLE ZE KEYS, ZK INTEGER);
            INSERT INTO ZE VALUES (1, 1, 1, 1), (2, 1, 1, 3), (3, 1, 1, NULL)
            """)
        #expect(
            report.migration?.losses
                == (number == 0 ? [] : ["2: compute E.k again from its old value: 1 value"]))
    }
}
