import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// How many links each change of a step takes: each is told once.
struct LinkLossTests {
    @Test func `two ends that keep one take no link twice, and none of an object that is gone`()
        throws
    {
        let report = try LossSample.importStore(
            LossSample.pair((true, true)), LossSample.pair((false, false)),
            MigrationDeclaration(
                from: "1",
                drops: [.init(entity: "A", condition: LossSample.isEqual("k", 9), reason: "r0")],
                keeps: [
                    .init(entity: "A", relationship: "bs", reason: "r1"),
                    .init(entity: "B", relationship: "as", reason: "r2"),
                ]), entities: LossSample.pairNumbers, LossSample.pairTables)
        #expect(
            report.migration?.losses == [
                "2: drop the objects of A where k == 9 (r0): 1 object",
                "2: keep one of several links of A.bs (r1): 2 links",
                "2: keep one of several links of B.as (r2): 2 links",
            ])
        #expect(report.migration?.links.map(\.count) == [6])
    }

    @Test func `links that both ends drop are lost once`() throws {
        let report = try LossSample.importStore(
            LossSample.pair((true, true)), LossSample.pair(nil),
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "A", property: "bs", reason: "r1"),
                    .init(entity: "B", property: "as", reason: "r2"),
                ]), entities: LossSample.pairNumbers, LossSample.pairTables)
        #expect(
            report.migration?.losses == ["2: drop A.bs and its links (r1): 7 links"])
        #expect(report.migration?.links.map(\.count) == [7])
    }

    @Test func `the links of a pair that is dropped are told once, with those of what goes too`()
        throws
    {
        func entities(_ more: [Entity], _ relationships: [Relationship]) -> [Entity] {
            [Entity(name: "N", relationships: relationships)] + more
        }
        let tree = [
            Relationship(name: "up", destination: "N", inverse: "down", isOptional: true),
            Relationship(name: "down", destination: "N", inverse: "up", isToMany: true),
        ]
        let report = try LossSample.importStore(
            entities([Entity(name: "C", parent: "N")], tree), entities([], []),
            MigrationDeclaration(
                from: "1",
                drops: [
                    .init(entity: "C", reason: "r0"),
                    .init(entity: "N", property: "up", reason: "r1"),
                    .init(entity: "N", property: "down", reason: "r2"),
                ]),
            entities: [(1, "N", 0, 9), (2, "C", 1, 0)],
            // Of both to both, and of one that goes to itself.
            """
            CREATE TABLE ZN KEYS, ZUP INTEGER);
            INSERT INTO ZN VALUES (1, 1, 1, 2), (2, 1, 1, 3), (3, 2, 1, 1), (4, 2, 1, 4), (5, 2, 1, 3)
            """)
        #expect(
            report.migration?.losses == [
                "2: drop N.up and its links (r1): 5 links",
                "2: drop C and its data (r0): 3 objects",
            ])
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["up 5"])
    }

    @Test(arguments: [0, 2])
    func `only lists of several have an order to forget`(number: Int) throws {
        func entities(isOrdered: Bool, _ more: [Entity]) -> [Entity] {
            [
                Entity(
                    name: "A",
                    relationships: [
                        Relationship(
                            name: "bs", destination: "B", inverse: "a", isToMany: true,
                            isOrdered: isOrdered)
                    ]),
                Entity(
                    name: "B",
                    relationships: [
                        Relationship(name: "a", destination: "A", inverse: "bs", isOptional: true)
                    ]),
            ] + more
        }
        // The third list has one member that stays.
        let more = number == 0 ? "" : ", (5, 2, 1, 4, 2), (6, 2, 1, 4, 1)"
        let order = "2: forget the order of A.bs: 2 links"
        let report = try LossSample.importStore(
            entities(isOrdered: true, [Entity(name: "C", parent: "B")]),
            entities(isOrdered: false, []),
            MigrationDeclaration(from: "1", drops: [.init(entity: "C", reason: "r")]),
            entities: [(1, "A", 0, 9), (2, "B", 0, 9), (3, "C", 2, 0)],
            """
            CREATE TABLE ZA KEYS); CREATE TABLE ZB KEYS, ZA INTEGER, Z_FOK_A INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1), (4, 1, 1);
            INSERT INTO ZB VALUES (1, 2, 1, 1, 1), (2, 2, 1, 2, 1), (3, 2, 1, 3, 1), (4, 3, 1, 3, 2)
                \(more)
            """)
        let words = ["2: drop C and its data (r): 1 object"]
        #expect(report.migration?.losses == (number == 0 ? [] : [order]) + words)
    }

    @Test func `a link of an object that goes to itself becomes one of that which stays`() throws {
        func node(_ constraints: [UniqueConstraint]) -> Entity {
            Entity(
                name: "N", attributes: [.optional("k", .int32)],
                relationships: [
                    Relationship(name: "up", destination: "N", inverse: "down", isOptional: true),
                    Relationship(name: "down", destination: "N", inverse: "up", isToMany: true),
                ], uniqueConstraints: constraints)
        }
        // What led from the one that stays to its equal is gone.
        let report = try LossSample.importStore(
            [node([])], [node([UniqueConstraint(properties: ["k"])])],
            MigrationDeclaration(
                from: "1",
                deduplications: [.init(entity: "N", properties: ["k"], reason: "r")]),
            entities: [(1, "N", 0, 99)],
            """
            CREATE TABLE ZN KEYS, ZK INTEGER, ZUP INTEGER);
            INSERT INTO ZN VALUES (27, 1, 1, 7, 38), (38, 1, 1, 7, 38), (40, 1, 1, 8, 38)
            """
        ) { store in
            let found = try store.rows("SELECT _id, up FROM N")
            #expect(found == [["27", "27"], ["40", "27"]])
        }
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["up 1"])
    }

    @Test func `links that a step makes do not hide those that it takes`() throws {
        let entities = LossSample.pair((false, true))
        let report = try LossSample.importStore(
            entities, entities,
            MigrationDeclaration(
                from: "1",
                links: [
                    .init(entity: "A", relationship: "bs", condition: LossSample.isEqual("k", 2))
                ],
                drops: [.init(entity: "B", condition: LossSample.isEqual("k", 1), reason: "r")]),
            entities: LossSample.pairNumbers,
            """
            CREATE TABLE ZA KEYS, ZK INTEGER, ZBS INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 1), (3, 1, 1, 3, NULL);
            INSERT INTO ZB VALUES (1, 2, 1, 1), (2, 2, 1, 2)
            """)
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["bs 2"])
        #expect(report.migration?.losses.count == 1)
    }

    @Test func `links to an entity that goes are counted where the step makes others`() throws {
        let pair = LossSample.pair((false, true))
        let (kept, gone) = (Entity(name: "C", parent: "B"), Entity(name: "D", parent: "B"))
        let report = try LossSample.importStore(
            pair + [kept, gone], pair + [kept],
            MigrationDeclaration(
                from: "1",
                links: [
                    .init(entity: "A", relationship: "bs", condition: LossSample.isEqual("k", 2))
                ], drops: [.init(entity: "D", reason: "r")]),
            entities: LossSample.pairNumbers + [(3, "C", 2, 0), (4, "D", 2, 0)],
            """
            CREATE TABLE ZA KEYS, ZK INTEGER, ZBS INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
            INSERT INTO ZA VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 1), (3, 1, 1, 3, NULL);
            INSERT INTO ZB VALUES (1, 4, 1, 1), (2, 3, 1, 2)
            """)
        #expect(report.migration?.links.map { "\($0.relationship) \($0.count)" } == ["bs 2"])
        #expect(report.migration?.losses == ["2: drop D and its data (r): 1 object"])
    }
}
