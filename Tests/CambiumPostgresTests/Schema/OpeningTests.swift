import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// What a user of the server may do, and what its tables hold.
struct OpeningTests {
    @Test(arguments: PostgresServer.some())
    func `a user who may make no schema opens a store in one that exists`(
        _ server: PostgresServer
    ) throws {
        let (user, schema) = ("user \(UUID().uuidString)", PostgresServer.newSchema)
        let connection = try server.connect()
        for sql in [
            "CREATE ROLE \"\(user)\" LOGIN",
            "CREATE SCHEMA \"\(schema)\" AUTHORIZATION \"\(user)\"",
        ] { _ = try connection.run(sql) }
        defer {
            _ = try? connection.run("DROP OWNED BY \"\(user)\" CASCADE")
            _ = try? connection.run("DROP ROLE \"\(user)\"")
        }
        let name = try #require(
            user.addingPercentEncoding(withAllowedCharacters: .urlUserAllowed))
        let url = server.url.replacing("cambium@", with: "\(name)@")
        let other = StoreLocation.postgres(url, schema: PostgresServer.newSchema)
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentContainer(Everything.model, StoreDescription(location: other))
        }
        #expect("\(error as Any)".contains("permission denied"))
        #expect(error?.code == .cannotOpen)
        for _ in 0..<2 {
            let container = try PersistentContainer(
                Everything.model,
                StoreDescription(location: .postgres(url, schema: schema)))
            let context = container.newContext()
            _ = Box(in: context, name: "one")
            try context.save()
        }
        let count = try connection.run("SELECT count(*) FROM \"\(schema)\".\"Box\"")
        #expect(count.integer(0, 0) == 2)
    }

    @Test(arguments: PostgresServer.some())
    func `a store that is to follow others is refused, and not made`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        var description = server.description(schema: schema)
        description.options.followsRemoteChanges = true
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentContainer(Everything.model, description)
        }
        #expect("\(error as Any)".contains("followsRemoteChanges"))
        let made = try server.connect().run(
            "SELECT count(*) FROM pg_namespace WHERE nspname = '\(schema)'")
        #expect(made.integer(0, 0) == 0)
    }

    @Test(arguments: PostgresServer.some())
    func `a name of a schema that the server would cut off is refused`(
        _ server: PostgresServer
    ) throws {
        for name in ["", PostgresServer.newSchema + String(repeating: "s", count: 63)] {
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentContainer(Everything.model, server.description(schema: name))
            }
            #expect(error?.code == .invalidRequest)
            #expect("\(error as Any)".contains("name of") && "\(error as Any)".contains("63 bytes"))
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a program that holds the keys makes others wait for no longer than busyTimeout`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        var description = server.description(schema: schema)
        description.options.busyTimeout = .milliseconds(300)
        let container = try PersistentContainer(Everything.model, description)
        let other = try server.connect()
        _ = try other.run("BEGIN")
        _ = try other.run("UPDATE \"\(schema)\"._keys SET next = next + 1")
        let context = container.newContext()
        let start = ContinuousClock.now
        _ = Box(in: context, name: "one")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.serverFailure == .statementTimeout)
        #expect(ContinuousClock.now - start < .seconds(20))
        _ = try other.run("ROLLBACK")
        // An object that got no key never gets one.
        context.rollback()
        _ = Box(in: context, name: "two")
        try context.save()
    }

    @Test(arguments: PostgresServer.some())
    func `a store of another model, and none at all, are named as such`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        func error(_ model: CompiledModel, isReadOnly: Bool) throws -> StoreLoadingError {
            var description = server.description(schema: schema)
            description.options.isReadOnly = isReadOnly
            return try #require(
                #expect(throws: StoreLoadingError.self) {
                    try PersistentStoreCoordinator(model: model)
                        .addPersistentStore(with: description)
                })
        }
        let none = try error(Album.model, isReadOnly: true)
        #expect(none.code == .cannotOpen && "\(none)".contains("has no store"))
        _ = try PersistentContainer(Everything.model, server.description(schema: schema))
        let other = try error(Album.model, isReadOnly: false)
        #expect(other.code == .otherModel)
        #expect("\(other)".contains("the model Everything") && !"\(other)".contains("SQLite"))
    }

    @Test(arguments: PostgresServer.some())
    func `a key that another program has taken is named, and the next block begins behind it`(
        _ server: PostgresServer
    ) throws {
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(schema: schema))
        let context = container.newContext()
        let box = Box(in: context, name: "one")
        _ = try server.connect().run(
            """
            INSERT INTO "\(schema)"."Box" ("_id", "name") \
            SELECT "key", 'by hand' FROM generate_series(\(box.objectID.key), 100000) AS k ("key")
            """)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .keyTaken)
        let text = "\(error as Any)"
        #expect(text.contains("Box") && !text.contains("by hand"))
        context.delete(box)
        try context.save()
        // A context of its own has a block of its own, behind what is there.
        let other = container.newContext()
        let next = Box(in: other, name: "two")
        try other.save()
        #expect(next.objectID.key > 100_000)
        // A number beyond the last one is none.
        _ = try server.connect().run(
            "INSERT INTO \"\(schema)\".\"Box\" (\"_id\") VALUES (9223372036854775807)")
        let last = container.newContext()
        _ = Box(in: last, name: "three")
        let full = #expect(throws: StoreError.self) { try last.save() }
        #expect(full?.code == .corrupt)
        #expect("\(full as Any)".contains("No key is left"))
    }

    @Test(arguments: PostgresServer.some(), [200, 1_000])
    func `a text that is too long for an index is named`(
        _ server: PostgresServer, length: Int
    ) throws {
        let container = try PersistentContainer(Everything.model, server.description())
        let context = container.newContext()
        // The server cannot compress random digits well.
        let serial = (0..<length).map { _ in UUID().uuidString }.joined()
        let robot = Robot(in: context, name: "robot", serial: serial)
        let error = #expect(throws: ValidationError.self) { try context.save() }
        #expect(error?.code == .tooLong)
        #expect("\(error as Any)".contains("2,704 bytes"))
        // The server does not say where one is that is much too long.
        if length == 200 { #expect(error?.property == "serial") }
        robot.serial = String(serial.prefix(600))
        try context.save()
    }
}
