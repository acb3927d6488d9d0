import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

/// Links that are kept in unusual places, and those that do not say what they link.
struct LinkFaultTests {
    private static let items = Entity(name: "Item", attributes: [.optional("name", .string)])

    /// Two versions that differ in a to-many without an inverse.
    private static let versions = [
        Model(name: "M", version: "1", entities: [Entity(name: "Group"), items]),
        Model(
            name: "M", version: "2",
            entities: [
                Entity(
                    name: "Group",
                    relationships: [
                        Relationship(name: "items", destination: "Item", isToMany: true)
                    ]), items,
            ]),
    ]

    private func store(_ columns: String, _ values: String) throws -> OldStore {
        try OldStore(
            entities: [(1, "Group", 0, 2), (2, "Item", 0, 3)],
            sql: """
                CREATE TABLE ZGROUP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns),
                    ZNAME VARCHAR);
                INSERT INTO ZGROUP VALUES (1, 1, 1), (2, 1, 1);
                INSERT INTO ZITEM VALUES \(values);
                """)
    }

    @Test func `links in a column of the members tell the version, and are not lost`() throws {
        let store = try store(
            ", Z1ITEMS INTEGER", "(1, 2, 1, 1, 'a'), (2, 2, 1, NULL, 'b'), (3, 2, 1, 2, 'c')")
        let report = try store.importStore(Self.versions)
        #expect(report.writtenBy == "2" && report.alsoFits == [] && report.isComplete)
        #expect(
            try store.rows("SELECT _source, _destination FROM Group_items ORDER BY 1")
                == [["1", "1"], ["2", "3"]])
        #expect(report.relationships.map(\.written) == [2])
        try FileManager.default.removeItem(atPath: store.newPath)
        let forced = try store.importStore(Self.versions) { $0.writtenBy = "1" }
        #expect(!forced.isComplete)
        #expect(forced.omittedTables == ["ZITEM.Z1ITEMS"])
        #expect(forced.omittedParts.first?.rows == 2)
    }

    @Test func `an owner that is none is told, and no owner is no link`() throws {
        let store = try store(
            ", Z1ITEMS INTEGER", "(1, 2, 1, 'x', 'a'), (2, 2, 1, NULL, 'b'), (3, 2, 1, 9, 'c')")
        let report = try store.importStore(Self.versions)
        #expect(report.lostLinks.map(\.id) == [1, 9])
        #expect(report.relationships.map(\.read) == [2])
        #expect(report.relationships.map(\.written) == [0])
    }

    @Test(arguments: [
        ("ALTER TABLE ZPLACE ADD COLUMN Z9OWNER INTEGER", "ZPLACE.Z9OWNER"),
        ("ALTER TABLE ZITEM ADD COLUMN Z4_OTHER INTEGER", "ZITEM.Z4_OTHER"),
        ("ALTER TABLE ZTAG ADD COLUMN Z_FOK_BEST INTEGER", "ZTAG.Z_FOK_BEST"),
        ("ALTER TABLE Z_1TAGS ADD COLUMN Z_FOK_1ITEMS INTEGER", "Z_1TAGS.Z_FOK_1ITEMS"),
    ])
    func `a column of keys, entities or places that nothing is kept in is told`(
        change: String, name: String
    ) throws {
        let store = try Shelf.store(changes: change)
        guard case .fitsNoVersion? = importError({ _ = try store.importStore([Shelf.model]) })
        else {
            Issue.record("it was imported")
            return
        }
        let report = try store.importStore([Shelf.model]) { $0.writtenBy = "1" }
        #expect(report.omittedTables == [name])
        #expect(!report.isComplete)
    }

    @Test func `pairs that do not say what they link are told, each`() throws {
        let store = try Shelf.store(
            changes: """
                DROP TABLE Z_1TAGS;
                CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_5TAGS1 INTEGER, Z_FOK_5TAGS1 INTEGER);
                INSERT INTO Z_1TAGS VALUES (2, 1, 2048), (NULL, 4, 1), (7, NULL, 1), ('x', 2, 1),
                    (NULL, NULL, 1);
                """)
        let report = try store.importStore([Shelf.model])
        #expect(try store.rows("SELECT _source, _destination FROM Item_tags") == [["2", "1"]])
        #expect(
            report.lostLinks.map { "\($0.entity) \($0.id).\($0.relationship)" }.sorted()
                == ["Item 7.tags", "Tag 2.items", "Tag 4.items"])
        #expect(report.lostLinks.allSatisfy { $0.target == nil })
        #expect(report.omittedTables == ["Z_1TAGS"])
        let count = report.relationships.first { $0.relationship == "tags" }
        #expect(count?.read == 5 && count?.written == 1 && count?.lost == 4)
        #expect(!report.isComplete)
    }

    @Test func `a place that is no number is told of the list that it is in`() throws {
        func entity(_ name: String, _ relationship: String, _ other: String, _ inverse: String)
            -> Entity
        {
            Entity(
                name: name,
                relationships: [
                    Relationship(
                        name: relationship, destination: other, inverse: inverse, isToMany: true,
                        isOrdered: true)
                ])
        }
        let model = Model(
            name: "M", version: "1",
            entities: [entity("A", "bs", "B", "as"), entity("B", "as", "A", "bs")])
        let table = "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)"
        let store = try OldStore(
            entities: [(1, "A", 0, 9), (2, "B", 0, 9)],
            sql: """
                CREATE TABLE ZA \(table); INSERT INTO ZA VALUES (1, 1, 1), (2, 1, 1);
                CREATE TABLE ZB \(table); INSERT INTO ZB VALUES (3, 2, 1), (4, 2, 1);
                CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, Z_FOK_1AS INTEGER,
                    Z_FOK_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS));
                INSERT INTO Z_1BS VALUES (1, 3, 'x', 1), (2, 4, 2, 'y'), (2, 3, 1.5, x'01');
                """)
        let report = try store.importStore([model])
        #expect(
            report.changedValues.map {
                "\($0.entity) \($0.id).\($0.property) \($0.reason.prefix(13))"
            }
            .sorted() == [
                "A 2.bs the link to 3", "A 2.bs the link to 4", "B 3.as the link to 1",
                "B 3.as the link to 2",
            ])
        #expect(
            try store.rows(
                "SELECT _source, _destination, _source_position, _destination_position FROM A_bs "
                    + "ORDER BY 1, 2")
                == [["1", "3", "1", "nil"], ["2", "3", "nil", "nil"], ["2", "4", "nil", "2"]])
    }

    @Test func `links of rows that are refused as duplicates were read`() throws {
        let store = try Shelf.store(changes: "UPDATE ZTAG SET ZLABEL = 'green' WHERE Z_PK < 4")
        let report = try store.importStore([Shelf.model])
        #expect(report.refusedRows.map(\.id) == [2])
        let best = report.relationships.first { $0.relationship == "best" }
        #expect(best?.read == 3 && best?.written == 2 && best?.lost == 1)
    }

    @Test func `a one-to-one counts on each side what that has and what of it is kept`() throws {
        // Our store keeps prequel.
        let store = try Shelf.store(
            changes: """
                UPDATE ZITEM SET ZSEQUEL = NULL WHERE Z_PK = 2;
                UPDATE ZITEM SET ZSEQUEL = 2 WHERE Z_PK = 3;
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.lostLinks.map { "\($0.id).\($0.relationship)" } == ["3.sequel"])
        func counts(_ name: String) -> [Int] {
            report.relationships.filter { $0.relationship == name }
                .flatMap { [$0.read, $0.written, $0.lost] }
        }
        #expect(counts("prequel") == [1, 1, 0])
        #expect(counts("sequel") == [1, 0, 1])
    }

    /// A one-to-one whose keys our store keeps in Cap, and that each Pen requires.
    private func pens(isOptional: Bool = false, _ changes: String) throws -> CoreDataImportReport {
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "Cap", attributes: [.optional("size", .int64)],
                    relationships: [
                        Relationship(
                            name: "pen", destination: "Pen", inverse: "cap", isOptional: isOptional)
                    ]),
                Entity(
                    name: "Pen",
                    relationships: [
                        Relationship(
                            name: "cap", destination: "Cap", inverse: "pen", isOptional: isOptional)
                    ]),
            ])
        let store = try OldStore(
            entities: [(1, "Cap", 0, 3), (2, "Pen", 0, 3)],
            sql: """
                CREATE TABLE ZCAP (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZPEN INTEGER, ZSIZE INTEGER);
                CREATE TABLE ZPEN (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZCAP INTEGER);
                INSERT INTO ZCAP VALUES (1, 1, 1, 1, 1), (2, 1, 1, 2, 2), (3, 1, 1, 3, 3);
                INSERT INTO ZPEN VALUES (1, 2, 1, 1), (2, 2, 1, 2), (3, 2, 1, 3);
                \(changes)
                """)
        let report = try store.importStore([model])
        #expect(
            try store.rows("SELECT _id FROM Pen").count == 3
                - report.refusedRows.count { $0.entity == "Pen" })
        return report
    }

    @Test(arguments: [
        "DELETE FROM ZCAP WHERE Z_PK = 1", "UPDATE ZCAP SET ZSIZE = 'wide' WHERE Z_PK = 1",
        "UPDATE ZCAP SET ZPEN = NULL WHERE Z_PK = 1",
    ])
    func `a row whose required one-to-one nothing leads back from is refused`(change: String) throws
    {
        let report = try pens(change)
        let pens = report.refusedRows.filter { $0.entity == "Pen" }
        #expect(pens.map(\.id) == [1] && pens.map(\.property) == ["cap"])
        #expect(pens.first?.reason.hasPrefix("a link is required") == true)
        #expect(report.lostLinks == [] && !report.isComplete)
    }

    @Test(arguments: [
        ("DELETE FROM ZCAP WHERE Z_PK = 1", "there is no object of that key in the store"),
        (
            "UPDATE ZCAP SET ZPEN = NULL WHERE Z_PK = 1",
            "the object that it references does not reference it"
        ),
    ])
    func `an optional one-to-one that nothing leads back from is told with the reason`(
        change: String, reason: String
    ) throws {
        let report = try pens(isOptional: true, change)
        #expect(report.refusedRows == [])
        #expect(
            report.lostLinks.map { "\($0.entity) \($0.id).\($0.relationship)" } == ["Pen 1.cap"])
        #expect(report.lostLinks.map(\.reason) == [reason])
    }
}
