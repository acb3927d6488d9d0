import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

struct CopyingTests {
    @Test func `objects keep keys, entities, versions and values`() throws {
        let store = try Shelf.store()
        let report = try store.importStore([Shelf.model])
        #expect(
            try store.rows(
                """
                SELECT _id, _version, _entity, title, Book_text, Film_text FROM Item ORDER BY _id
                """) == [
                    ["1", "3", "Item", "Vase", "nil", "nil"],
                    ["2", "1", "Book", "Trees", "of a book", "nil"],
                    ["3", "1", "Book", "Trees II", "of another", "nil"],
                    ["7", "1", "Film", "Night", "nil", "of a film"],
                ])
        #expect(report.isComplete)
        #expect(report.entities.map(\.written) == [1, 2, 1, 2, 3])
        #expect(report.destination == store.newPath)
    }

    @Test func `links of every kind are imported, in their order`() throws {
        let store = try Shelf.store()
        let report = try store.importStore([Shelf.model])
        #expect(
            try store.rows("SELECT _id FROM Item WHERE place = 1 ORDER BY place_position")
                == [["2"], ["1"]])
        #expect(
            try store.rows(
                "SELECT _destination FROM Item_tags WHERE _source = 2 ORDER BY _source_position")
                == [["4"], ["1"]])
        #expect(
            try store.rows("SELECT _source, _destination FROM Item_likes ORDER BY 1")
                == [["1", "2"], ["2", "1"]])
        #expect(
            try store.rows("SELECT _source, _destination FROM Place_guests ORDER BY 1, 2")
                == [["1", "1"], ["1", "2"]])
        #expect(
            try store.rows("SELECT _id, best, best_entity FROM Tag ORDER BY 1")
                == [["1", "2", "Book"], ["2", "7", "Film"], ["4", "1", "Item"]])
        let tags = report.relationships.filter { $0.relationship == "tags" }
        #expect(tags.map(\.read) == [3] && tags.map(\.written) == [3])
        let items = report.relationships.first {
            ($0.entity, $0.relationship) == ("Place", "items")
        }
        #expect(items?.read == 3 && items?.written == 3)
    }

    @Test func `keys are given after those that were given`() throws {
        let store = try Shelf.store()
        _ = try store.importStore([Shelf.model])
        #expect(
            try store.rows("SELECT entity, next FROM _keys ORDER BY 1")
                == [["Item", "10"], ["Place", "4"], ["Tag", "5"]])
    }

    @Test func `UUID and notes of the store are imported`() throws {
        let store = try Shelf.store()
        _ = try store.importStore([Shelf.model])
        #expect(
            try store.rows(
                "SELECT value FROM _metadata WHERE name IN ('uuid', 'user.owner') ORDER BY name")
                == [["Ada"], ["3C6A1C0E-6C3E-4B9E-9B77-0A4C0F1D2E3B"]])
    }

    @Test func `links are those of the table, where its index has others`() throws {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "A",
                    relationships: [
                        Relationship(name: "bs", destination: "B", inverse: "xs", isToMany: true)
                    ]),
                Entity(
                    name: "B",
                    relationships: [
                        Relationship(name: "xs", destination: "A", inverse: "bs", isToMany: true)
                    ]),
            ])
        let store = try OldStore(
            entities: [(1, "A", 0, 2), (2, "B", 0, 2)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE Z_1BS (Z_1XS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1XS, Z_2BS));
                CREATE TABLE OTHER (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
                INSERT INTO ZA VALUES (1, 1, 1), (2, 1, 1);
                INSERT INTO ZB VALUES (1, 2, 1), (2, 2, 1);
                INSERT INTO Z_1BS VALUES (1, 1), (2, 2), (1, 2);
                INSERT INTO OTHER VALUES (1, 1), (2, 2), (2, 1);
                """)
        let links = "SELECT _source, _destination FROM A_bs ORDER BY 1, 2"
        #expect(try store.importStore([model]).lostLinks.isEmpty)
        #expect(try store.rows(links) == [["1", "1"], ["1", "2"], ["2", "2"]])
        try FileManager.default.removeItem(atPath: store.newPath)
        let writer = try Connection(path: store.path)
        try writer.withoutDefense {
            try writer.execute(
                """
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema
                    WHERE name = 'sqlite_autoindex_OTHER_1') WHERE name = 'sqlite_autoindex_Z_1BS_1';
                """)
        }
        #expect(try store.importStore([model]).lostLinks.isEmpty)
        #expect(try store.rows(links) == [["1", "1"], ["1", "2"], ["2", "2"]])
    }

    @Test func `tables of Core Data's own are left out and named`() throws {
        let store = try Shelf.store(
            changes: """
                CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZENTITY INTEGER);
                INSERT INTO ACHANGE VALUES (1, 1), (2, 1);
                CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY);
                INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 2);
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.omittedTables == ["ACHANGE", "ANSCKEVENT"])
        #expect(report.omittedParts.first?.rows == 2)
        #expect(report.omittedParts.dropFirst().first?.reason.contains("CloudKit") == true)
        #expect(report.isComplete)
    }

    @Test func `the old store stays as it is, with nothing beside it`() throws {
        let store = try Shelf.store()
        let before = try Data(contentsOf: URL(filePath: store.path))
        _ = try store.importStore([Shelf.model])
        #expect(try Data(contentsOf: URL(filePath: store.path)) == before)
        #expect(store.files == ["Old.sqlite", "new.sqlite"].sorted())
    }

    @Test func `what is only in the write-ahead log is read, and the log stays`() throws {
        let store = try Shelf.store()
        let writer = try Connection(path: store.path)
        try writer.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
            UPDATE ZITEM SET ZTITLE = 'Bowl' WHERE Z_PK = 1
            """)
        let files = ["", "-wal"].map { URL(filePath: store.path + $0) }
        let before = try files.map { try Data(contentsOf: $0) }
        #expect(before[1].count > 0)
        _ = try store.importStore([Shelf.model])
        #expect(try store.rows("SELECT title FROM Item WHERE _id = 1") == [["Bowl"]])
        #expect(try files.map { try Data(contentsOf: $0) } == before)
        #expect(store.files.filter { $0.contains("adopting") }.isEmpty)
    }

}
