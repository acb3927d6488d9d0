import Cambium
import CambiumSQLite
import Dispatch
import EverythingModel
import Foundation
import Synchronization
import Testing

/// Backups, copies, replacement and destruction of stores.
@Suite(.onSQLite("They are about files."))
struct StoreFilesTests {
    private static let photo = Data(repeating: 3, count: 200_000)

    private func labels(at path: String) throws -> [String] {
        try PersistentContainer(model: Everything.model, at: .temporary(path)).newContext()
            .fetch(Node.fetchRequest()).map(\.label)
    }

    private func names(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    private func externalFiles(_ path: String) -> [String] {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).external")
        return (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    }

    private func withStore(
        _ body: (String, PersistentStoreCoordinator, PersistentStore, ManagedObjectContext) throws
            -> Void
    ) throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            let context = coordinator.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            try body(path, coordinator, store, context)
        }
    }

    @Test func `a store is backed up while it is open and written`() throws {
        try withStore { path, coordinator, store, context in
            let node = Node(in: context, label: "b")
            try context.save()
            try coordinator.backUp(store, to: path + ".backup")
            node.label = "changed"
            try context.save()
            #expect(try labels(at: path + ".backup") == ["a", "b"])
            // The same store: its objects are the same ones.
            let backup = try PersistentContainer(
                model: Everything.model, at: .file(path + ".backup"))
            let id = try #require(backup.coordinator.objectID(forURI: node.objectID.uri))
            #expect(id == node.objectID)
            #expect(try rows("PRAGMA integrity_check", in: path + ".backup") == [[.text("ok")]])
        }
    }

    @Test func `a backup does not overwrite a file, and leaves none behind where it fails`() throws
    {
        try withStore { path, coordinator, store, _ in
            try "mine".write(toFile: path + ".taken", atomically: true, encoding: .utf8)
            let error = #expect(throws: StoreError.self) {
                try coordinator.backUp(store, to: path + ".taken")
            }
            #expect(error?.code == .invalidRequest)
            #expect(try String(contentsOfFile: path + ".taken", encoding: .utf8) == "mine")
            #expect(throws: (any Error).self) {
                try coordinator.backUp(store, to: path + ".nowhere/backup")
            }
            #expect(try !names(beside: path).contains { $0.contains("nowhere") })
            #expect(try !names(beside: path).contains { $0.contains("unfinished") })
        }
    }

    @Test func `what a copy left that was killed goes with the next one, or when it is opened`()
        throws
    {
        try withStore { path, coordinator, store, _ in
            let copy = path + ".copy"
            for _ in 0..<2 {
                let unfinished = "\(copy).unfinished-\(UUID().uuidString)"
                for suffix in ["", "-journal"] {
                    try Data("half".utf8).write(to: URL(filePath: unfinished + suffix))
                }
                if FileManager.default.fileExists(atPath: copy) {
                    _ = try PersistentContainer(model: Everything.model, at: .file(copy))
                } else {
                    try coordinator.backUp(store, to: copy)
                }
                #expect(try !names(beside: path).contains { $0.contains("unfinished") })
            }
            #expect(try labels(at: copy) == ["a"])
        }
    }

    @Test func `of copies to one place at once one is made, whole`() throws {
        try withStore { path, coordinator, store, context in
            for index in 0..<2000 { _ = Node(in: context, label: "\(index)") }
            try context.save()
            let copy = path + ".copy"
            let outcomes = Mutex<[Bool]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let isMade = (try? coordinator.backUp(store, to: copy)) != nil
                outcomes.withLock { $0.append(isMade) }
            }
            #expect(outcomes.withLock { $0.filter { $0 }.count } == 1)
            #expect(try labels(at: copy).count == 2001)
            #expect(try !names(beside: path).contains { $0.contains("unfinished") })
            #expect(try !names(beside: path).contains { $0.contains("lock") })
        }
    }

    @Test func `a backup made beside saves is the store as it was at one commit`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
        let store = try #require(container.coordinator.persistentStores.first)
        let saving = Task {
            for index in 0..<60 {
                try await container.performBackgroundTask { context in
                    // Two rows in each commit.
                    _ = Node(in: context, label: "\(index)")
                    _ = Box(in: context, name: "\(index)")
                    try context.save()
                }
            }
        }
        for index in 0..<5 {
            let copy = "\(path).backup-\(index)"
            try container.coordinator.backUp(store, to: copy)
            let counts = try rows(
                "SELECT (SELECT count(*) FROM Node) - (SELECT count(*) FROM Box)", in: copy)
            #expect(counts == [[.integer(0)]])
            try await Task.sleep(for: .milliseconds(5))
        }
        try await saving.value
    }

    @Test func `files of large values are in a backup, and stay when the original goes`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let store = try #require(container.coordinator.persistentStores.first)
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.photo = Self.photo
            try context.save()
            try container.coordinator.backUp(store, to: path + ".backup")
            customer.photo = nil
            try context.save()
            #expect(externalFiles(path).isEmpty)
            let backup = try PersistentContainer(
                model: Widened.model, at: .file(path + ".backup"))
            let reader = backup.newContext()
            let copy: Customer = try reader.get(customer.objectID)
            #expect(copy.photo == Self.photo)

            // And back again.
            try container.coordinator.remove(store)
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path, withStoreFrom: path + ".backup")
            let restored = try PersistentContainer(model: Widened.model, at: .temporary(path))
                .newContext()
            let again: Customer = try restored.get(customer.objectID)
            #expect(again.photo == Self.photo)
            #expect(externalFiles(path) == externalFiles(path + ".backup"))
        }
    }

    @Test(arguments: StoreKind.sqlite)
    func `save as: the new store takes the old one's place under an identity of its own`(
        _ kind: StoreKind
    ) throws {
        try withStore { path, coordinator, store, context in
            let node = try #require(try context.fetch(Node.fetchRequest()).first)
            let former = node.objectID
            let target: StoreLocation = kind == .file ? .file(path + ".new") : .memory
            let new = try coordinator.migratePersistentStore(store, to: target)
            #expect(coordinator.persistentStores == [new])
            #expect(new.identifier != store.identifier)
            #expect(node.objectID != former && node.objectID.key == former.key)
            #expect(coordinator.objectID(forURI: former.uri) == nil)
            node.label = "b"
            try context.save()
            _ = Node(in: context, label: "c")
            try context.save()
            #expect(
                try coordinator.newContext().fetch(Node.fetchRequest()).map(\.label) == ["b", "c"])
            #expect(try labels(at: path) == ["a"])
        }
    }

    @Test func `a store in memory is saved to a file`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary)
            let context = coordinator.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            try coordinator.backUp(store, to: path + ".backup")
            #expect(try labels(at: path + ".backup") == ["a"])
            try coordinator.migratePersistentStore(store, to: .file(path))
            _ = Node(in: context, label: "b")
            try context.save()
            #expect(try labels(at: path) == ["a", "b"])
        }
    }

    @Test func `a store is replaced by another one`() throws {
        try withStore { path, coordinator, store, context in
            try coordinator.backUp(store, to: path + ".backup")
            _ = Node(in: context, label: "b")
            try context.save()
            try coordinator.remove(store)
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path, withStoreFrom: path + ".backup")
            #expect(try labels(at: path) == ["a"])
            // To a place where there is none yet.
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path + ".third", withStoreFrom: path)
            #expect(try labels(at: path + ".third") == ["a"])
        }
    }

    @Test func `a store is not replaced by what is none`() throws {
        try withStore { path, _, _, _ in
            try execute("CREATE TABLE a (b)", in: path + ".other")
            for source in [path + ".other", path + ".missing"] {
                #expect(throws: (any Error).self) {
                    try PersistentStoreCoordinator.replacePersistentStore(
                        at: path, withStoreFrom: source)
                }
            }
            #expect(try labels(at: path) == ["a"])
        }
    }

    @Test func `a destroyed store is empty, also for who has it open`() throws {
        try withStore { path, coordinator, store, context in
            let other = try PersistentContainer(model: Everything.model, at: .temporary(path))
            #expect(try other.newContext().count(for: Node.fetchRequest()) == 1)
            try coordinator.remove(store)
            try PersistentStoreCoordinator.destroyPersistentStore(at: path)
            // Another process finds that the tables are gone: an error and no damage.
            try expectDestroyed(path) { _ = try other.newContext().fetch(Node.fetchRequest()) }
            let writer = other.newContext()
            _ = Node(in: writer)
            try expectDestroyed(path) { try writer.save() }
            try expectDestroyed(path) { _ = try writer.execute(BatchDeleteRequest<Node>()) }
            #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator.metadata(ofStoreAt: .file(path))
            }
            let new = try coordinator.addPersistentStore(at: .temporary(path))
            #expect(new.migration == .created)
            #expect(new.identifier != store.identifier)
            #expect(try context.fetch(Node.fetchRequest()).isEmpty)
            try PersistentStoreCoordinator.destroyPersistentStore(at: path + ".missing")
            #expect(!FileManager.default.fileExists(atPath: path + ".missing"))
        }
    }

    @Test func `a store whose file was removed says so`() throws {
        try withStore { path, _, _, context in
            for name in try names(beside: path) {
                let folder = URL(filePath: path).deletingLastPathComponent()
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
            let error = try #require(throws: StoreError.self) {
                try context.fetch(Node.fetchRequest())
            }
            #expect(error.code == .noStore)
            #expect(error.message.contains("\(path) was destroyed while it was open"))
        }
    }

    private func expectDestroyed(_ path: String, _ body: () throws -> Void) throws {
        let error = try #require(throws: StoreError.self) { try body() }
        #expect(error.code == .noStore)
        for part in [path, "destroyed while it was open", "add it again"] {
            #expect(error.message.contains(part), "\(part): \(error.message)")
        }
        #expect(error.underlying is SQLiteError)
    }

    @Test func `a destroyed store takes its large values along`() throws {
        try withStoreFile { path in
            do {
                let context = try PersistentContainer(model: Widened.model, at: .temporary(path))
                    .newContext()
                context.makeCustomer("Ann").photo = Self.photo
                try context.save()
                #expect(externalFiles(path).count == 1)
            }
            try PersistentStoreCoordinator.destroyPersistentStore(at: path)
            #expect(externalFiles(path).isEmpty)
        }
    }

    @Test func `a store that somebody writes is not destroyed`() throws {
        try withStore { path, _, _, _ in
            let writer = try Connection(path: path)
            try writer.execute("BEGIN IMMEDIATE")
            let error = #expect(throws: StoreError.self) {
                try PersistentStoreCoordinator.destroyPersistentStore(at: path, timeout: .zero)
            }
            #expect(error?.code == .busy)
            writer.rollBack()
            #expect(try labels(at: path) == ["a"])
        }
    }
}
