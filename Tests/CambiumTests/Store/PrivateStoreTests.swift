import Cambium
import CambiumExchange
import CambiumSQLite
import Foundation
import Testing

/// Who may read and write what is made of a store: nobody who may not read and write the store.
@Suite(.onSQLite("They are about files."))
struct PrivateStoreTests {
    private static let large = Data(repeating: 7, count: 150_000)

    /// A store with a large value that only its owner may use.
    private func withPrivateStore(
        _ body: (String, PersistentContainer, Customer) throws -> Void
    ) throws {
        try withStoreFile { path in
            try makePrivate(path)
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.photo = Self.large
            try context.save()
            try body(path, container, customer)
        }
    }

    private func makePrivate(_ path: String) throws {
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
    }

    /// What lies beside the store, by its permissions; what a test has made is left out.
    private func permissions(beside path: String, except own: [String] = []) throws
        -> [String: Int]
    {
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        var permissions: [String: Int] = [:]
        for name in names where !own.contains(name) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: "\(folder)/\(name)")
            permissions[name] = attributes[.posixPermissions] as? Int
        }
        return permissions
    }

    /// Makes sure that files and folders are their owner's alone.
    private func requirePrivate(beside path: String, count: Int) throws {
        let found = try permissions(beside: path)
        #expect(found.count >= count, "\(found)")
        #expect(found.values.allSatisfy { $0 & 0o077 == 0 }, "\(found)")
    }

    @Test func `files of values, logs and copies are as private as their store`() throws {
        try withPrivateStore { path, container, _ in
            let coordinator = container.coordinator
            let store = try #require(coordinator.persistentStores.first)
            try coordinator.backUp(store, to: path + ".backup")
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path + ".restored", withStoreFrom: path + ".backup")
            try coordinator.migratePersistentStore(store, to: .file(path + ".moved"))
            // Store, log, its index, folder and value; three of each copy.
            try requirePrivate(beside: path, count: 14)
        }
    }

    @Test func `exports and kept sections are as private as the store`() throws {
        try withPrivateStore { path, container, customer in
            let context = container.newContext()
            try context.execute(
                ExportRequest(FetchRequest<Customer>(entityName: "Customer"), as: .json),
                to: path + ".json")
            try requirePrivate(beside: path, count: 6)
        }
    }

    @Test func `a file that others may read is as private as the store that replaces it`() throws {
        try withPrivateStore { path, container, _ in
            let store = try #require(container.coordinator.persistentStores.first)
            try container.coordinator.backUp(store, to: path + ".backup")
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path + ".restored", withStoreFrom: path + ".backup")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: path + ".restored")
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path + ".restored", withStoreFrom: path + ".backup")
            #expect(try permissions(beside: path)["store.sqlite.restored"] == 0o600)
        }
    }

    @Test func `a store that others may read has copies that they may read`() throws {
        try withStoreFile { path in
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o644]))
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            context.makeCustomer("Ann").photo = Self.large
            try context.save()
            let store = try #require(container.coordinator.persistentStores.first)
            try container.coordinator.backUp(store, to: path + ".backup")
            let found = try permissions(beside: path)
            #expect(found["store.sqlite.backup"] == 0o644)
            #expect(found[".store.sqlite.backup.external"] == 0o755)
        }
    }

    // MARK: Links

    @Test func `a link in the place of a value is not followed`() throws {
        try withPrivateStore { path, container, customer in
            let folder = URL(filePath: path).deletingLastPathComponent()
                .appending(path: ".store.sqlite.external").path()
            let files = FileManager.default
            let name = try #require(try files.contentsOfDirectory(atPath: folder).first)
            let secret = path + ".secret"
            try Data("secret".utf8).write(to: URL(filePath: secret))
            try files.removeItem(atPath: "\(folder)/\(name)")
            try files.createSymbolicLink(
                atPath: "\(folder)/\(name)", withDestinationPath: secret)
            let context = container.newContext()
            let other: Customer = try context.get(customer.objectID)
            #expect(other.photo == Data())
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.description.contains("it is a link") == true)
            let store = try #require(container.coordinator.persistentStores.first)
            #expect(throws: StoreLoadingError.self) {
                try container.coordinator.migratePersistentStore(store, to: .memory)
            }
            // Nor where it is the folder that is a link: what lies there is somebody's.
            let elsewhere = path + ".elsewhere"
            try files.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
            try Data("theirs".utf8).write(to: URL(filePath: "\(elsewhere)/\(name)"))
            try files.removeItem(atPath: folder)
            try files.createSymbolicLink(atPath: folder, withDestinationPath: elsewhere)
            #expect(other.photo == Data())
            context.reset()
            let third = context.makeCustomer("Bob")
            third.photo = Self.large
            #expect(throws: StoreError.self) { try context.save() }
            container.coordinator.persistentStores.forEach {
                try? container.coordinator.remove($0)
            }
            try PersistentStoreCoordinator.destroyPersistentStore(at: path)
            #expect(try files.contentsOfDirectory(atPath: elsewhere) == [name])
        }
    }
}
