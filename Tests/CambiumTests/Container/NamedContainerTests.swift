import Cambium
import CambiumEngineSpecification
import EverythingModel
import FirstPackagesModel
import Foundation
import PackagesModel
import Testing

/// A container with a name, whose stores are described, changed and then loaded.
@Suite(.onSQLite("The name of a container is that of a file."))
struct NamedContainerTests {
    private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        try withStoreFile { path in
            try body(URL(filePath: path).deletingLastPathComponent().path())
        }
    }

    @Test func `the store is named after the container, in its directory`() throws {
        try withFolder { folder in
            let container = PersistentContainer(
                name: "Shop", model: Everything.model, directory: "\(folder)deep/er")
            #expect(container.name == "Shop")
            #expect(
                container.persistentStoreDescriptions.map(\.location)
                    == [.file("\(folder)deep/er/Shop.sqlite")])
            var told: [String] = []
            container.loadPersistentStores { description, error in
                told.append("\(description) \(String(describing: error))")
            }
            #expect(told == ["SQLite store \(folder)deep/er/Shop.sqlite nil"])
            #expect(container.migration == .created)
            let context = container.newContext()
            _ = Node(in: context)
            try context.save()
            #expect(
                try rows("SELECT count(*) FROM Node", in: "\(folder)deep/er/Shop.sqlite") == [
                    [.integer(1)]
                ])
        }
    }

    @Test func `the default directory is the one for data of programs`() throws {
        let directory = PersistentContainer.defaultDirectory
        #expect(directory.hasPrefix("/"))
        let container = PersistentContainer(name: "Shop", model: Everything.model)
        #expect(
            container.persistentStoreDescriptions.first?.location
                == .file("\(directory)/Shop.sqlite"))
        #if os(Linux)
            let environment = ProcessInfo.processInfo.environment
            let data = environment["XDG_DATA_HOME"] ?? "\(environment["HOME"] ?? "")/.local/share"
            #expect(directory.hasPrefix("\(data)/"))
        #endif
        // Nothing is made before stores are loaded.
        #expect(container.coordinator.persistentStores.isEmpty)
    }

    @Test func `descriptions can be changed before the stores are loaded`() throws {
        try withFolder { folder in
            let container = PersistentContainer(
                name: "Library", model: Library.model, directory: folder)
            container.persistentStoreDescriptions = [
                StoreDescription(
                    location: .file("\(folder)catalogue.sqlite"), configuration: "Catalogue"),
                StoreDescription(location: .memory, configuration: "Visits"),
            ]
            container.persistentStoreDescriptions[1].options.busyTimeout = .seconds(1)
            container.loadPersistentStores { #expect($1 == nil) }
            let stores = container.coordinator.persistentStores
            #expect(stores.map(\.configuration) == ["Catalogue", "Visits"])
            #expect(stores.map(\.options.busyTimeout) == [.seconds(10), .seconds(1)])
            let context = container.newContext()
            _ = Book(in: context, author: Author(in: context))
            _ = Visitor(in: context)
            try context.save()
            #expect(
                try rows("SELECT count(*) FROM Visitor", in: "\(folder)catalogue.sqlite") == [
                    [.integer(0)]
                ])
        }
    }

    @Test func `one store that fails does not stop the others`() throws {
        try withFolder { folder in
            try "no store".write(
                toFile: "\(folder)bad.sqlite", atomically: true, encoding: .utf8)
            let container = PersistentContainer(
                name: "Library", model: Library.model, directory: folder)
            container.persistentStoreDescriptions = [
                StoreDescription(
                    location: .file("\(folder)bad.sqlite"), configuration: "Catalogue"),
                StoreDescription(location: .memory, configuration: "Visits"),
            ]
            var told: [(StoreLocation, StoreLoadingError.Code?)] = []
            container.loadPersistentStores { description, error in
                told.append((description.location, (error as? StoreLoadingError)?.code))
            }
            #expect(told.map(\.0) == [.file("\(folder)bad.sqlite"), .memory])
            #expect(told.map(\.1) == [.notAStore, nil])
            let context = container.newContext()
            _ = Visitor(in: context)
            try context.save()

            // Nothing is opened twice.
            var again: [StoreLoadingError.Code?] = []
            container.loadPersistentStores { again.append(($1 as? StoreLoadingError)?.code) }
            #expect(again == [.notAStore, .invalidRequest])
        }
    }

    @Test @MainActor func `stores are loaded beside the main actor, with progress`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        _ = try PersistentContainer(model: FirstPackagesModel.Packages.model, at: .temporary(path))
        let container = PersistentContainer(
            name: "store", model: PackagesModel.Packages.model,
            directory: URL(filePath: path).deletingLastPathComponent().path())
        let own = Log()
        let log = Log()
        container.persistentStoreDescriptions[0].options.migrationProgress = {
            own.append($0.summary)
        }
        try await container.loadPersistentStores { log.append($0.summary) }
        guard case .migrated = container.migration else {
            Issue.record("\(container.migration)")
            return
        }
        #expect(own.entries == log.entries && !log.entries.isEmpty)
        #expect(try container.viewContext.count(for: PackagesModel.Package.fetchRequest()) == 0)
    }

    @Test func `a function that waits can load stores as Core Data's programs do`() async throws {
        let container = PersistentContainer(name: "Library", model: Library.model)
        container.persistentStoreDescriptions = [StoreDescription(type: .memory)]
        var failures = 0
        container.loadPersistentStores { description, error in
            #expect(description.location == .memory && description.type == .memory)
            if error != nil { failures += 1 }
        }
        #expect(failures == 0)
        #expect(container.coordinator.persistentStores.count == 1)
    }

    @Test func `the waiting form throws one failure as itself, and several as one error`()
        async throws
    {
        let path = try makeStorePath()
        defer { removeStore(path) }
        try "no store".write(toFile: path, atomically: true, encoding: .utf8)
        let container = PersistentContainer(name: "Library", model: Library.model)
        container.persistentStoreDescriptions = [
            StoreDescription(location: .file(path), configuration: "Catalogue"),
            StoreDescription(location: .memory, configuration: "Visits"),
        ]
        let error = await #expect(throws: StoreLoadingError.self) {
            try await container.loadPersistentStores()
        }
        #expect(error?.store.location == .file(path))
        #expect(container.coordinator.persistentStores.map(\.configuration) == ["Visits"])
        let errors = await #expect(throws: StoreLoadingErrors.self) {
            try await container.loadPersistentStores()
        }
        #expect(errors?.errors.map(\.store.configuration) == ["Catalogue", "Visits"])
    }

    @Test func `a cancelled migration leaves the store as it was`() async throws {
        let path = try makeStorePath()
        defer { removeStore(path) }
        _ = try PersistentContainer(model: FirstPackagesModel.Packages.model, at: .temporary(path))
        let container = PersistentContainer(
            name: "store", model: PackagesModel.Packages.model,
            directory: URL(filePath: path).deletingLastPathComponent().path())
        let (begun, isCancelled) = (Log(), Log())
        let loading = Task {
            try await container.loadPersistentStores { _ in
                begun.append("begun")
                // Nobody goes on before somebody has cancelled.
                while isCancelled.entries.isEmpty {}
            }
        }
        while begun.entries.isEmpty { await Task.yield() }
        loading.cancel()
        isCancelled.append("cancelled")
        let error = await #expect(throws: StoreLoadingError.self) { try await loading.value }
        #expect(error?.code == .cancelled)
        #expect(error?.coreDataCode == 134120)
        #expect(
            try PersistentStoreCoordinator.metadata(ofStoreAt: .file(path)).modelVersion == "1")
    }
}
