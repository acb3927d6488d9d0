import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import PackagesModel
import FirstPackagesModel
import Testing

struct StoreMetadataTests {
    /// The notes as somebody else reads them.
    private func notes(_ path: String) throws -> [String: String] {
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        let store = try coordinator.addPersistentStore(at: .temporary(path))
        return try coordinator.metadata(for: store).notes
    }

    @Test func `rule 80: notes of a coordinator are written by the next save`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            let context = coordinator.newContext()
            coordinator.setMetadata(["theme": "dark"], for: store)
            #expect(try coordinator.metadata(for: store).notes == ["theme": "dark"])
            #expect(try notes(path) == [:])
            _ = Node(in: context)
            try context.save()
            #expect(try notes(path) == ["theme": "dark"])

            coordinator.setMetadata(["size": "1"], for: store)
            // A save without changes is one, too.
            try context.save()
            #expect(try notes(path) == ["size": "1"])
        }
    }

    @Test(.onSQLite("The metadata of a store on a server are those of an open one."))
    func `rule 80: notes of a store that is not open are written at once`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            try PersistentStoreCoordinator.setMetadata(["a": "b"], forStoreAt: .temporary(path))
            #expect(try notes(path) == ["a": "b"])
            #expect(try coordinator.metadata(for: store).notes == ["a": "b"])
        }
    }

    @Test(.onSQLite("The metadata of a store on a server are those of an open one."))
    func `type, UUID and model are always there`() throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Everything.model)
            let store = try coordinator.addPersistentStore(at: .temporary(path))
            let inside = try coordinator.metadata(for: store)
            let outside = try PersistentStoreCoordinator.metadata(ofStoreAt: .temporary(path))
            #expect(inside == outside)
            #expect(outside.type == store.type)
            #expect(outside.identifier == store.identifier)
            #expect(outside.modelName == "Everything")
            #expect(outside.isCompatible(with: Everything.model.model))
            #expect(!outside.isCompatible(with: PackagesModel.Packages.model.model))
        }
    }

    @Test(.onSQLite("It is about files."))
    func `the UUID stays with the file, wherever that is moved`() throws {
        try withStoreFile { path in
            let moved = path + ".moved"
            let uri = try {
                let context = try PersistentContainer(model: Everything.model, at: .temporary(path))
                    .newContext()
                let node = Node(in: context, label: "a")
                try context.save()
                return node.objectID.uri
            }()
            for suffix in ["", "-wal", "-shm"]
            where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: moved + suffix)
            }
            let container = try PersistentContainer(model: Everything.model, at: .file(moved))
            let id = try #require(container.coordinator.objectID(forURI: uri))
            let context = container.newContext()
            #expect(try context.existingObject(with: id, as: Node.self).label == "a")
        }
    }

    @Test(.onSQLite("It is about stores of earlier programs."))
    func `a store without a UUID gets one when it is opened for writing`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Everything.model, at: .temporary(path))
            try execute("DELETE FROM _metadata WHERE name = 'uuid'", in: path)
            var options = StoreOptions()
            options.isReadOnly = true
            func identifier(_ options: StoreOptions = StoreOptions()) throws -> UUID? {
                try PersistentContainer(
                    model: Everything.model, at: .temporary(path), options: options
                ).coordinator.persistentStores.first?.identifier
            }
            let unnamed = try identifier(options)
            #expect(try identifier(options) == unnamed)
            let named = try identifier()
            #expect(try identifier() == named)
            #expect(try identifier(options) == named)
        }
    }

    @Test(.onSQLite("The metadata of a store on a server are read when it is open."))
    func `a migration keeps the UUID and the notes`() throws {
        try withStoreFile { path in
            let first = try PersistentContainer(
                model: FirstPackagesModel.Packages.model, at: .temporary(path))
            let identifier = first.coordinator.persistentStores.first?.identifier
            try PersistentStoreCoordinator.setMetadata(["a": "b"], forStoreAt: .temporary(path))
            _ = try PersistentContainer(model: PackagesModel.Packages.model, at: .temporary(path))
            let metadata = try PersistentStoreCoordinator.metadata(ofStoreAt: .file(path))
            #expect(metadata.identifier == identifier)
            #expect(metadata.notes == ["a": "b"])
            #expect(metadata.modelVersion == "3")
        }
    }

    @Test(.onSQLite("It is about files."), arguments: ["missing", "other"])
    func `what is no store has no metadata`(_ name: String) throws {
        try withStoreFile { path in
            try execute("CREATE TABLE a (b)", in: path + ".other")
            let location = StoreLocation.file(path + "." + name)
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator.metadata(ofStoreAt: location)
            }
            #expect(error?.store.location == location)
            #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator.setMetadata(["a": "b"], forStoreAt: location)
            }
            #expect(!FileManager.default.fileExists(atPath: path + ".missing"))
        }
    }
}
