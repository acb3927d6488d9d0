import CambiumMigration
import CambiumModel
import Testing

/// The migration of to-one links to equal objects if only one of the objects is kept.
@Suite struct DeduplicatedLinksTests {
    private typealias Store = TestStore

    private func model(_ version: String, _ first: String, _ rest: [Entity]) -> Model {
        let isNew = version == "2"
        let entities = rest.map { entity in
            guard entity.name == first, isNew else { return entity }
            return Entity(
                name: entity.name, attributes: entity.attributes,
                relationships: entity.relationships,
                uniqueConstraints: [UniqueConstraint(properties: ["number"])])
        }
        return Store.model(
            version, entities,
            deduplications: isNew
                ? [.init(entity: first, properties: ["number"], reason: "a test")] : [])
    }

    private func links(
        of entities: [Entity], without name: String, rows: String, query: String
    ) throws -> [[String]] {
        try Store.migrate(
            model("1", name, entities), model("2", name, entities), rows: rows, query: query)
    }

    private let number = Attribute(name: "number", type: .int64)

    @Test(arguments: ["Account", "Zone"])
    func `a one-to-one moves to the object that stays, whichever side keeps the key`(
        name: String
    ) throws {
        let entities = [
            Entity(
                name: name, attributes: [number],
                relationships: [
                    Relationship(
                        name: "mate", destination: "Buddy", inverse: "owner", isOptional: true)
                ]),
            Entity(
                name: "Buddy",
                relationships: [
                    Relationship(
                        name: "owner", destination: name, inverse: "mate", isOptional: true)
                ]),
        ]
        // In the two stores the same is linked: 2 with 6, 3 with 5, 8 with 7; 9 gives way to 8.
        let hasKey = name == "Account"
        let found = try links(
            of: entities, without: name,
            rows: hasKey
                ? """
                INSERT INTO Buddy (_id) VALUES (4), (5), (6), (7);
                INSERT INTO Account (_id, number, mate)
                VALUES (1, 7, NULL), (2, 7, 6), (3, 7, 5), (8, 8, 7), (9, 8, 4);
                """
                : """
                INSERT INTO Zone (_id, number) VALUES (1, 7), (2, 7), (3, 7), (8, 8), (9, 8);
                INSERT INTO Buddy (_id, owner) VALUES (4, 9), (5, 3), (6, 2), (7, 8);
                """,
            query: hasKey
                ? "SELECT _id, mate FROM Account ORDER BY 1"
                : "SELECT owner, _id FROM Buddy WHERE owner IS NOT NULL ORDER BY 1")
        #expect(found == [["1", "6"], ["8", "7"]])
    }

    @Test func `the place of an object that goes is free`() throws {
        let mates = ["best", "bestOf"].map { name in
            Relationship(
                name: name, destination: "Person", inverse: name == "best" ? "bestOf" : "best",
                isOptional: true)
        }
        let found = try links(
            of: [Entity(name: "Person", attributes: [number], relationships: mates)],
            without: "Person",
            rows: """
                INSERT INTO Person (_id, number, best)
                VALUES (1, 7, NULL), (2, 7, 1), (3, 8, 2), (4, 9, 5), (5, 9, 6), (6, 6, NULL);
                """, query: "SELECT _id, best FROM Person ORDER BY 1")
        // What linked 4 and 5 is gone, as they are one: there is room for what 5 had.
        #expect(found == [["1", "nil"], ["3", "1"], ["4", "6"], ["6", "nil"]])
    }

    @Test func `an object that stays takes the to-one that it lacks, with its place`() throws {
        let entities = [
            Entity(
                name: "Track", attributes: [number],
                relationships: [
                    Relationship(
                        name: "album", destination: "Album", inverse: "tracks", isOptional: true)
                ]),
            Entity(
                name: "Album",
                relationships: [
                    Relationship(
                        name: "tracks", destination: "Track", inverse: "album", isToMany: true,
                        isOrdered: true)
                ]),
        ]
        let found = try links(
            of: entities, without: "Track",
            rows: """
                INSERT INTO Album (_id) VALUES (1), (2);
                INSERT INTO Track (_id, number, album, album_position)
                VALUES (1, 7, NULL, NULL), (2, 7, 1, 0), (3, 8, 1, 1), (4, 7, 2, 0), (5, 8, 2, 1);
                """, query: "SELECT _id, album, album_position FROM Track ORDER BY 1")
        #expect(found == [["1", "1", "0"], ["3", "1", "1"]])
    }

    @Test func `an object does not become its own parent`() throws {
        let tree = [
            Relationship(
                name: "parent", destination: "Node", inverse: "children", isOptional: true),
            Relationship(
                name: "children", destination: "Node", inverse: "parent", isToMany: true),
        ]
        let found = try links(
            of: [Entity(name: "Node", attributes: [number], relationships: tree)], without: "Node",
            rows: """
                INSERT INTO Node (_id, number, parent)
                VALUES (1, 7, NULL), (2, 7, 1), (3, 8, NULL), (4, 8, 2), (5, 9, 4), (6, 10, 7),
                    (7, 10, 7), (8, 11, 8);
                """, query: "SELECT _id, parent FROM Node ORDER BY 1")
        #expect(found == [["1", "nil"], ["3", "1"], ["5", "3"], ["6", "6"], ["8", "8"]])
    }

