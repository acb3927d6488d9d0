import Cambium
import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import CambiumPostgresSQL
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A user that owns the tables of a store, and one that only reads and writes them.
struct GrantsTests {
    /// A store of the administrator's, and a user that has what is printed for it and nothing else.
    private final class World {
        let owner: PostgresServer
        let role: OwnRole
        let schema = PostgresServer.newSchema
        let model: CompiledModel

        init(
            _ server: PostgresServer, _ model: CompiledModel = Everything.model,
            _ tracking: HistoryTracking = .values
        ) throws {
            owner = server
            self.model = model
            role = try OwnRole(server)
            _ = try open(asOwner: tracking)
            let statements = PostgresGrants.script(of: model.model, in: schema, to: role.name)
            for statement in statements { try role.run(statement) }
        }

        func open(
            asOwner tracking: HistoryTracking? = nil,
            _ change: (inout StoreOptions) -> Void = { _ in }
        ) throws -> PersistentContainer {
            let url = tracking == nil ? role.url : owner.url
            var description = StoreDescription(location: .postgres(url, schema: schema))
            description.options.history = tracking ?? .asStored
            change(&description.options)
            return try PersistentContainer(model, description)
        }
    }

    /// Does what a program does with a store, but for the exchange of unique values.
    private static func use(_ container: PersistentContainer) throws {
        let context = container.newContext()
        let topic = Topic(in: context, name: "topic")
        let nodes = (0..<3).map { Node(in: context, label: "node", number: Int64($0)) }
        for node in nodes { node.tags.insert(topic) }
        let watched = Watched(in: context)
        try context.save()
        nodes[0].label = "first"
        context.delete(nodes[2])
        context.delete(watched)
        try context.save()
        let reader = container.newContext()
        let found = try reader.fetch(Node.fetchRequest().filter(Node.label == "first"))
        #expect(found.first?.tags.map(\.name) == ["topic"])
        try reader.execute(BatchUpdateRequest<Node>().set(Node.label, to: "all"))
        try reader.execute(BatchDeleteRequest(Node.fetchRequest().filter(Node.number == 1)))
        try container.coordinator.performTransaction(isolation: .serializable) { context in
            _ = Box(in: context, name: "box")
        }
        let store = try #require(container.coordinator.persistentStores.first)
        container.coordinator.setMetadata(["note": "by a user"], for: store)
        try container.newContext().save()
        let pinned = container.newContext()
        try pinned.setQueryGeneration(.current)
        #expect(try pinned.count(for: Box.fetchRequest()) > 0)
        try pinned.setQueryGeneration(.unpinned)
    }

    private static func exchangeSerials(_ container: PersistentContainer) throws {
        let context = container.newContext()
        let robots = (0..<2).map { Robot(in: context, name: "robot", serial: "\($0)") }
        try context.save()
        (robots[0].serial, robots[1].serial) = ("1", "0")
        defer {
            context.rollback()
            for robot in robots { context.delete(robot) }
            try? context.save()
        }
        try context.save()
        let read = try container.newContext().fetch(Robot.fetchRequest().sorted(by: Robot.serial))
        #expect(read.map(\.objectID) == [robots[1].objectID, robots[0].objectID])
    }

