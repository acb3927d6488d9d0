import Cambium
import CambiumSQLite
import EverythingModel
import FirstPackagesModel
import Foundation
import PackagesModel
import ShopModel
import Synchronization
import Testing

/// Stores that are added to a coordinator by hand.
struct CoordinatorTests {
    @Test func `a coordinator by hand has a store, contexts and objects`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            #expect(coordinator.persistentStores.isEmpty)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            #expect(store.migration == .created)
            #expect(coordinator.persistentStores == [store])
            #expect(coordinator.managedObjectModel.name == "Everything")
            let context = coordinator.newContext()
            _ = Node(in: context, label: "a")
            try context.save()
            #expect(try coordinator.newContext().fetch(Node.fetchRequest()).map(\.label) == ["a"])
        }
    }

    @Test(.onSQLite("A place on a server has no path."))
    func `a store is found by its place, however the path is written`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            let name = URL(filePath: path).lastPathComponent
            let folder = URL(filePath: path).deletingLastPathComponent().path()
            #expect(coordinator.persistentStore(at: .file("\(folder)x/../\(name)")) == store)
            #expect(coordinator.persistentStore(at: .file("\(path).other")) == nil)
            #expect(coordinator.persistentStore(at: .temporary) == nil)
        }
    }

    @Test(.onSQLite("It is about SQLite in memory."))
    func `a store in memory needs no place`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(type: .memory, at: .temporary(path))
            _ = Node(in: coordinator.newContext())
            #expect(store.type == .memory && store.type != .sqlite)
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `without a store, a fetch and a save say what is missing`() throws {
        let context = PersistentStoreCoordinator(model: Everything.model).newContext()
        let error = #expect(throws: StoreError.self) { try context.fetch(Node.fetchRequest()) }
        #expect(error?.code == .noStore)
        try #expect("\(#require(error))".contains("has no store for Node"))
        _ = Node(in: context)
        #expect(throws: StoreError.self) { try context.save() }
    }

    @Test func `a store that was removed is closed, and its objects keep what was read`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            let context = coordinator.newContext()
            let node = Node(in: context, label: "a")
            try context.save()
            let id = node.objectID
            try coordinator.remove(store)
            #expect(coordinator.persistentStores.isEmpty)
            #expect(node.label == "a")
            #expect(node.objectID == id)
            node.label = "b"
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .noStore)
            #expect(throws: StoreError.self) { try coordinator.remove(store) }

            // The same file is the same store, so that the objects have their rows again.
            try coordinator.addPersistentStore(at: .temporary(path))
            #expect(node.objectID == id)
            try context.save()
            #expect(try coordinator.newContext().fetch(Node.fetchRequest()).map(\.label) == ["b"])
        }
    }

    @Test(.onServers)
    func `by hand, a store of an earlier version is an error unless migration is on`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(
                model: FirstPackagesModel.Packages.model, at: .temporary(path))
            let coordinator = PersistentStoreCoordinator(model: PackagesModel.Packages.model)
            let error = #expect(throws: StoreLoadingError.self) {
                try coordinator.addPersistentStore(at: .temporary(path))
            }
            #expect(error?.code == .needsMigration)
            #expect(error?.coreDataCode == 134100)
            #expect(
                error?.underlying as? MigrationError == .migrationIsOff(store: "1", program: "3"))
            #expect(coordinator.persistentStores.isEmpty)
            _ = try PersistentContainer(
                model: FirstPackagesModel.Packages.model, at: .temporary(path))

            var options = StoreOptions()
            options.migratesAutomatically = true
            let store = try coordinator.addPersistentStore(at: .temporary(path), options: options)
            guard case .migrated(from: "1", to: "3", _, _) = store.migration else {
                Issue.record("\(store.migration)")
                return
            }
            let metadata = try coordinator.metadata(for: store)
            #expect(metadata.isCompatible(with: PackagesModel.Packages.model.model))
            #expect(metadata.identifier == store.identifier)
        }
    }

    @Test func `a container migrates unless it is told not to`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(
                model: FirstPackagesModel.Packages.model, at: .temporary(path))
            var options = StoreOptions()
            options.migratesAutomatically = false
            let error = expectOpening(throws: MigrationError.self) {
                try PersistentContainer(
                    model: PackagesModel.Packages.model, at: .temporary(path), options: options)
            }
            #expect(error == .migrationIsOff(store: "1", program: "3"))
        }
    }

    @Test func `a loading error says which store it was, and why`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let error = #expect(throws: StoreLoadingError.self) {
                try coordinator.addPersistentStore(at: .temporary(path))
            }
            #expect(error?.code == .otherModel)
            #expect(!StoreKind.isSQLite || error?.store.location == .file(path))
            #expect(error?.underlying is MigrationError)
            let text = "\(try #require(error))"
            #expect(text.contains(StoreKind.isSQLite ? path : "PostgreSQL"))
            #expect(text.contains("the model Shop"))
        }
    }

    @Test(
        .onSQLite("It is about files."),
        arguments: [
            ("nothing/there/store.sqlite", StoreLoadingError.Code.cannotOpen, 134080),
            ("text.sqlite", .notAStore, 259), ("other.sqlite", .notAStore, 259),
        ])
    func `a file that is no store is told by a code`(
        _ name: String, _ code: StoreLoadingError.Code, _ coreDataCode: Int
    ) throws {
        try withStoreFile { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
            try String(repeating: "This is text. ", count: 100)
                .write(to: folder.appending(path: "text.sqlite"), atomically: true, encoding: .utf8)
            try execute("CREATE TABLE a (b)", in: folder.appending(path: "other.sqlite").path())
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator(model: Everything.model)
                    .addPersistentStore(at: .file(folder.appending(path: name).path()))
            }
            #expect(error?.code == code)
            #expect(error?.coreDataCode == coreDataCode)
        }
    }

    @Test func `stores that are added, replaced and removed are told`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        var coordinator: PersistentStoreCoordinator? = PersistentStoreCoordinator(
            model: Everything.model)
        let changes = try #require(coordinator?.storeChanges)
        let store = try #require(try coordinator?.addPersistentStore(at: .temporary(path)))
        let moved = try #require(
            try coordinator?.migratePersistentStore(store, to: .temporary(path + ".moved")))
        try coordinator?.remove(moved)
        // The sequence ends with the coordinator.
        coordinator = nil
        var told: [StoresDidChange] = []
        for await change in changes { told.append(change) }
        #expect(told.map(\.added) == [[store], [moved], []])
        #expect(told.map(\.removed) == [[], [store], [moved]])
        #expect(told[1].replacedIdentifiers == [store.identifier: moved.identifier])
    }

    @Test func `an observer hears of stores at once, and no more when its token goes`() throws {
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        let told = Mutex<[String]>([])
        let first = coordinator.observeStoreChanges { [weak coordinator] change in
            // What it hears of has happened, and it may use the coordinator.
            let count = coordinator?.persistentStores.count ?? -1
            told.withLock { $0.append("+\(change.added.count)-\(change.removed.count)=\(count)") }
        }
        let second = coordinator.observeStoreChanges { _ in first.cancel() }
        let store = try coordinator.addPersistentStore(at: .temporary)
        #expect(told.withLock { $0 } == ["+1-0=1"])
        try coordinator.remove(store)
        #expect(told.withLock { $0 } == ["+1-0=1"])
        withExtendedLifetime(second) {}
    }
}
