import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

struct SafetyTests {
    @Test func `what is there is not written over`() throws {
        let store = try Shelf.store()
        try Data("mine".utf8).write(to: URL(filePath: store.newPath))
        let error = importError { _ = try store.importStore([Shelf.model]) }
        #expect(error == .destinationExists(path: store.newPath))
        #expect(try Data(contentsOf: URL(filePath: store.newPath)) == Data("mine".utf8))
    }

    @Test func `a cancelled import leaves nothing`() throws {
        let store = try Shelf.store(
            changes: """
                WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
                INSERT INTO ZPLACE SELECT i, 4, 1, 'p' || i FROM n;
                """)
        for questions in 1...6 {
            var asked = 0
            let error = importError {
                _ = try store.importStore([Shelf.model]) {
                    $0.isCancelled = {
                        asked += 1
                        return asked >= questions
                    }
                }
            }
            #expect(error == .cancelled)
            #expect(store.files == ["Old.sqlite"])
        }
    }

    @Test func `progress grows from the first row to the last`() throws {
        let store = try Shelf.store()
        var steps: [CoreDataImportProgress] = []
        _ = try store.importStore([Shelf.model]) { $0.progress = { steps.append($0) } }
        #expect(steps.map(\.fraction) == steps.map(\.fraction).sorted())
        #expect(steps.first?.summary == "Copy Item")
        #expect(steps.contains { $0.phase == .checking })
    }

    @Test(arguments: ["josé", "Ã©", "日本 50% #1?", "🐣"])
    func `a store may lie in a folder of any name`(name: String) throws {
        let store = try Shelf.store()
        let folder = "\(store.folder)/\(name)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/Old.sqlite"
        try FileManager.default.copyItem(atPath: store.path, toPath: path)
        for path in [path, "/" + path] {
            let report = try CoreDataImporter(
                CoreDataStore(at: path), versions: [Shelf.model], current: "1"
            ) { _, _ in .init(migrations: []) }.plan()
            #expect(report.isComplete)
        }
    }

    @Test func `what lies beside a store is found through a link, too`() throws {
        let store = try Shelf.store()
        let writer = try Connection(path: store.path)
        try writer.execute("PRAGMA journal_mode = WAL")
        try writer.execute(
            "INSERT INTO ZPLACE SELECT 999, Z_ENT, Z_OPT, 'late' FROM ZPLACE LIMIT 1")
        let link = "\(store.folder)/Link.sqlite"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: store.path)
        func rows(at path: String) throws -> [Int] {
            try CoreDataImporter(
                CoreDataStore(at: path), versions: [Shelf.model], current: "1"
            ) { _, _ in .init(migrations: []) }.plan().entities.map(\.read)
        }
        #expect(try rows(at: link) == rows(at: store.path))
        withExtendedLifetime(writer) {}
    }

    @Test func `a file that is no store of Core Data's is named as such`() throws {
        let store = try Shelf.store()
        let cases: [(String, (Connection) throws -> Void)] = [
            ("no tables Z_METADATA", { try $0.execute("DROP TABLE Z_METADATA") }),
            ("no entities", { try $0.execute("DELETE FROM Z_PRIMARYKEY") }),
        ]
        for (words, change) in cases {
            let other = try Shelf.store()
            try change(Connection(path: other.path))
            let error = importError { _ = try other.importStore([Shelf.model]) }
            #expect(error?.description.contains(words) == true)
        }
        try Data("no database, but long enough to look like one".utf8)
            .write(to: URL(filePath: store.path))
        guard case .notCoreData? = importError({ _ = try store.importStore([Shelf.model]) }) else {
            Issue.record("it is one")
            return
        }
        try FileManager.default.removeItem(atPath: store.path)
        #expect(
            importError { _ = try store.importStore([Shelf.model]) } == .noFile(path: store.path))
        #expect(store.files == [])
    }

    @Test func `a catalogue of many tables is read in time that grows with their number`() throws {
        let store = try Shelf.store()
        let connection = try Connection(path: store.path)
        try connection.transaction {
            for number in 1...6000 { try connection.execute("CREATE TABLE x\(number) (a)") }
        }
        // Every table compared with every other one would be more than the budget has.
        _ = try store.importStore([Shelf.model])
    }

    @Test func `a store that changes while it is read is left alone`() throws {
        let store = try Shelf.store()
        var isChanged = false
        let error = importError {
            _ = try store.importStore([Shelf.model]) { importer in
                importer.progress = { _ in
                    guard !isChanged else { return }
                    isChanged = true
                    let date = Date(timeIntervalSinceNow: 5)
                    try? FileManager.default.setAttributes(
                        [.modificationDate: date], ofItemAtPath: store.path)
                }
            }
        }
        #expect(error == .inUse(path: store.path))
        #expect(store.files == ["Old.sqlite"])
    }

    @Test func `damage anywhere in a store gives an error or a report, never half a store`() throws
    {
        let store = try Shelf.store()
        let whole = try Data(contentsOf: URL(filePath: store.path))
        var imported = 0
        var state: UInt64 = 7
        for number in 0..<120 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            var bytes = whole
            let place = Int(state >> 33) % bytes.count
            if number % 4 == 0 {
                bytes = bytes.prefix(place)
            } else {
                bytes[place] ^= UInt8(1 << (number % 8))
            }
            try bytes.write(to: URL(filePath: store.path))
            do {
                _ = try store.importStore([Shelf.model])
                imported += 1
                #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
                try FileManager.default.removeItem(atPath: store.newPath)
            } catch {
                #expect(error is CoreDataImportError)
            }
            #expect(store.files == ["Old.sqlite"])
        }
        // A byte between the rows says nothing.
        #expect(imported > 10)
    }

    @Test func `texts of the report name what was not imported`() throws {
        let store = try Shelf.store(changes: "UPDATE ZITEM SET ZPLACE = 77 WHERE Z_PK = 1")
        let report = try store.importStore([Shelf.model])
        #expect(report.text.contains("Item 1.place → 77: there is no object"))
        #expect(report.text.contains("not all data was imported"))
        #expect(report.json.contains("\"target\" : 77"))
        #expect(report.json.contains("\"migration\" : null"))
        #expect(report.json.contains("\"isComplete\" : false"))
    }
}
