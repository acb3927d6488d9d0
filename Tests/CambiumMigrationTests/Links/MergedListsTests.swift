import CambiumMigration
import CambiumModel
import CambiumSQL
import Testing

/// Ordered lists that become one: none is shuffled into the other.
@Suite struct MergedListsTests {
    private typealias Store = TestStore

    private func many(
        _ name: String, _ to: String, _ inverse: String, ordered: Bool = true
    ) -> Relationship {
        Relationship(
            name: name, destination: to, inverse: inverse, isToMany: true, isOrdered: ordered)
    }

    private func one(_ name: String, _ to: String, _ inverse: String) -> Relationship {
        Relationship(name: name, destination: to, inverse: inverse, isOptional: true)
    }

    private let number = Attribute(name: "number", type: .int64)

    /// Albums whose equals become one.
    private func model(
        _ version: String, tracks: Relationship, back: Relationship,
        links: MigrationDeclaration.Deduplication.Links = .move
    ) -> Model {
        let isNew = version == "2"
        return Store.model(
            version,
            [
                Entity(
                    name: "Album", attributes: [number], relationships: [tracks],
                    uniqueConstraints: isNew ? [UniqueConstraint(properties: ["number"])] : []),
                Entity(name: "Track", relationships: [back]),
            ],
            deduplications: isNew
                ? [
                    .init(
                        entity: "Album", properties: ["number"],
                        order: [.init("number", isDescending: false)], links: links,
                        reason: "a test")
                ] : [])
    }

    @Test func `the list of the object that stays comes first, then those of its equals`() throws {
        let (tracks, back) = (many("tracks", "Track", "album"), one("album", "Album", "tracks"))
        let found = try Store.migrate(
            model("1", tracks: tracks, back: back), model("2", tracks: tracks, back: back),
            rows: """
                INSERT INTO Album (_id, number) VALUES (1, 7), (2, 7), (3, 7), (4, 8);
                INSERT INTO Track (_id, album, album_position) VALUES (1, 3, 1), (2, 2, 2), (3, 2, 1),
                    (4, 1, 2), (5, 1, 1), (6, 1, NULL), (7, 4, 2), (8, 4, 1);
                """,
            query: "SELECT album, _id FROM Track ORDER BY album, album_position NULLS LAST, _id")
        #expect(
            found == [
                ["1", "5"], ["1", "4"], ["1", "6"], ["1", "3"], ["1", "2"], ["1", "1"], ["4", "8"],
                ["4", "7"],
            ])
    }

    @Test func `so do the lists of a many-to-many, each member once`() throws {
        let (tracks, back) = (
            many("tracks", "Track", "albums"), many("albums", "Album", "tracks", ordered: false)
        )
        let found = try Store.migrate(
            model("1", tracks: tracks, back: back), model("2", tracks: tracks, back: back),
            rows: """
                INSERT INTO Album (_id, number) VALUES (1, 7), (2, 7), (3, 7);
                INSERT INTO Track (_id) VALUES (1), (2), (3), (4);
                INSERT INTO Album_tracks VALUES (1, 4, 1), (1, 3, 2), (2, 2, 1), (2, 3, 0), (3, 1, 0);
                """,
            query: "SELECT _destination FROM Album_tracks ORDER BY _source, _source_position")
        #expect(found == [["4"], ["3"], ["2"], ["1"]])
    }

    @Test(arguments: [false, true])
    func `the lists of several relationships that move up follow each other`(
        isManyToMany: Bool
    ) throws {
        func back(_ name: String, _ inverse: String) -> Relationship {
            isManyToMany
                ? many(name, "Owner", inverse, ordered: false) : one(name, "Owner", inverse)
        }
        let old = Store.model(
            "1",
            [
                Entity(
                    name: "Owner",
                    relationships: [
                        many("films", "Film", "owner"), many("books", "Book", "owner"),
                    ]), Entity(name: "Item"),
                Entity(name: "Book", parent: "Item", relationships: [back("owner", "books")]),
                Entity(name: "Film", parent: "Item", relationships: [back("owner", "films")]),
            ])
        let new = Store.model(
            "2",
            [
                Entity(name: "Owner", relationships: [many("items", "Item", "owner")]),
                Entity(name: "Item", relationships: [back("owner", "items")]),
                Entity(name: "Book", parent: "Item"), Entity(name: "Film", parent: "Item"),
            ])
        let items = """
            INSERT INTO Owner (_id) VALUES (1);
            INSERT INTO Item (_id, _entity) VALUES (1, 'Film'), (2, 'Book'), (3, 'Film'), (4, 'Book');
            """
        let links =
            isManyToMany
            ? """
            INSERT INTO Book_owner VALUES (2, 1, 2), (4, 1, 1);
            INSERT INTO Film_owner VALUES (1, 1, 2), (3, 1, 1);
            """
            : """
            UPDATE Item SET Book_owner = 1, Book_owner_position = 5 - _id WHERE _entity = 'Book';
            UPDATE Item SET Film_owner = 1, Film_owner_position = 5 - _id WHERE _entity = 'Film';
            """
        let found = try Store.migrate(
            old, new, rows: items + links,
            query: isManyToMany
                ? "SELECT _source FROM Item_owner ORDER BY _destination_position"
                : "SELECT _id FROM Item ORDER BY owner_position")
        #expect(found == [["4"], ["2"], ["3"], ["1"]])
    }
}
