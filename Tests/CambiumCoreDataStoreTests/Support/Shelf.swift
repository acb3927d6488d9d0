import CambiumModel

@testable import CambiumCoreDataStore

/// A model with one of each thing that Core Data keeps in its own way, and the tables in which it
/// does.
enum Shelf {
    static let model = version("1")

    static func version(
        _ name: String, identifier: String? = nil, with more: [Attribute] = []
    ) -> Model {
        Model(
            name: "Shelf", version: name,
            entities: [
                Entity(
                    name: "Item",
                    attributes: [.required("title", .string)] + more,
                    relationships: [
                        Relationship(name: "place", destination: "Place", inverse: "items"),
                        Relationship(
                            name: "tags", destination: "Tag", inverse: "items", isToMany: true,
                            isOrdered: true),
                        Relationship(
                            name: "likes", destination: "Item", inverse: "likes", isToMany: true),
                    ]),
                Entity(
                    name: "Book", parent: "Item", attributes: [.optional("text", .string)],
                    relationships: [
                        Relationship(
                            name: "sequel", destination: "Book", inverse: "prequel"),
                        Relationship(name: "prequel", destination: "Book", inverse: "sequel"),
                    ]),
                Entity(name: "Film", parent: "Item", attributes: [.optional("text", .string)]),
                Entity(
                    name: "Place", attributes: [.required("name", .string)],
                    relationships: [
                        Relationship(
                            name: "items", destination: "Item", inverse: "place", isToMany: true,
                            isOrdered: true),
                        Relationship(name: "guests", destination: "Tag", isToMany: true),
                    ]),
                Entity(
                    name: "Tag", attributes: [.required("label", .string)],
                    relationships: [
                        Relationship(
                            name: "items", destination: "Item", inverse: "tags", isToMany: true),
                        Relationship(
                            name: "best", destination: "Item", isOptional: false),
                    ],
                    uniqueConstraints: [UniqueConstraint(properties: ["label"])]),
            ], identifier: identifier)
    }

    static let entities = [
        (1, "Item", 0, 9), (2, "Book", 1, 0), (3, "Film", 1, 0), (4, "Place", 0, 3),
        (5, "Tag", 0, 4),
    ]

    static let tables = """
        CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPLACE INTEGER,
            Z_FOK_PLACE INTEGER, ZPREQUEL INTEGER, ZSEQUEL INTEGER, ZTITLE VARCHAR, ZTEXT VARCHAR,
            ZTEXT1 VARCHAR);
        CREATE TABLE ZPLACE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZBEST INTEGER,
            Z1_BEST INTEGER, Z4GUESTS INTEGER, ZLABEL VARCHAR);
        CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_5TAGS1 INTEGER, Z_FOK_5TAGS1 INTEGER,
            PRIMARY KEY (Z_1ITEMS, Z_5TAGS1));
        CREATE TABLE Z_1LIKES (Z_1LIKES INTEGER, REFLEXIVE INTEGER,
            PRIMARY KEY (Z_1LIKES, REFLEXIVE));

        """

    static let rows = """
        INSERT INTO ZITEM VALUES (1, 1, 3, 1, 2048, NULL, NULL, 'Vase', NULL, NULL),
            (2, 2, 1, 1, 1024, NULL, 3, 'Trees', 'of a book', NULL),
            (3, 2, 1, 2, 1024, 2, NULL, 'Trees II', 'of another', NULL),
            (7, 3, NULL, NULL, NULL, NULL, NULL, 'Night', NULL, 'of a film');
        INSERT INTO ZPLACE VALUES (1, 4, 1, 'Hall'), (2, 4, 1, 'Attic');
        INSERT INTO ZTAG VALUES (1, 5, 1, 2, 2, 1, 'green'), (2, 5, 1, 7, 3, 1, 'dark'),
            (4, 5, 1, 1, 1, NULL, 'old');
        INSERT INTO Z_1TAGS VALUES (2, 1, 2048), (2, 4, 1024), (7, 2, 1024);
        INSERT INTO Z_1LIKES VALUES (1, 2);

        """

    /// A store with rows.
    ///
    /// - Parameter changes: What is done to the tables after that.
    static func store(identifiers: [String] = [], hash: [UInt8] = [], changes: String = "") throws
        -> OldStore
    {
        try OldStore(
            entities: entities, identifiers: identifiers, notes: ["owner": "Ada"],
            hash: hash, sql: tables + rows + changes)
    }
}
