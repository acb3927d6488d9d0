import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

struct RefusalTests {
    @Test func `a row that breaks a rule is refused with its reason, and others are not`() throws {
        let store = try Shelf.store(
            changes: """
                UPDATE ZITEM SET ZTITLE = NULL WHERE Z_PK = 1;
                UPDATE ZTAG SET ZBEST = 3, Z1_BEST = 2 WHERE Z_PK = 4;
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [1])
        #expect(report.refusedRows.first?.property == "title")
        #expect(report.refusedRows.first?.reason.contains("required") == true)
        #expect(try store.rows("SELECT _id FROM Item ORDER BY 1") == [["2"], ["3"], ["7"]])
        let items = report.entities.first { $0.entity == "Item" }
        #expect(items?.read == 1 && items?.written == 0 && items?.refused == 1)
        #expect(!report.isComplete)
    }

    @Test func `rows of entities that the version does not have are refused`() throws {
        let store = try Shelf.store(
            changes: """
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (13, 99, 1, 'Nowhere');
                INSERT INTO ZPLACE VALUES (4, NULL, 1, 'None'), (-5, 4, 1, 'Under');
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id).sorted() == [-5, 4, 13])
        #expect(report.refusedRows.contains { $0.reason.contains("99") })
        #expect(try store.rows("SELECT count(*) FROM Place") == [["2"]])
    }

    @Test func `an optional link that leads nowhere becomes nil and is named`() throws {
        let store = try Shelf.store(changes: "UPDATE ZITEM SET ZPLACE = 77 WHERE Z_PK = 1")
        let report = try store.importStore([Shelf.model])
        #expect(report.lostLinks.map(\.target) == [77])
        #expect(report.lostLinks.first?.relationship == "place")
        #expect(
            try store.rows("SELECT place, place_position FROM Item WHERE _id = 1")
                == [["nil", "nil"]])
        let place = report.relationships.first { $0.relationship == "place" }
        #expect(place?.read == 3 && place?.written == 2 && place?.lost == 1)
        // Both sides of a relationship count the same links, which are named once.
        #expect(place?.inverse == "Place.items")
        #expect(report.text.contains("\n  Item.place ↔ Place.items: 2 of 3\n"))
        #expect(!report.text.contains("\n  Place.items"))
    }

    @Test func `a row whose required link leads nowhere is refused, and what leads to it follows`()
        throws
    {
        let store = try Shelf.store(
            changes: "UPDATE ZTAG SET ZBEST = 50 WHERE Z_PK = 1")
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [1])
        #expect(report.refusedRows.first?.property == "best")
        // Both links to the tag went with it.
        #expect(report.lostLinks.map(\.relationship).sorted() == ["guests", "tags"])
        #expect(try store.rows("SELECT count(*) FROM Item_tags") == [["2"]])
    }

    @Test(arguments: [0, -1, 4, 9, 4_294_967_297, 4_294_967_298, Int64.max])
    func `a key that no object has leads nowhere, however it looks`(key: Int64) throws {
        let store = try Shelf.store(
            changes: """
                UPDATE ZTAG SET ZBEST = \(key), Z1_BEST = 1 WHERE Z_PK = 4;
                UPDATE ZITEM SET ZPLACE = \(key) WHERE Z_PK = 1;
                INSERT INTO Z_1LIKES VALUES (7, \(key));
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [4])
        #expect(
            report.lostLinks.filter { $0.relationship != "tags" }.map(\.relationship)
                == ["place", "likes"])
        #expect(try store.rows("SELECT count(*) FROM Item_likes") == [["2"]])
    }

    @Test func `keys far apart are looked up one by one`() throws {
        let store = try Shelf.store(
            changes: """
                INSERT INTO ZITEM (Z_PK, Z_ENT, ZTITLE) VALUES (4294967298, 3, 'Far');
                UPDATE ZTAG SET ZBEST = 4294967298, Z1_BEST = 1 WHERE Z_PK = 2;
                UPDATE ZTAG SET ZBEST = 4294967297, Z1_BEST = 1 WHERE Z_PK = 4;
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [4])
        #expect(try store.rows("SELECT best_entity FROM Tag WHERE _id = 2") == [["Film"]])
    }

    @Test func `the entity beside a key is that of the object it leads to`() throws {
        let store = try Shelf.store(changes: "UPDATE ZTAG SET Z1_BEST = 1 WHERE Z_PK = 2")
        let report = try store.importStore([Shelf.model])
        #expect(report.isComplete)
        #expect(try store.rows("SELECT best_entity FROM Tag WHERE _id = 2") == [["Film"]])
    }

    @Test func `a link to an object of another entity is lost`() throws {
        let store = try Shelf.store(changes: "UPDATE ZITEM SET ZSEQUEL = 7 WHERE Z_PK = 2")
        let report = try store.importStore([Shelf.model])
        // The store keeps the other side, which still leads back from the right one.
        #expect(report.lostLinks.map(\.relationship) == ["sequel"])
        #expect(report.lostLinks.map(\.target) == [7])
        let other = try Shelf.store(changes: "UPDATE ZITEM SET ZPREQUEL = 7 WHERE Z_PK = 3")
        let links = try other.importStore([Shelf.model]).lostLinks
        #expect(links.map(\.relationship) == ["prequel", "sequel"])
        #expect(try other.rows("SELECT prequel FROM Item WHERE _id = 3") == [["nil"]])
    }

    @Test func `of two objects that lead to one by a one-to-one, the first does`() throws {
        let store = try Shelf.store(
            changes: "INSERT INTO ZITEM (Z_PK, Z_ENT, ZTITLE, ZPREQUEL) VALUES (8, 2, 'III', 2)")
        let report = try store.importStore([Shelf.model])
        #expect(report.lostLinks.map(\.id) == [8])
        #expect(try store.rows("SELECT _id FROM Item WHERE prequel = 2") == [["3"]])
    }

    @Test func `of rows that are alike where none may be, the first stays`() throws {
        let store = try Shelf.store(changes: "UPDATE ZTAG SET ZLABEL = 'green'")
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [2, 4])
        #expect(report.refusedRows.first?.reason.contains("same label") == true)
        #expect(try store.rows("SELECT _id FROM Tag") == [["1"]])
    }

    @Test func `many bad rows among many are found, each`() throws {
        let store = try Shelf.store(
            changes: """
                WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 1099)
                INSERT INTO ZPLACE SELECT i, 4, 1, iif(i % 100 = 7, NULL, 'p' || i) FROM n;
                INSERT INTO ZPLACE VALUES (9000000000000000000, 4, 1, NULL);
                """)
        let report = try store.importStore([Shelf.model])
        #expect(
            report.refusedRows.map(\.id)
                == [107, 207, 307, 407, 507, 607, 707, 807, 907, 1007, 9_000_000_000_000_000_000])
        #expect(try store.rows("SELECT count(*) FROM Place") == [["992"]])
    }

    @Test func `rules that no check of the store holds hold too`() throws {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "A",
                    attributes: [
                        Attribute(
                            name: "code", type: .string, isOptional: true,
                            limits: Limits(pattern: "(ab|cd)+"))
                    ],
                    relationships: [
                        Relationship(name: "next", destination: "A", isOptional: false),
                        Relationship(
                            name: "all", destination: "A", inverse: "all", isToMany: true),
                    ],
                    rules: [
                        Rule(
                            name: "calm",
                            condition: .comparison(
                                .keyPath(root: .subject, names: ["next", "code"]), .notEqual,
                                .literal(.string("abab")), []))
                    ])
            ])
        let store = try OldStore(
            entities: [(1, "A", 0, 6)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZNEXT INTEGER, ZCODE VARCHAR);
                CREATE TABLE Z_1ALL (Z_1ALL INTEGER, REFLEXIVE INTEGER);
                INSERT INTO ZA VALUES (1, 1, 1, 1, NULL), (2, 1, 1, 1, 'abab'), (3, 1, 1, 1, 'ba'),
                    (4, 1, 1, 2, 'cd'), (5, 1, 1, 4, 'cd'), (6, 1, 1, 1, 'cdab');
                INSERT INTO Z_1ALL VALUES (1, 3), (1, 6), (5, 6);
                """)
        let report = try store.importStore([model])
        #expect(try store.rows("SELECT _id FROM A ORDER BY 1") == [["1"], ["2"], ["6"]])
        #expect(report.refusedRows.map(\.id).sorted() == [3, 4, 5])
        #expect(report.refusedRows.first { $0.id == 3 }?.property == "code")
        #expect(report.refusedRows.first { $0.id == 4 }?.reason.contains("calm") == true)
        // What needed a refused row went with it.
        #expect(report.refusedRows.first { $0.id == 5 }?.property == "next")
        #expect(
            try store.rows("SELECT _source, _destination FROM A_all ORDER BY 1")
                == [["1", "6"], ["6", "1"]])
        #expect(report.relationships.first { $0.relationship == "all" }?.written == 1)
    }

    @Test func `a row that cannot be for itself takes no like row with it`() throws {
        // Tag 1 leads nowhere, and comes before its like.
        let store = try Shelf.store(
            changes: "UPDATE ZTAG SET ZLABEL = 'same'; UPDATE ZTAG SET ZBEST = 99 WHERE Z_PK = 1")
        let report = try store.importStore([Shelf.model])
        #expect(try store.rows("SELECT _id FROM Tag") == [["2"]])
        #expect(report.refusedRows.map(\.id) == [1, 4])
        #expect(report.refusedRows.map { $0.property ?? "" } == ["best", "label"])
        #expect(report.entities.first { $0.entity == "Tag" }?.read == 3)
        #expect(
            report.relationships.filter { $0.relationship == "tags" }.map { [$0.read, $0.written] }
                == [[3, 1]])
    }

    @Test func `reasons tell keys of no object from refused ones and those of other entities`()
        throws
    {
        let store = try Shelf.store(
            changes: """
                UPDATE ZPLACE SET ZNAME = NULL WHERE Z_PK = 2;
                UPDATE ZITEM SET ZPREQUEL = 7 WHERE Z_PK = 3;
                UPDATE ZITEM SET ZPLACE = 50 WHERE Z_PK = 1;
                """)
        let report = try store.importStore([Shelf.model])
        func reason(_ id: Int64, _ relationship: String) -> String? {
            report.lostLinks.first { $0.id == id && $0.relationship == relationship }?.reason
        }
        #expect(reason(3, "place") == "the object of that key was refused")
        #expect(reason(3, "prequel") == "the object of that key is of Film, which is not a Book")
        #expect(reason(1, "place") == "there is no object of that key in the store")
    }
}