    @Test(arguments: PostgresServer.some())
    func `a user with the printed grants reads and writes a store`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = try world.open()
        try Self.use(container)
        try Self.exchangeSerials(container)
        let history = try container.coordinator.fetchHistory(HistoryRequest())
        #expect(history.transactions.count > 5)
        try container.coordinator.deleteHistory(before: history.token)
        // The tables of a history that the owner begins again are new ones.
        _ = try world.open(asOwner: .off)
        try Self.use(container)
        _ = try world.open(asOwner: .values)
        try Self.use(container)
        #expect(
            try container.coordinator.fetchHistory(HistoryRequest()).transactions.isEmpty == false)
        // Another version of the server may describe the tables in other words.
        try world.role.run(
            "UPDATE \"\(world.schema)\".\"_metadata\" SET value = 'other' WHERE name = 'catalogue'")
        try Self.use(try world.open())
    }

    @Test(arguments: PostgresServer.some())
    func `a user with the printed grants reads and writes large values`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server, Album.model)
        let context = try world.open().newContext()
        let photo = try context.make("Photo")
        for count in [200_000, 200_001, 1] {
            photo[data: "image"] = Data(count: count)
            try context.save()
            let reader = try world.open().newContext()
            let read = reader.object(with: photo.objectID)
            #expect(read[data: "image"] == Data(count: count))
        }
    }

    @Test(arguments: PostgresServer.some())
    func `grants of a history that begins later are there, too`(_ server: PostgresServer) throws {
        let world = try World(server, Everything.model, .off)
        _ = try world.open(asOwner: .values)
        let container = try world.open()
        try Self.use(container)
        #expect(
            try container.coordinator.fetchHistory(HistoryRequest()).transactions.isEmpty == false)
    }

    @Test(arguments: PostgresServer.some())
    func `what a user may not do is said with what to do about it`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        func expect(
            _ words: [String], at location: SourceLocation = #_sourceLocation,
            _ body: () throws -> Void
        ) {
            let error = #expect(
                throws: StoreLoadingError.self, sourceLocation: location, performing: body)
            #expect(error?.code == .cannotOpen, sourceLocation: location)
            for word in words {
                #expect(
                    "\(error as Any)".contains(word), "\(error as Any)", sourceLocation: location)
            }
        }
        expect(["may not create the store in the schema", "grant CREATE"]) {
            _ = try PersistentContainer(
                world.model,
                StoreDescription(
                    location: .postgres(world.role.url, schema: PostgresServer.newSchema)))
        }
        expect(["may not turn on or off the history of the store", "as the owner"]) {
            _ = try world.open { $0.history = .off }
        }
        try world.role.run("DROP TABLE \"\(world.schema)\".\"_commits\"")
        expect(["may not add the table _commits to the store", "as the owner"]) {
            _ = try world.open()
        }
        // Who owns it gives it the table, and the user has the rights of new tables.
        _ = try world.open(asOwner: .asStored)
        try Self.use(try world.open())
    }

    @Test(arguments: PostgresServer.some())
    func `a user that does not own the tables may not migrate a store`(
        _ server: PostgresServer
    ) throws {
        let tests = OpeningMigrationTests()
        let (schema, connection) = try tests.makeStore(server)
        defer { tests.remove(schema, connection) }
        let role = try OwnRole(server)
        let models = OpeningMigrationTests.models
        for statement in PostgresGrants.script(of: models[0], in: schema, to: role.name) {
            try role.run(statement)
        }
        func open(_ url: String) throws {
            try PostgresOpener(
                PostgresSettings(url), schema: schema, .withoutClasses(models[1]), StoreOptions(),
                migrations: try OpeningMigrationTests.migrations()
            ).open().store.close()
        }
        let error = #expect(throws: StoreError.self) { try open(role.url) }
        #expect(error?.code == .cannotOpen && error?.serverFailure == .missingPrivilege)
        #expect(error?.message.contains("may not migrate the store in the schema") == true)
        #expect(error?.message.contains("must be owner of table Item") == true)
        try open(server.url)
        try open(role.url)
    }

    /// A right that every user has, unless it was revoked.
    @Test(arguments: PostgresServer.some())
    func `a user without TEMPORARY does all but exchange unique values`(
        _ server: PostgresServer
    ) throws {
        let database = try OwnDatabase(server)
        let world = try World(database.server)
        try world.role.run("REVOKE TEMPORARY ON DATABASE \(database.name) FROM PUBLIC")
        let container = try world.open()
        try Self.use(container)
        let error = #expect(throws: StoreError.self) { try Self.exchangeSerials(container) }
        #expect(error?.code == .notPermitted)
        #expect(error?.message.contains("Grant TEMPORARY on the database") == true)
        try world.role.run(
            "UPDATE \"\(world.schema)\".\"_metadata\" SET value = 'other' WHERE name = 'catalogue'")
        let opening = #expect(throws: StoreLoadingError.self) { try world.open() }
        #expect("\(opening as Any)".contains("may not compare the tables of the store"))
        #expect("\(opening as Any)".contains("Grant TEMPORARY on the database"))
        _ = try world.open(asOwner: .asStored)
        try Self.use(try world.open())
    }
}
