import CambiumMigration
import CambiumModel
import CambiumSQLite
import Dispatch
import Synchronization
import Testing

@testable import CambiumCoreDataStore

/// Where the new store is made, and what is in its way.
struct PlaceTests {
    @Test func `a second import to the same place is refused while the first one runs`() throws {
        let store = try Shelf.store()
        do {
            let first = try NewStore(path: store.newPath, from: store.path)
            try first.prepare()
            try first.prepare()
            #expect(
                importError { _ = try store.importStore([Shelf.model]) }
                    == .isRunning(path: store.newPath))
            #expect(store.files == ["Old.sqlite", "new.sqlite.adopting-lock"])
        }
        #expect(store.files == ["Old.sqlite"])
        #expect(try store.importStore([Shelf.model]).isComplete)
    }

    @Test func `of many imports to one place at once one makes the store, whole`() throws {
        let store = try Shelf.store()
        // With a log, each makes a copy of the source under one name.
        let writer = try Connection(path: store.path)
        try writer.execute("PRAGMA journal_mode = WAL; UPDATE ZPLACE SET ZNAME = 'a' || ZNAME")
        let (path, newPath) = (store.path, store.newPath)
        let outcomes = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            var outcome = "made"
            do {
                let place = try NewStore(path: newPath, from: path)
                let importer = CoreDataImporter(
                    try CoreDataStore(at: path, for: place), versions: [Shelf.model], current: "1"
                ) { _, _ in .init(migrations: []) }
                _ = try importer.run(in: place)
            } catch CoreDataImportError.isRunning {
                outcome = "running"
            } catch CoreDataImportError.destinationExists {
                outcome = "there"
            } catch {
                outcome = "\(error)"
            }
            outcomes.withLock { $0.append(outcome) }
        }
        let list = outcomes.withLock { $0 }
        #expect(list.filter { $0 == "made" }.count == 1)
        #expect(Set(list).isSubset(of: ["made", "running", "there"]))
        #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
        #expect(try store.rows("SELECT name FROM Place ORDER BY 1") == [["aAttic"], ["aHall"]])
        #expect(store.files.filter { $0.contains("adopting") } == [])
        withExtendedLifetime(writer) {}
    }

    @Test func `what an import left that was killed is taken away by the next one`() throws {
        let store = try Shelf.store()
        let unfinished = store.newPath + ".adopting-\(UUID().uuidString)"
        for name in ["", "-journal", "-source", "-source-wal", "-source-shm"] {
            try Data("half".utf8).write(to: URL(filePath: unfinished + name))
        }
        let folder = ExternalForm.folder(ofStore: unfinished)
        try FileManager.default.createDirectory(
            atPath: folder + "/values", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: store.newPath + ".adopting-lock"))
        _ = try store.importStore([Shelf.model])
        #expect(store.files == ["Old.sqlite", "new.sqlite"])
    }

    @Test(arguments: [
        "", "-source", "-wal", "-1", "-\(UUID().uuidString).old", "-lock",
        "--e812dbf-7be4-4ca5-b5f2-cb482a56a959", "--E812DBF-7BE4-4CA5-B5F2-CB482A56A959",
    ])
    func `a file of somebody's stays, whatever it is named after`(suffix: String) throws {
        let store = try Shelf.store()
        let file = store.newPath + ".adopting" + suffix
        try Data("precious".utf8).write(to: URL(filePath: file))
        _ = try store.importStore([Shelf.model])
        #expect(FileManager.default.contents(atPath: file) == Data("precious".utf8))
        #expect(store.files.count == 3)
    }

    @Test func `a copy among the temporary files that a process left is taken away`() throws {
        let store = try Shelf.store()
        let writer = try Connection(path: store.path)
        try writer.execute("PRAGMA journal_mode = WAL; UPDATE ZPLACE SET ZNAME = 'a' || ZNAME")
        let files = FileManager.default
        let start = files.temporaryDirectory.appendingPathComponent("cambium").path
        let copies = try (0..<2).map { _ in try UnfinishedFile.path(for: start, "-adopting") }
        for copy in copies {
            for name in ["", "-wal", ".adopting-lock"] {
                try Data().write(to: URL(filePath: copy + name))
            }
        }
        // Somebody else works with this one.
        let lock = try NewStoreLock(ofStore: copies[1])
        defer { SourceFile.remove(copies[1]) }
        _ = try store.importer([Shelf.model]).plan()
        #expect(
            copies.map { copy in
                ["", "-wal", ".adopting-lock"].map { files.fileExists(atPath: copy + $0) }
            } == [[false, false, false], [true, true, true]])
        withExtendedLifetime((writer, lock)) {}
    }

    @Test func `no new store is made where a file of the old one is, by whatever name`() throws {
        let store = try Shelf.store()
        let bytes = try Data(contentsOf: URL(filePath: store.path))
        let files = FileManager.default
        let link = "\(store.folder)/Link.sqlite"
        try files.createSymbolicLink(atPath: link, withDestinationPath: store.path)
        let hardLink = "\(store.folder)/Hard"
        try files.linkItem(atPath: store.path, toPath: hardLink)
        let folder = store.folder
        let cases = [
            (store.path, store.path), (store.path, "\(folder)/./Old.sqlite"), (store.path, link),
            (link, store.path), (store.path, "\(folder)/Old.sqlite/"),
            (store.path, store.path + "-wal"), (store.path, hardLink),
            ("\(folder)/X.adopting-lock", "\(folder)/X"),
            (store.path, "\(folder)/.Old_SUPPORT/_EXTERNAL_DATA/x"),
        ]
        for (source, path) in cases {
            let error = importError { _ = try NewStore(path: path, from: source) }
            guard case .destinationIsSource? = error else {
                Issue.record("\(source) to \(path): \(error.map(String.init(describing:)) ?? "")")
                continue
            }
            #expect(error?.description.contains("Choose another path") == true)
        }
        #expect(try Data(contentsOf: URL(filePath: store.path)) == bytes)
        #expect(importError { _ = try NewStore(path: "\(folder)/a", from: link) } == nil)
    }

    @Test func `a store that does not fit leaves no folder where the new one was to be`() throws {
        let store = try Shelf.store(changes: "ALTER TABLE ZITEM ADD COLUMN ZCOLOUR VARCHAR")
        let place = try NewStore(path: "\(store.folder)/a/b/new", from: store.path)
        guard
            case .fitsNoVersion? = importError({
                _ = try store.importer([Shelf.model]).run(in: place)
            })
        else {
            Issue.record("it was imported")
            return
        }
        #expect(store.files == ["Old.sqlite"])
    }

    @Test func `nobody may read what is made of a store who may not read the store`() throws {
        let store = try Shelf.store()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: store.path)
        let writer = try Connection(path: store.path)
        try writer.execute("PRAGMA journal_mode = WAL; UPDATE ZPLACE SET ZNAME = 'a' || ZNAME")
        func requirePrivate() throws {
            for file in store.files where !file.hasPrefix("Old") {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: "\(store.folder)/\(file)")
                #expect((attributes[.posixPermissions] as? Int ?? 0) & 0o077 == 0, "\(file)")
            }
        }
        let place = try NewStore(path: store.newPath, from: store.path)
        var importer = CoreDataImporter(
            try CoreDataStore(at: store.path, for: place), versions: [Shelf.model], current: "1"
        ) { _, _ in .init(migrations: []) }
        var count = 0
        importer.progress = { _ in count = max(count, store.files.count) }
        try requirePrivate()
        _ = try importer.run(in: place)
        try requirePrivate()
        #expect(store.files.contains("new.sqlite") && count >= 4)
        withExtendedLifetime(writer) {}
    }
}