    @Test func `what only some sub-entities have, others do not take`() throws {
        let entities = [
            Entity(name: "Item", attributes: [number]),
            Entity(
                name: "Book", parent: "Item",
                relationships: [
                    Relationship(
                        name: "shelf", destination: "Shelf", inverse: "books", isOptional: true)
                ]),
            Entity(
                name: "Shelf",
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "shelf", isToMany: true)
                ]),
        ]
        let found = try links(
            of: entities, without: "Item",
            rows: """
                INSERT INTO Shelf (_id) VALUES (1);
                INSERT INTO Item (_id, _entity, number, shelf) VALUES (1, 'Item', 7, NULL),
                (2, 'Book', 7, 1), (3, 'Book', 8, NULL), (4, 'Item', 8, NULL), (5, 'Book', 8, 1);
                """, query: "SELECT _id, shelf FROM Item ORDER BY 1")
        #expect(found == [["1", "nil"], ["3", "1"]])
    }

    @Test func `what linked equal objects many to many goes`() throws {
        let friends = [
            Relationship(
                name: "likes", destination: "Person", inverse: "likedBy", isToMany: true),
            Relationship(
                name: "likedBy", destination: "Person", inverse: "likes", isToMany: true),
        ]
        let found = try links(
            of: [Entity(name: "Person", attributes: [number], relationships: friends)],
            without: "Person",
            rows: """
                INSERT INTO Person (_id, number) VALUES (1, 7), (2, 7), (3, 8), (4, 9), (5, 9);
                INSERT INTO Person_likedBy VALUES (1, 2), (2, 1), (2, 3), (3, 3), (5, 5), (4, 5);
                """, query: "SELECT _source, _destination FROM Person_likedBy ORDER BY 1, 2")
        // What one had to itself is now what the other has.
        #expect(found == [["1", "3"], ["3", "3"], ["4", "4"]])
    }

    @Test(arguments: [["Group", "Person"], ["Person", "Group"]])
    func `the rules are followed in the order in which they stand`(entities: [String]) throws {
        func model(_ version: String) -> Model {
            let unique = { (names: [String]) in
                version == "2" ? [UniqueConstraint(properties: names)] : []
            }
            let members = Relationship(
                name: "people", destination: "Person", inverse: "group", isToMany: true)
            let group = Relationship(
                name: "group", destination: "Group", inverse: "people", isOptional: true)
            return Store.model(
                version,
                [
                    Entity(
                        name: "Group", attributes: [number], relationships: [members],
                        uniqueConstraints: unique(["number"])),
                    Entity(
                        name: "Person", attributes: [number], relationships: [group],
                        uniqueConstraints: unique(["number", "group"])),
                ],
                deduplications: version == "1"
                    ? []
                    : entities.map {
                        .init(
                            entity: $0,
                            properties: $0 == "Group" ? ["number"] : ["number", "group"],
                            reason: "a test")
                    })
        }
        // Only once the groups are one, the persons are equal.
        let rows = """
            INSERT INTO "Group" (_id, number) VALUES (1, 7), (2, 7);
            INSERT INTO Person (_id, number, "group") VALUES (1, 5, 1), (2, 5, 2);
            """
        if entities.first == "Group" {
            let found = try Store.migrate(
                model("1"), model("2"), rows: rows, query: "SELECT _id, \"group\" FROM Person")
            #expect(found == [["1", "1"]])
        } else {
            #expect(throws: MigrationError.self) {
                try Store.migrate(model("1"), model("2"), rows: rows)
            }
        }
    }

    /// Authors with a name that is unique from now on, and books that were unique already by a number
    /// and their author.
    private func library(_ version: String) -> Model {
        let isNew = version == "2"
        return Store.model(
            version,
            [
                Entity(
                    name: "Author", attributes: [Store.string("name")],
                    relationships: [
                        Relationship(
                            name: "books", destination: "Book", inverse: "author", isToMany: true)
                    ],
                    uniqueConstraints: isNew ? [UniqueConstraint(properties: ["name"])] : []),
                Entity(
                    name: "Book", attributes: [number],
                    relationships: [
                        Relationship(name: "author", destination: "Author", inverse: "books")
                    ],
                    uniqueConstraints: [UniqueConstraint(properties: ["number", "author"])]),
            ],
            deduplications: isNew
                ? [
                    .init(entity: "Author", properties: ["name"], reason: "a test"),
                    .init(entity: "Book", properties: ["number", "author"], reason: "a test"),
                ] : [])
    }

    @Test func `what was unique already may become equal, and one of it stays`() throws {
        let found = try Store.migrate(
            library("1"), library("2"),
            rows: """
                INSERT INTO Author (_id, name) VALUES (1, 'Ann'), (2, 'Ann'), (3, 'Bo');
                INSERT INTO Book (_id, number, author)
                VALUES (1, 7, 1), (2, 7, 2), (3, 7, 3), (4, 8, 2);
                """,
            query: "SELECT _id, number, author FROM Book ORDER BY 1")
        #expect(found == [["1", "7", "1"], ["3", "7", "3"], ["4", "8", "1"]])
    }
}
