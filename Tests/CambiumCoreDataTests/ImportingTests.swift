import CambiumCoreData
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization
import Testing

/// Stores that Core Data wrote, opened by a program that meets them.
struct ImportingTests {
    private static let versions = [[], [Attribute.optional("pages", .int32)]].enumerated().map {
        index, more in
        Model(
            name: "Library", version: "\(index + 1)",
            entities: [
                Entity(
                    name: "Book", attributes: [.required("title", .string)] + more,
                    relationships: [Relationship(name: "sequel", destination: "Book")])
            ])
    }

    private static func compiled() throws -> CompiledModel {
        CompiledModel(
            versions[1], migrations: [try Migration(from: versions[0], to: versions[1])])
    }

    /// A store of the first version.
    private static func makeOldStore(at path: String, change: String = "") throws {
        try Connection(path: path).execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
                Z_MAX INTEGER);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB);
            CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZSEQUEL INTEGER, ZTITLE VARCHAR);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Book', 0, 5);
            INSERT INTO ZBOOK VALUES (2, 1, 4, 5, 'Trees'), (5, 1, 1, 9, 'Trees II');
            \(change)
            """)
    }

    @Test func `a store that Core Data wrote is imported, migrated and opened`() throws {
        try withStoreFile { path in
            let old = path + ".old"
            try Self.makeOldStore(at: old)
            var reports: [CoreDataImportReport] = []
            for _ in 0..<2 {
                let container = try PersistentContainer(
                    importing: URL(filePath: old), at: path, model: Self.compiled(),
                    earlierVersions: [Self.versions[0]]
                ) { reports.append($0) }
                let context = container.newContext()
                let books = try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Book"))
                #expect(books.count == 2)
                let titles = try books.map { try $0.value(forKey: "title") }
                let index = try #require(titles.firstIndex(of: .string("Trees")))
                let sequel = try books[index].relatedObject(forKey: "sequel")
                #expect(try sequel?.value(forKey: "title") == .string("Trees II"))
                #expect(try sequel?.relatedObject(forKey: "sequel") == nil)
                #expect(try sequel?.value(forKey: "pages") == .null)
            }
            // The second time the new store is there.
            #expect(reports.map(\.writtenBy) == ["1"])
            #expect(reports.first?.lostLinks.map(\.target) == [9])
        }
    }

    @Test func `what an import left that was killed is removed when the store is opened next`()
        throws
    {
        try withStoreFile { path in
            let old = path + ".old"
            try Self.makeOldStore(at: old)
            let folder = URL(filePath: path).deletingLastPathComponent().path()
            let mine = path + ".adopting-mine"
            try Data("mine".utf8).write(to: URL(filePath: mine))
            for _ in 0..<2 {
                let name = ".adopting-\(UUID().uuidString)"
                for suffix in [name, name + "-source", ".adopting-lock"] {
                    try Data().write(to: URL(filePath: path + suffix))
                }
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/.store.sqlite\(name).external",
                    withIntermediateDirectories: true)
                _ = try PersistentContainer(
                    importing: URL(filePath: old), at: path, model: Self.compiled(),
                    earlierVersions: [Self.versions[0]])
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(
                    names.filter { $0.contains("adopting") } == ["store.sqlite.adopting-mine"])
            }
        }
    }

    @Test func `a store that does not fit is refused, and nothing is made`() throws {
        try withStoreFile { path in
            let old = path + ".old"
            try Self.makeOldStore(at: old, change: "ALTER TABLE ZBOOK ADD COLUMN ZOTHER BLOB")
            #expect(throws: CoreDataImportError.self) {
                _ = try PersistentContainer(
                    importing: URL(filePath: old), at: path, model: Self.compiled(),
                    earlierVersions: [Self.versions[0]])
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a store is not imported to its own path`() throws {
        try withStoreFile { path in
            try Self.makeOldStore(at: path)
            let bytes = FileManager.default.contents(atPath: path)
            let link = path + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            defer { try? FileManager.default.removeItem(atPath: link) }
            for (old, new) in [(path, path), (link, path), (path, link)] {
                #expect(throws: CoreDataImportError.destinationIsSource(path: new)) {
                    _ = try PersistentContainer(
                        importing: URL(filePath: old), at: new, model: Self.compiled(),
                        earlierVersions: [Self.versions[0]])
                }
            }
            #expect(FileManager.default.contents(atPath: path) == bytes)
        }
    }

    @Test func `of programs that import a store at once one makes the new one`() throws {
        try withStoreFile { path in
            let old = path + ".old"
            try Self.makeOldStore(at: old)
            let reports = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    let container = try PersistentContainer(
                        importing: URL(filePath: old), at: path, model: Self.compiled(),
                        earlierVersions: [Self.versions[0]],
                        report: { _ in reports.withLock { $0.append("made") } })
                    let books = try container.newContext().fetch(
                        FetchRequest<ManagedObject>(entityName: "Book"))
                    reports.withLock { $0.append("\(books.count)") }
                } catch CoreDataImportError.isRunning {
                } catch {
                    reports.withLock { $0.append("\(error)") }
                }
            }
            let found = reports.withLock { $0 }
            #expect(found.filter { $0 == "made" }.count == 1)
            #expect(Set(found) == ["made", "2"])
        }
    }

    @Test func `importing on a thread of its own gives the container and the report`() async throws
    {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("adopting-\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm", ".old"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        try Self.makeOldStore(at: path + ".old")
        let (container, report) = try await PersistentContainer.open(
            importing: URL(filePath: path + ".old"), at: path, model: Self.compiled(),
            earlierVersions: [Self.versions[0]])
        #expect(report?.entities.map(\.written) == [2])
        #expect(container.migration != .current)
    }

    @Test func `a store is not imported into memory`() throws {
        for path in ["", ":memory:"] {
            #expect(throws: StoreError.self) {
                try PersistentContainer(
                    importing: URL(filePath: "/nowhere"), at: path, model: Self.compiled())
            }
        }
    }

    @Test @available(*, deprecated)
    func `the old name does the same`() throws {
        try withStoreFile { path in
            try Self.makeOldStore(at: path + ".old")
            var report: AdoptionReport?
            let container = try PersistentContainer(
                adopting: URL(filePath: path + ".old"), at: path, model: Self.compiled(),
                earlierVersions: [Self.versions[0]]
            ) { report = $0 }
            let books = FetchRequest<ManagedObject>(entityName: "Book")
            #expect(try container.newContext().count(for: books) == 2)
            #expect(report?.writtenBy == "1")
        }
    }
}

/// Runs a body with the path of a store that does not exist yet, in a folder that is removed later.
private func withStoreFile<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
        .appending(path: "importing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appending(path: "store.sqlite").path())
}
