import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// Tables that several entities share.
struct HierarchyTests {
    @Test func `a value of another entity's property is told, and not copied`() throws {
        let store = try Shelf.store(
            changes: """
                UPDATE ZITEM SET ZTEXT1 = 'of a film' WHERE Z_PK = 2;
                UPDATE ZITEM SET ZPREQUEL = 2, ZTEXT = x'00' WHERE Z_PK = 7;
                """)
        let report = try store.importStore([Shelf.model])
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property)" }
                == ["Film 7.text", "Book 2.text"])
        #expect(
            report.lostLinks.map { "\($0.entity) \($0.id).\($0.relationship)" }
                == ["Film 7.prequel"])
        #expect(
            try store.rows("SELECT prequel, Book_text, Film_text FROM Item WHERE _id IN (2, 7)")
                == [["nil", "of a book", "nil"], ["nil", "nil", "of a film"]])
        let links = report.relationships.first { $0.relationship == "prequel" }
        #expect(links?.read == 2 && links?.written == 1 && links?.lost == 1)
        #expect(report.refusedRows.isEmpty && !report.isComplete)
    }

    @Test(arguments: [
        (AttributeType.int32, "INTEGER", Value.int(5), "5", "6"),
        (.bool, "INTEGER", .bool(false), "0", "1"),
        (.decimal(scale: 2), "DECIMAL", .decimal(2.5), "2.5", "2"),
        (.anyDecimal, "DECIMAL", .decimal(2.5), "2.5", "2"),
        (.string, "VARCHAR", .string("none"), "'none'", "'some'"),
        (.float, "FLOAT", .double(0.1), "0.10000000149011612", "0.1001"),
        (.float, "FLOAT", .double(0.1), "0.100000001490116", "0.10000001"),
        (.date, "TIMESTAMP", .date(Date(timeIntervalSinceReferenceDate: 60)), "60", "61"),
    ])
    func `the default of another entity's attribute is no loss`(
        type: AttributeType, column: String, content: Value, same: String, other: String
    ) throws {
        let rating = Attribute(
            name: "rating", type: type, isOptional: true, defaultValue: .constant(content))
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(name: "Item"), Entity(name: "Book", parent: "Item", attributes: [rating]),
                Entity(name: "Film", parent: "Item"),
            ])
        func importStore(_ value: String) throws -> CoreDataImportReport {
            try OldStore(
                entities: [(1, "Item", 0, 3), (2, "Book", 1, 0), (3, "Film", 1, 0)],
                sql: """
                    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                        ZRATING \(column));
                    INSERT INTO ZITEM VALUES (1, 3, 1, \(value)), (2, 2, 1, \(value));
                    """
            ).importStore([model])
        }
        #expect(try importStore(same).isComplete)
        #expect(try importStore("NULL").isComplete)
        let lost = try importStore(other)
        #expect(
            lost.changedValues.map { "\($0.entity) \($0.id).\($0.property)" } == ["Film 1.rating"])
        #expect(!lost.isComplete)
    }

    @Test func `columns whose names differ in case only are named in a remark`() throws {
        func model(_ type: AttributeType) -> Model {
            Model(
                name: "M", version: "1",
                entities: [
                    Entity(name: "Item"),
                    Entity(
                        name: "Book", parent: "Item",
                        attributes: [Attribute(name: "userID", type: .string, isOptional: true)]),
                    Entity(
                        name: "Film", parent: "Item",
                        attributes: [Attribute(name: "userId", type: type, isOptional: true)]),
                ])
        }
        func remarks(_ type: AttributeType, _ column: String) throws -> [String] {
            try OldStore(
                entities: [(1, "Item", 0, 3), (2, "Book", 1, 0), (3, "Film", 1, 0)],
                sql: """
                    CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                        ZUSERID VARCHAR, ZUSERID1 \(column));
                    """
            ).importStore([model(type)]).remarks
        }
        let found = try remarks(.string, "VARCHAR")
        #expect(found.count == 1)
        #expect(
            found.first?.contains("Book.userID in ZUSERID, Film.userId in ZUSERID1") == true)
        // The types say which is whose.
        #expect(try remarks(.int32, "INTEGER") == [])
    }

    @Test func `a to-many whose inverse is another one's needs no table`() throws {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "Folder",
                    relationships: [
                        Relationship(
                            name: "documents", destination: "Document", inverse: "folder",
                            isToMany: true),
                        Relationship(name: "old", destination: "Document", isToMany: true),
                    ]),
                Entity(
                    name: "Document",
                    relationships: [
                        Relationship(
                            name: "folder", destination: "Folder", inverse: "documents",
                            isOptional: true)
                    ]),
            ])
        let store = try OldStore(
            entities: [(1, "Document", 0, 2), (2, "Folder", 0, 1)],
            sql: """
                CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZDOCUMENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZFOLDER INTEGER);
                INSERT INTO ZFOLDER VALUES (1, 2, 1);
                INSERT INTO ZDOCUMENT VALUES (1, 1, 1, 1), (2, 1, 1, 1);
                """)
        let report = try store.importStore([model])
        #expect(report.isComplete)
        #expect(report.remarks.count == 1)
        #expect(report.remarks.first?.contains("no table for the links of Folder.old") == true)
        #expect(try store.rows("SELECT folder FROM Document") == [["1"], ["1"]])
    }

    @Test func `a row of a table of one entity may have the number of another version`() throws {
        let store = try Shelf.store(
            changes: """
                UPDATE ZPLACE SET Z_ENT = 9 WHERE Z_PK = 1;
                INSERT INTO ZPLACE VALUES (3, 77, 1, 'Yard'), (4, 77, 1, 'Well');
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.isComplete && report.refusedRows.isEmpty)
        #expect(
            report.remarks == [
                "1 row of ZPLACE has the entity number 9, which no entity of the store has. It is "
                    + "imported as an object of Place, the only entity of that table",
                "2 rows of ZPLACE have the entity number 77, which no entity of the store has. They "
                    + "are imported as objects of Place, the only entity of that table",
            ])
        #expect(report.text.contains("Remarks:\n  1 row of ZPLACE"))
        #expect(report.json.contains("\"remarks\" : [\n"))
        #expect(
            try store.rows("SELECT _id, name FROM Place ORDER BY 1")
                == [["1", "Hall"], ["2", "Attic"], ["3", "Yard"], ["4", "Well"]])
        #expect(
            report.entities.filter { $0.entity == "Place" }.map { [$0.read, $0.written] } == [
                [4, 4]
            ])
    }

    @Test(arguments: ["5", "1", "16001", "0", "-3", "NULL", "'4'", "4.5", "'x'"])
    func `a row with the number of another entity, or of none, is refused`(number: String) throws {
        let store = try Shelf.store(changes: "INSERT INTO ZPLACE VALUES (3, \(number), 1, 'Yard')")
        let report = try store.importStore([Shelf.model])
        if number == "'4'" {
            // The column's affinity makes it a number.
            #expect(report.isComplete)
        } else {
            #expect(report.refusedRows.map(\.id) == [3] && report.remarks.isEmpty)
            #expect(try store.rows("SELECT count(*) FROM Place") == [["2"]])
        }
    }

    @Test(arguments: ["'x'", "2.5", "-4", "9223372036854775807", "x'01'"])
    func `what is no version of an object is the first`(version: String) throws {
        let store = try Shelf.store(changes: "UPDATE ZITEM SET Z_OPT = \(version) WHERE Z_PK = 1")
        #expect(try store.importStore([Shelf.model]).isComplete)
        #expect(try store.rows("SELECT _version FROM Item WHERE _id = 1") == [["1"]])
    }

    @Test func `after a key beyond all reason there are others to give`() throws {
        let store = try Shelf.store(
            changes: "INSERT INTO ZPLACE VALUES (9223372036854775807, 4, 1, 'End')")
        #expect(try store.importStore([Shelf.model]).isComplete)
        #expect(
            try store.rows("SELECT next FROM _keys WHERE entity = 'Place'") == [["4"]])
        #expect(try store.rows("SELECT count(*) FROM Place") == [["3"]])
    }

    @Test(arguments: ["2.5", "'x'"])
    func `a link whose position is no number is imported without one, and is named`(place: String)
        throws
    {
        let store = try Shelf.store(
            changes: "UPDATE Z_1TAGS SET Z_FOK_5TAGS1 = \(place) WHERE Z_5TAGS1 = 4")
        let report = try store.importStore([Shelf.model])
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property)" } == ["Item 2.tags"])
        #expect(
            report.changedValues.first?.reason.contains("the link to 4 has no position") == true)
        #expect(
            try store.rows(
                "SELECT _destination, _source_position FROM Item_tags WHERE _source = 2 ORDER BY 1")
                == [["1", "2048"], ["4", "nil"]])
    }

    @Test(arguments: ["2.5", "'x'"])
    func `an object whose place is no number comes along without one, and is told`(place: String)
        throws
    {
        let store = try Shelf.store(
            changes: "UPDATE ZITEM SET Z_FOK_PLACE = \(place) WHERE Z_PK IN (2, 7)")
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows == [] && report.lostLinks == [])
        // Without an owner there is no order to have a place in.
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property)" } == ["Book 2.place"])
        #expect(
            report.changedValues.first?.reason.contains("no position in the order of Place.items")
                == true)
        #expect(
            try store.rows("SELECT _id, title FROM Item WHERE place = 1 ORDER BY 1")
                == [["1", "Vase"], ["2", "Trees"]])
        #expect(!report.isComplete)
    }
}
