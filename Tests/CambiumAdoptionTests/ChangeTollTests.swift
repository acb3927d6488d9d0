import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumAdoption

/// How much each change of a step takes where several are about the same objects, values or links:
/// what one has taken is there for no other.
struct ChangeTollTests {
    private static let table = "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    /// Adopts a store with the tables, as the first of two versions, and goes on to the second.
    private func adopt(
        _ old: [Entity], _ new: [Entity], _ migration: MigrationDeclaration,
        entities: [(Int, String, Int, Int)], _ sql: String
    ) throws -> AdoptionReport {
        let versions = [
            Model(name: "M", version: "1", entities: old),
            Model(name: "M", version: "2", entities: new, migration: migration),
        ]
        let store = try OldStore(
            entities: entities,
            sql: sql.replacing(" KEYS", with: " " + Self.table))
        let report = try store.adopt(versions, [Migration(from: versions[0], to: versions[1])]) {
            $0.writtenBy = "1"
        }
        #expect(report.version == "2" && report.migration?.stoppedAt == nil)
        return report
    }

    private static func isEqual(_ name: String, _ number: Int64) -> ModelExpression {
        .comparison(path(name), .equal, .literal(.int(number)), [])
    }

    private static func path(_ name: String) -> ModelExpression {
        .keyPath(root: .subject, names: [name])
    }

    /// A with `bs` and B with `as`, each the other's inverse.
    private static func pair(_ isToMany: (Bool, Bool)?) -> [Entity] {
        [("A", "bs", "B", "as", isToMany?.0), ("B", "as", "A", "bs", isToMany?.1)].map {
            name, relationship, destination, inverse, isToMany in
            Entity(
                name: name, attributes: [.optional("k", .int32)],
                relationships: isToMany.map {
                    [
                        Relationship(
                            name: relationship, destination: destination, inverse: inverse,
                            isToMany: $0)
                    ]
                } ?? [])
        }
    }

    private static let pairNumbers = [(1, "A", 0, 9), (2, "B", 0, 9)]
    private static let pairTables = """
        CREATE TABLE ZA KEYS, ZK INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
        CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS));
        INSERT INTO ZA VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, 3), (4, 1, 1, 9);
        INSERT INTO ZB VALUES (1, 2, 1, 1), (2, 2, 1, 2);
        INSERT INTO Z_1BS VALUES (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1), (4, 2);
        """

    // MARK: Objects

    @Test func `an object goes with the first change that asks for it`() throws {
        let entity = Entity(
            name: "E", attributes: [.optional("a", .int32), .optional("b", .int32)])
        let unique = Entity(
            name: "E", attributes: entity.attributes,
            uniqueConstraints: [
                UniqueConstraint(properties: ["a"]), UniqueConstraint(properties: ["b"]),
            ])
        let report = try adopt(
            [entity], [unique],
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "E", condition: Self.isEqual("a", 1), reason: "r1"),
                    .init(entity: "E", condition: Self.isEqual("b", 1), reason: "r2"),
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

    // MARK: Links

    @Test func `two ends that keep one take no link twice, and none of an object that is gone`()
        throws
    {
        let report = try adopt(
            Self.pair((true, true)), Self.pair((false, false)),
            MigrationDeclaration(
                from: "1",
                drops: [.init(entity: "A", condition: Self.isEqual("k", 9), reason: "r0")],
                keeps: [
                    .init(entity: "A", relationship: "bs", reason: "r1"),
                    .init(entity: "B", relationship: "as", reason: "r2"),
                ]), entities: Self.pairNumbers, Self.pairTables)
        #expect(
            report.migration?.losses == [
                "2: drop the objects of A where k == 9 (r0): 1 object",
                "2: keep one of several links of A.bs (r1): 2 links",
                "2: keep one of several links of B.as (r2): 2 links",
            ])
        #expect(report.migration?.links.map(\.count) == [6])
    }

    @Test func `links that both ends drop are lost once`() throws {
        let report = try adopt(
            Self.pair((true, true)), Self.pair(nil),
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "A", property: "bs", reason: "r1"),
                    .init(entity: "B", property: "as", reason: "r2"),
                ]), entities: Self.pairNumbers, Self.pairTables)
        #expect(
            report.migration?.losses == ["2: drop A.bs and its links (r1): 7 links"])
        #expect(report.migration?.links.map(\.count) == [7])
    }

    @Test func `links that a step makes do not hide those that it takes`() throws {
        let entities = Self.pair((false, true))
        let report = try adopt(
            entities, entities,
            MigrationDeclaration(
                from: "1",
                links: [
                    .init(entity: "A", relationship: "bs", condition: Self.isEqual("k", 2))
                ],
                drops: [.init(entity: "B", condition: Self.isEqual("k", 1), reason: "r")]),
            entities: Self.pairNumbers,
            """
            CREATE TABLE ZA KEYS, ZK INTEGER, ZBS INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 1), (3, 1, 1, 3, NULL);
            INSERT INTO ZB VALUES (1, 2, 1, 1), (2, 2, 1, 2)
            """)
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["bs 2"])
        #expect(report.migration?.losses.count == 1)
    }

    @Test func `links to an entity that goes are counted where the step makes others`() throws {
        let pair = Self.pair((false, true))
        let (kept, gone) = (Entity(name: "C", parent: "B"), Entity(name: "D", parent: "B"))
        let report = try adopt(
            pair + [kept, gone], pair + [kept],
            MigrationDeclaration(
                from: "1",
                links: [
                    .init(entity: "A", relationship: "bs", condition: Self.isEqual("k", 2))
                ], drops: [.init(entity: "D", reason: "r")]),
            entities: Self.pairNumbers + [(3, "C", 2, 0), (4, "D", 2, 0)],
            """
            CREATE TABLE ZA KEYS, ZK INTEGER, ZBS INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 1), (3, 1, 1, 3, NULL);
            INSERT INTO ZB VALUES (1, 4, 1, 1), (2, 3, 1, 2)
            """)
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["bs 2"])
        #expect(report.migration?.losses == ["2: drop D and its data (r): 1 object"])
    }

    // MARK: Values

    @Test func `values that a sub-entity goes on with are not lost`() throws {
        func entities(parent: [Attribute], child: [Attribute]) -> [Entity] {
            [
                Entity(name: "P", attributes: parent),
                Entity(name: "C", parent: "P", attributes: child),
                Entity(name: "D", parent: "P"),
            ]
        }
        let x = Attribute.optional("x", .int32)
        let report = try adopt(
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
        let report = try adopt(
            [Entity(name: "A", attributes: [x, k]), Entity(name: "B", attributes: [k])],
            [
                Entity(name: "B", renamedFrom: "A", attributes: [k]),
                Entity(name: "A", renamedFrom: "B", attributes: [k]),
            ],
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", property: "x", reason: "r")]),
            entities: Self.pairNumbers,
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
                .comparison(Self.path("k"), .equal, .literal(.null), []),
                .comparison(Self.path("k"), .greater, .literal(.int(limit)), []),
            ]), then: .literal(.int(limit)), otherwise: Self.path("k"))
        let report = try adopt(
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
                == (number == 0 ? [] : ["2: compute E.k anew from what it was: 1 value"]))
    }
}
