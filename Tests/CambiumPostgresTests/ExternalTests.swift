import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgresSQL
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Large values have a table of their own, and lengths have a limit.
struct ExternalTests {
    /// A store that keeps values of a few bytes only.
    private struct SmallKind: StoreKind {
        let url: String
        let schema: String

        var isTransactional: Bool { true }

        func opener(for request: StoreOpeningRequest) -> any StoreOpening {
            var opener = PostgresOpener(
                PostgresSettings(url), schema: schema, request.compiled.modelDescription,
                request.description.options)
            opener.largestValue = 300_000
            return opener
        }
    }

    private func withContainer(
        _ server: PostgresServer,
        _ body: (PersistentContainer, _ names: () throws -> Int64) throws -> Void
    ) throws {
        let schema = "test \(UUID().uuidString)"
        let container = try PersistentContainer(
            Album.model,
            StoreDescription(
                type: StoreType(
                    name: "small", kind: SmallKind(url: server.url, schema: schema)),
                location: .memory))
        let connection = try server.connect()
        try body(container) {
            try connection.run("SELECT count(*) FROM \"\(schema)\".\"_external\"").integer(0, 0)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a transaction reads the value that it has found, whatever others set`(
        _ server: PostgresServer
    ) throws {
        try withContainer(server) { container, _ in
            let other = container.newContext()
            let photo = try other.make("Photo")
            photo[data: "image"] = Data(count: 200_000)
            try other.save()
            try container.coordinator.performTransaction(isolation: .snapshot) { context in
                let own = context.object(with: photo.objectID)
                #expect(own["name"] == "")
                photo[data: "image"] = Data(count: 200_001)
                try other.save()
                #expect(own[data: "image"] == Data(count: 200_000))
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a value is removed with its row, and where another one is set`(
        _ server: PostgresServer
    ) throws {
        try withContainer(server) { container, names in
            let context = container.newContext()
            let films = try (0..<3).map { _ in try context.make("Film") }
            for film in films {
                film[data: "image"] = Data(count: 200_000)
                film[data: "sound"] = Data(count: 200_000)
            }
            try context.save()
            #expect(try names() == 6)
            films[0][data: "image"] = Data(count: 200_001)
            films[1][data: "sound"] = Data(count: 2)
            films[2]["name"] = "changed"
            try context.save()
            #expect(try names() == 5)
            context.delete(films[0])
            try context.save()
            #expect(try names() == 3)
            try context.execute(
                BatchUpdateRequest<ManagedObject>(entityName: "Film")
                    .setValue(.null, forKey: "image"))
            #expect(try names() == 1)
            try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Photo"))
            #expect(try names() == 0)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `values that take several statements are all there`(_ server: PostgresServer) throws {
        let container = try PersistentContainer(
            Album.model, server.description(schema: PostgresServer.newSchema))
        let context = container.newContext()
        // A statement takes 16 MiB.
        for number in 0..<5 {
            let photo = try context.make("Photo", ["code": "\(number)"])
            photo[data: "image"] = Data(repeating: UInt8(number), count: 5 << 20)
            photo[data: "preview"] = Data(repeating: UInt8(number), count: 150_000)
        }
        try context.save()
        for photo in try container.newContext().all("Photo") {
            let byte = try #require(UInt8(photo["code"]))
            #expect(photo[data: "image"] == Data(repeating: byte, count: 5 << 20))
            #expect(photo[data: "preview"] == Data(repeating: byte, count: 150_000))
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a value that is written once more is still there`(_ server: PostgresServer) throws {
        try withContainer(server) { container, names in
            let context = container.newContext()
            let photo = try context.make("Photo")
            photo[data: "image"] = Data(repeating: 3, count: 200_000)
            photo[data: "preview"] = Data(repeating: 4, count: 200_000)
            try context.save()
            let other = container.newContext()
            try other.all("Photo")[0]["name"] = "theirs"
            try other.save()
            // All that the object has is written over the row.
            context.mergePolicy = .overwrite
            photo["name"] = "ours"
            try context.save()
            #expect(try names() == 2)
            let found = try container.newContext().all("Photo")[0]
            #expect(found["name"] == "ours")
            #expect(found[data: "image"] == Data(repeating: 3, count: 200_000))
            #expect(found[data: "preview"] == Data(repeating: 4, count: 200_000))
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a save that is taken back leaves no value behind`(_ server: PostgresServer) throws {
        try withContainer(server) { container, names in
            let context = container.newContext()
            for _ in 0..<2 {
                try context.make("Photo", ["code": "same"])[data: "image"] = Data(count: 200_000)
            }
            #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(try names() == 0)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a value that is too large is refused before the save`(_ server: PostgresServer) throws {
        try withContainer(server) { container, names in
            let context = container.newContext()
            let photo = try context.make("Photo")
            photo[data: "image"] = Data(count: 300_000)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .tooLong)
            #expect(error?.property == "image")
            photo[data: "image"] = nil
            photo["name"] = String(repeating: "x", count: 300_001)
            #expect(throws: ValidationError.self) { try context.save() }
            photo["name"] = "short"
            try context.save()
            #expect(throws: (any Error).self) {
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Photo")
                        .setValue(.data(Data(count: 300_000)), forKey: "image"))
            }
            #expect(try names() == 0)
        }
    }

    @Test func `the limit leaves room for what is around a value in a message of 1 GiB`() {
        #expect(PostgresExternal.largestValue < 1 << 30 - 8_192)
    }
}
