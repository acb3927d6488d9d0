import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

/// What of a store nothing is kept in: what is Core Data's own is left out, all else is a loss.
struct OmittedPartTests {
    @Test func `a table of somebody else's is a loss where it has rows`() throws {
        let empty = try Shelf.store(changes: "CREATE TABLE NOTES (a)")
        #expect(try empty.importStore([Shelf.model]).isComplete)
        let store = try Shelf.store(
            changes: "CREATE TABLE NOTES (a); INSERT INTO NOTES VALUES ('mine')")
        let report = try store.importStore([Shelf.model])
        #expect(!report.isComplete)
        #expect(report.text.contains("NOTES (1): the version has no entity or relationship"))
        #expect(report.text.contains("not all data was imported"))
        #expect(report.json.contains("\"isBookkeeping\" : false"))
    }

    @Test func `history and CloudKit's tables are no loss`() throws {
        let store = try Shelf.store(
            changes: """
                CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY);
                CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY);
                INSERT INTO ACHANGE VALUES (1); INSERT INTO ANSCKEVENT VALUES (1);
                INSERT INTO Z_PRIMARYKEY VALUES (18001, 'IndexUse', 0, 1);
                CREATE TABLE AINDEXUSE (Z_PK INTEGER PRIMARY KEY);
                CREATE TABLE Z_18001USES (Z_18001USES INTEGER, Z_18002USERS INTEGER);
                INSERT INTO AINDEXUSE VALUES (1); INSERT INTO Z_18001USES VALUES (1, 1);
                """)
        let report = try store.importStore([Shelf.model])
        #expect(report.isComplete)
        #expect(
            report.omittedTables == ["ACHANGE", "AINDEXUSE", "ANSCKEVENT", "Z_18001USES"])
        #expect(report.omittedParts.allSatisfy { $0.isBookkeeping })
    }

    @Test func `a spatial index is no loss, another virtual table is`() throws {
        let index = try Shelf.store(
            changes: """
                CREATE VIRTUAL TABLE Z_Place_area USING rtree(id, a, b);
                INSERT INTO Z_Place_area VALUES (1, 2, 3);
                """)
        let report = try index.importStore([Shelf.model])
        #expect(report.isComplete)
        #expect(report.omittedTables == ["Z_Place_area"])
        let text = try Shelf.store(
            changes: "CREATE VIRTUAL TABLE words USING fts5(a); INSERT INTO words VALUES ('b')")
        let other = try text.importStore([Shelf.model])
        #expect(!other.isComplete)
        #expect(lost(other) == ["words"])
    }

    @Test func `metadata that is no text is a loss`() throws {
        let store = try Shelf.store()
        let list = PropertyListBytes.dictionary([
            ("colours", .array([.string("red")])), ("NSStoreType", .string("SQLite")),
        ])
        _ = try Connection(path: store.path).rows(
            "UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(list.bytes)])
        let report = try store.importStore([Shelf.model])
        #expect(lost(report) == ["colours"])
        #expect(!report.isComplete)
    }

    @Test(arguments: ["x'62706c6973743030ff'", "'<plist/>'"])
    func `metadata that cannot be read is a loss`(value: String) throws {
        let store = try Shelf.store()
        try Connection(path: store.path).execute("UPDATE Z_METADATA SET Z_PLIST = \(value)")
        let report = try store.importStore([Shelf.model])
        #expect(lost(report) == ["Z_METADATA.Z_PLIST"])
        #expect(!report.isComplete)
    }

    private func lost(_ report: CoreDataImportReport) -> [String] {
        report.omittedParts.filter { !$0.isBookkeeping }.map(\.name)
    }

    @Test func `what Core Data notes for itself is named, and is no loss`() throws {
        let store = try Shelf.store()
        let report = try store.importStore([Shelf.model])
        let names = [
            "NSStoreModelVersionHashes", "NSStoreModelVersionIdentifiers", "NSStoreType",
        ]
        #expect(report.omittedParts.map(\.name) == names)
        #expect(report.isComplete)
        #expect(
            report.text.contains(
                "  \(names.joined(separator: ", ")): what Core Data notes of the store\n"))
    }

    @Test func `a program's own metadata is not lost for its name`() throws {
        let store = try Shelf.store()
        let list = PropertyListBytes.dictionary([
            ("NSCloudKitMirroring", .array([])), ("NSMine", .string("kept")),
            ("NSMyColours", .array([.string("red")])), ("NSStoreType", .string("SQLite")),
            ("_NSAlsoMine", .integer(7)), ("_NSAutoVacuumLevel", .string("2")),
            ("_NSGreat", .unsigned(.max)), ("_NSSmall", .unsigned(8)),
        ])
        _ = try Connection(path: store.path).rows(
            "UPDATE Z_METADATA SET Z_PLIST = ?", [.blob(list.bytes)])
        let report = try store.importStore([Shelf.model])
        #expect(
            try store.rows("SELECT * FROM _metadata WHERE name LIKE 'user.%' ORDER BY name")
                == [
                    ["user.NSMine", "kept"], ["user._NSAlsoMine", "7"],
                    ["user._NSGreat", "18446744073709551615"], ["user._NSSmall", "8"],
                ])
        #expect(lost(report) == ["NSMyColours"])
        #expect(
            report.omittedParts.filter(\.isBookkeeping).map(\.name)
                == ["NSCloudKitMirroring", "NSStoreType", "_NSAutoVacuumLevel"])
    }

    @Test(arguments: [
        ("UPDATE Z_METADATA SET Z_PLIST = x'{}'", "Z_METADATA.Z_PLIST"),
        ("INSERT INTO Z_METADATA VALUES (2, NULL, NULL)", "Z_METADATA, the rows after the first"),
    ])
    func `metadata of another form is a loss`(change: String, name: String) throws {
        let store = try Shelf.store()
        let list = PropertyListBytes.array([.string("red")]).bytes
        try Connection(path: store.path).execute(
            change.replacing(
                "{}", with: list.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()))
        #expect(lost(try store.importStore([Shelf.model])) == [name])
    }
}
