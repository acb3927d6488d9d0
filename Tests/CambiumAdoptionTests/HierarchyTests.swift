import CambiumModel
import Testing

@testable import CambiumAdoption

/// Tables that several entities share.
struct HierarchyTests {
    @Test func `a value of another entity's property is told, and not copied`() throws {
        let store = try Shelf.store(
            changes: """
                UPDATE ZITEM SET ZTEXT1 = 'of a film' WHERE Z_PK = 2;
                UPDATE ZITEM SET ZPREQUEL = 2, ZTEXT = x'00' WHERE Z_PK = 7;
                """)
        let report = try store.adopt([Shelf.model])
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

    @Test(arguments: ["'x'", "2.5", "-4", "9223372036854775807", "x'01'"])
    func `what is no version of an object is the first`(version: String) throws {
        let store = try Shelf.store(changes: "UPDATE ZITEM SET Z_OPT = \(version) WHERE Z_PK = 1")
        #expect(try store.adopt([Shelf.model]).isComplete)
        #expect(try store.rows("SELECT _version FROM Item WHERE _id = 1") == [["1"]])
    }

    @Test func `after a key beyond all reason there are others to give`() throws {
        let store = try Shelf.store(
            changes: "INSERT INTO ZPLACE VALUES (9223372036854775807, 4, 1, 'End')")
        #expect(try store.adopt([Shelf.model]).isComplete)
        #expect(
            try store.rows("SELECT next FROM _keys WHERE entity = 'Place'") == [["4"]])
        #expect(try store.rows("SELECT count(*) FROM Place") == [["3"]])
    }

    @Test(arguments: ["2.5", "'x'"])
    func `a link whose place is no number comes along without one, and is told`(place: String)
        throws
    {
        let store = try Shelf.store(
            changes: "UPDATE Z_1TAGS SET Z_FOK_5TAGS1 = \(place) WHERE Z_5TAGS1 = 4")
        let report = try store.adopt([Shelf.model])
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property)" } == ["Item 2.tags"])
        #expect(report.changedValues.first?.reason.contains("the link to 4 has no place") == true)
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
        let report = try store.adopt([Shelf.model])
        #expect(report.refusedRows == [] && report.lostLinks == [])
        // Without an owner there is no order to have a place in.
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property)" } == ["Book 2.place"])
        #expect(
            report.changedValues.first?.reason.contains("no place in the order of Place.items")
                == true)
        #expect(
            try store.rows("SELECT _id, title FROM Item WHERE place = 1 ORDER BY 1")
                == [["1", "Vase"], ["2", "Trees"]])
        #expect(!report.isComplete)
    }
}
