import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import CambiumPostgresSQL
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// The ids that saves write, by which their outcome is found.
struct CommitTableTests {
    private struct Store {
        let schema = PostgresServer.newSchema
        let server: PostgresServer
        let connection: PostgresConnection
        var table: String { "\"\(schema)\".\"_commits\"" }

        init(_ server: PostgresServer) throws {
            self.server = server
            connection = try server.connect()
        }

        func open(isReadOnly: Bool = false) throws -> PersistentContainer {
            var description = server.description(schema: schema)
            description.options.isReadOnly = isReadOnly
            return try PersistentContainer(Everything.model, description)
        }

        func engine(_ container: PersistentContainer) throws -> PostgresEngine {
            try #require(
                container.coordinator.persistentStores.first?.store as? PostgresEngine)
        }

        func ids() throws -> Int64 {
            try connection.run("SELECT count(*) FROM \(table) WHERE \"isCommitted\"").integer(0, 0)
        }

        func run(_ sql: String) throws { _ = try connection.run(sql) }
    }

    @Test(arguments: PostgresServer.some())
    func `each transaction that saves writes one id`(_ server: PostgresServer) throws {
        let store = try Store(server)
        let container = try store.open()
        let context = container.newContext()
        func expectOne(_ what: String, _ body: () throws -> Void) throws {
            let before = try store.ids()
            try body()
            #expect(try store.ids() == before + 1, "\(what)")
        }
        try expectOne("an insertion") {
            _ = Box(in: context, name: "one")
            try context.save()
        }
        try expectOne("a batch insertion") {
            _ = try context.execute(BatchInsertRequest<Box>(objects: [["name": .string("two")]]))
        }
        try expectOne("a batch update") {
            _ = try context.execute(
                BatchUpdateRequest<Box>().setValue(.string("three"), forKey: "name"))
        }
        try expectOne("a transaction") {
            try container.coordinator.performTransaction { _ = Box(in: $0, name: "four") }
        }
        try expectOne("a batch deletion") { _ = try context.execute(BatchDeleteRequest<Box>()) }
        try expectOne("metadata") {
            let persistent = try #require(container.coordinator.persistentStores.first)
            container.coordinator.setMetadata(["a": "b"], for: persistent)
            try context.save()
        }
        let before = try store.ids()
        try context.save()
        try container.coordinator.performTransaction { _ = try $0.fetch(Box.fetchRequest()) }
        #expect(try store.ids() == before)
        // They begin with their time. In one millisecond there may be two.
        let rows = try store.connection.run(
            """
            SELECT bool_and(abs(('x' || substring(replace("id"::text, '-', '') FROM 1 FOR 12)) \
            ::bit(48)::bigint - extract(epoch FROM "written") * 1000) < 60000), \
            bool_and(substring("id"::text FROM 15 FOR 1) = '7') FROM \(store.table)
            """)
        #expect(rows.boolean(0, 0) && rows.boolean(0, 1))
    }

    @Test(arguments: PostgresServer.some())
    func `ids are removed after a day, at opening and now and then`(
        _ server: PostgresServer
    ) throws {
        let store = try Store(server)
        let container = try store.open()
        func insert(hoursAgo hours: Int) throws {
            try store.run(
                """
                INSERT INTO \(store.table) ("id", "written") SELECT \
                (lpad(to_hex(((extract(epoch FROM m)) * 1000)::bigint), 12, '0') || '7000' \
                || repeat('0', 16))::uuid, m FROM (SELECT now() - interval '\(hours) h' AS m) AS m
                """)
        }
        try insert(hoursAgo: 23)
        try insert(hoursAgo: 25)
        try insert(hoursAgo: 300)
        #expect(try store.ids() == 3)
        let other = try store.open()
        #expect(try store.ids() == 1)
        try insert(hoursAgo: 26)
        let context = other.newContext()
        // The thousandth save of a store.
        try store.engine(other).commitCount.withLock { $0 = 998 }
        for count in [3, 2] as [Int64] {
            _ = Box(in: context)
            try context.save()
            let end = ContinuousClock.now + .seconds(10)
            while try store.ids() != count + (count == 2 ? 1 : 0), .now < end {
                Thread.sleep(forTimeInterval: 0.01)
            }
            #expect(try store.ids() == 3)
        }
        withExtendedLifetime(container) {}
    }

    @Test(arguments: PostgresServer.some())
    func `a store without the table gets it`(_ server: PostgresServer) throws {
        let store = try Store(server)
        _ = try store.open()
        try store.run("DROP TABLE \(store.table)")
        try store.run(
            "UPDATE \"\(store.schema)\"._metadata SET value = 'old' WHERE name = 'schemaHash'")
        // Who only reads needs none.
        #expect(try store.open(isReadOnly: true).newContext().count(for: Box.fetchRequest()) == 0)
        let container = try store.open()
        let context = container.newContext()
        _ = Box(in: context)
        try context.save()
        #expect(try store.ids() == 1)
        #expect(try container.coordinator.persistentStores.first?.differences() == [])
    }

    @Test(arguments: PostgresServer.some())
    func `a save that is found to be rolled back never commits`(_ server: PostgresServer) throws {
        let store = try Store(server)
        let container = try store.open()
        let engine = try store.engine(container)
        func outcome(_ id: UUID) throws -> CommitOutcome {
            try container.coordinator.outcome(
                of: CommitID(uuid: id, storeIdentifier: engine.identifier.uuid))
        }
        let id = try PostgresCommits.newID()
        let insertion = engine.layout.commits.insertion(of: id)
        #expect(try outcome(id) == .rolledBack)
        #expect(try outcome(id) == .rolledBack)
        let error = #expect(throws: PostgresError.self) { try store.connection.run([insertion]) }
        #expect(error?.state == PostgresError.uniqueViolation)
        let other = try PostgresCommits.newID()
        _ = try store.connection.run([engine.layout.commits.insertion(of: other)])
        #expect(try outcome(other) == .committed)
        // What the store has forgotten, it does not guess.
        let old = try #require(UUID(uuidString: "01890000-0000-7000-8000-000000000000"))
        #expect(try outcome(old) == .forgotten)
        #expect(try outcome(old) == .forgotten)
    }

    @Test func `stores on no server know the outcome of every save`() throws {
        let container = try PersistentContainer(Everything.model, StoreDescription(type: .memory))
        let identifier = try #require(container.coordinator.persistentStores.first?.identifier)
        var error = #expect(throws: StoreError.self) {
            try container.coordinator.outcome(
                of: CommitID(uuid: UUID(), storeIdentifier: identifier))
        }
        #expect(error?.code == .invalidRequest)
        error = #expect(throws: StoreError.self) {
            try container.coordinator.outcome(of: CommitID(uuid: UUID(), storeIdentifier: UUID()))
        }
        #expect(error?.code == .noStore)
    }
}
