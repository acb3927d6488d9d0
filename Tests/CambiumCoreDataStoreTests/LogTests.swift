import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

/// Logs beside a store that are not as they were written.
struct LogTests {
    private let store: OldStore
    private let writer: Connection

    /// A store with two changes in its log, of one page each.
    init() throws {
        store = try Shelf.store()
        writer = try Connection(path: store.path)
        try writer.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try writer.execute("UPDATE ZPLACE SET ZNAME = 'one' WHERE Z_PK = 1")
        try writer.execute("UPDATE ZPLACE SET ZNAME = 'two' WHERE Z_PK = 1")
    }

    private var log: String { store.path + "-wal" }

    private func change(_ body: (inout [UInt8]) -> Void) throws {
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: log)))
        body(&bytes)
        try Data(bytes).write(to: URL(filePath: log))
    }

    private func importStore() throws -> (name: String?, report: CoreDataImportReport) {
        let report = try store.importStore([Shelf.model])
        return (
            try store.rows("SELECT name FROM Place WHERE _id = 1").first?.first, report
        )
    }

    private static let frame = 24 + 4096

    @Test func `a whole log has no word`() throws {
        let found = try importStore()
        #expect(found.name == "two" && found.report.isComplete)
    }

    @Test func `bytes that are no log are told`() throws {
        try change { bytes in for place in 0..<100 { bytes[place] = UInt8(place * 7 % 251 + 1) } }
        let found = try importStore()
        #expect(found.name == "Hall")
        #expect(found.report.omittedTables == [log])
        #expect(found.report.text.contains("none of its changes were read"))
        #expect(!found.report.isComplete)
    }

    @Test(arguments: [4, 9, 16, 24, 4000])
    func `a change that cannot be read is told, wherever it is damaged`(place: Int) throws {
        try change { bytes in
            // The last frame is the second change.
            bytes[bytes.count - Self.frame + place] ^= 0x40
        }
        let found = try importStore()
        #expect(found.name == "one")
        #expect(found.report.text.contains("the changes behind that were not read"))
        #expect(!found.report.isComplete)
    }

    @Test func `damage in front of a change loses that, and is told`() throws {
        try change { bytes in bytes[32 + 9] ^= 0x40 }
        let found = try importStore()
        #expect(found.name == "Hall")
        #expect(found.report.text.contains("it is damaged from byte 32 on"))
        #expect(!found.report.isComplete)
    }

    @Test(arguments: [frame, frame - 24])
    func `what was not committed is no loss`(size: Int) throws {
        // A crash before the last frame was written, or between its header and its page.
        try change { bytes in bytes.removeLast(size) }
        let found = try importStore()
        #expect(found.name == "one" && found.report.isComplete)
    }

    @Test(arguments: [(1, "one"), (100, "one"), (4110, "one"), (frame + 100, "Hall")])
    func `a log that ends within a change is told`(size: Int, name: String) throws {
        try change { bytes in bytes.removeLast(size) }
        let found = try importStore()
        #expect(found.name == name)
        #expect(found.report.text.contains("the change that ends there was not read"))
        #expect(!found.report.isComplete)
    }

    @Test func `frames of a former round are no loss`() throws {
        _ = try writer.rows("PRAGMA wal_checkpoint(RESTART)")
        try writer.execute("UPDATE ZPLACE SET ZNAME = 'three' WHERE Z_PK = 1")
        let found = try importStore()
        #expect(found.name == "three" && found.report.isComplete)
    }

    @Test func `a journal that is none is told`() throws {
        let store = try Shelf.store()
        try Data(repeating: 9, count: 600).write(to: URL(filePath: store.path + "-journal"))
        let report = try store.importStore([Shelf.model])
        #expect(report.omittedTables == [store.path + "-journal"])
        #expect(!report.isComplete)
    }

    @Test func `a log that is no file cannot be read`() throws {
        let store = try Shelf.store()
        try FileManager.default.createDirectory(
            atPath: store.path + "-wal", withIntermediateDirectories: false)
        #expect(
            importError { _ = try store.importStore([Shelf.model]) }
                == .cannotRead(path: store.path + "-wal", reason: "it is a folder"))
    }

    @Test func `what cannot be read is said with the system's words`() throws {
        let store = try Shelf.store()
        #expect(
            importError { _ = try CoreDataStore(at: store.folder) }
                == .cannotRead(path: store.folder, reason: "it is a folder"))
        let loop = "\(store.folder)/loop"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        let error = importError { _ = try CoreDataStore(at: loop) }
        #expect(error?.description.contains("oo many levels of symbolic links") == true)
        #expect(error?.description.contains("Name a file that you may read") == true)
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func `a store in another encoding is named, with what makes one of it`(encoding: String) throws
    {
        let store = try Shelf.store()
        let path = "\(store.folder)/Wide.sqlite"
        try Connection(path: path).execute(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 2);
            """)
        let error = importError { _ = try CoreDataStore(at: path) }
        #expect(
            error?.description.hasPrefix("\(path) cannot be read: its texts are \(encoding)")
                == true)
        #expect(error?.description.contains("| sqlite3 COPY") == true)
    }
}
