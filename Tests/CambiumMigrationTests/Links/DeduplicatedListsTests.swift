import CambiumMigration
import CambiumModel
import Testing

/// What becomes of the ordered lists of equal objects, of which one stays, and of those that they are
/// in.
@Suite struct DeduplicatedListsTests {
    private typealias Store = TestStore

    @Test func `an object of a tree takes a link with its place in a list that is not joined`()
        throws
    {
        func model(_ version: String) -> Model {
            let isNew = version == "2"
            return Store.model(
                version,
                [
                    Entity(
                        name: "Node", attributes: [Attribute(name: "number", type: .int64)],
                        relationships: [
                            Relationship(
                                name: "parent", destination: "Node", inverse: "children",
                                isOptional: true),
                            Relationship(
                                name: "children", destination: "Node", inverse: "parent",
                                isToMany: true, isOrdered: true),
                        ],
                        uniqueConstraints: isNew ? [UniqueConstraint(properties: ["number"])] : [])
                ],
                deduplications: isNew
                    ? [.init(entity: "Node", properties: ["number"], reason: "a test")] : [])
        }
        // 2 takes the place of 4, behind 3.
        let found = try Store.migrate(
            model("1"), model("2"),
            rows: """
                INSERT INTO Node (_id, number, parent, parent_position) VALUES
                    (1, 1, NULL, NULL), (2, 7, NULL, NULL), (3, 8, 1, 10000000), (4, 7, 1, 20000000);
                """, query: "SELECT _id FROM Node WHERE parent = 1 ORDER BY parent_position")
        #expect(found == [["3"], ["2"]])
    }

    private func model(_ version: String, without name: String) -> Model {
        func entity(
            _ name: String, _ list: String, of other: String, _ inverse: String, _ isUnique: Bool
        )
            -> Entity
        {
            Entity(
                name: name,
                attributes: ["number", "rank"].map { Attribute(name: $0, type: .int64) },
                relationships: [
                    Relationship(
                        name: list, destination: other, inverse: inverse, isToMany: true,
                        isOrdered: true)
                ],
                uniqueConstraints: isUnique ? [UniqueConstraint(properties: ["number"])] : [])
        }
        let isNew = version == "2"
        return Store.model(
            version,
            [
                entity("A", "b", of: "B", "a", isNew && name == "A"),
                entity("B", "a", of: "A", "b", isNew && name == "B"),
            ],
            deduplications: isNew
                ? [
                    .init(
                        entity: name, properties: ["number"],
                        order: [.init("rank", isDescending: true)], reason: "a test")
                ] : [])
    }

    /// Of 1, 2 and 3 the last stays, then comes 2: the others' lists are told by what has the key.
    @Test(arguments: [("A", "B", "_source", "_destination"), ("B", "A", "_destination", "_source")])
    func `of links of equal objects to one the first stays, with its place in both lists`(
        name: String, other: String, own: String, end: String
    ) throws {
        let rows = """
            INSERT INTO \(name) (_id, number, rank) VALUES (1, 7, 0), (2, 7, 1), (3, 7, 2), (4, 8, 0);
            INSERT INTO \(other) (_id, number, rank) VALUES (10, 0, 0), (11, 0, 0), (12, 0, 0);
            INSERT INTO A_b (\(own), \(end), \(own)_position, \(end)_position) VALUES
                (1, 10, 0, 0), (1, 11, 1, 0), (2, 10, 0, 2), (2, 12, 1, 1), (3, 11, 0, 1),
                (4, 10, 0, 1), (4, 11, 1, 2), (4, 12, 2, 0);
            """
        let query = """
            SELECT list, group_concat(member, ' ') FROM (
                SELECT \(own) AS list, \(end) AS member FROM A_b ORDER BY 1, \(own)_position)
            GROUP BY 1 UNION ALL SELECT list, group_concat(member, ' ') FROM (
                SELECT \(end) AS list, \(own) AS member FROM A_b ORDER BY 1, \(end)_position)
            GROUP BY 1
            """
        let found = try Store.migrate(
            model("1", without: name), model("2", without: name), rows: rows, query: query)
        #expect(
            found == [
                ["3", "11 10 12"], ["4", "10 11 12"], ["10", "4 3"], ["11", "3 4"], ["12", "4 3"],
            ])
    }
}
