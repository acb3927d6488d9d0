import Cambium
import CambiumEngineSpecification
import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Contexts that read a store on a server as it was.
@Suite(.serialized) struct PostgresGenerationTests {
    private func withContexts(
        _ server: PostgresServer, lifetime: Duration = .seconds(60),
        schema: String = PostgresServer.newSchema,
        _ body: (
            _ pinned: ManagedObjectContext, _ other: ManagedObjectContext,
            _ container: PersistentContainer
        ) throws -> Void
    ) throws {
        var description = server.description(schema: schema)
        description.options.queryGenerationLifetime = lifetime
        let container = try PersistentContainer(Everything.model, description)
        let other = container.newContext()
        for label in ["a", "b"] { _ = Node(in: other, label: label) }
        try other.save()
        try body(container.newContext(), other, container)
    }

    private func labels(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Node.fetchRequest()).map(\.label)
    }

    /// How many sessions hold a state of a store.
    private func holders(_ server: PostgresServer, _ schema: String) throws -> Int64 {
        try server.connect().run(
            """
            SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' \
            AND backend_xmin IS NOT NULL AND query LIKE '%\(schema)%'
            """
        ).integer(0, 0)
    }

    @Test(arguments: PostgresServer.some())
    func `a state ends after its time, and another one begins`(_ server: PostgresServer) throws {
        let schema = PostgresServer.newSchema
        try withContexts(server, lifetime: .seconds(1), schema: schema) { pinned, other, _ in
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
            #expect(try holders(server, schema) == 1)
            _ = Node(in: other, label: "c")
            try other.save()
            let end = Date.now + 5
            // Whether anybody reads or not.
            while try holders(server, schema) > 0, .now < end {
                Thread.sleep(forTimeInterval: 0.02)
            }
            #expect(try holders(server, schema) == 0)
            let error = #expect(throws: QueryGenerationExpired.self) { try labels(pinned) }
            try #expect("\(#require(error))".contains("longer than"))
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b", "c"])
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a state ends where the server ends its connection`(_ server: PostgresServer) throws {
        let schema = PostgresServer.newSchema
        try withContexts(server, schema: schema) { pinned, _, _ in
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
            _ = try server.connect().run(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
                WHERE state = 'idle in transaction' AND query LIKE '%\(schema)%'
                """)
            let error = #expect(throws: QueryGenerationExpired.self) { try labels(pinned) }
            try #expect("\(#require(error))".contains("the server"))
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
        }
    }

    @Test(arguments: PostgresServer.some())
    func `everything that is worked out in memory is read in the state, too`(
        _ server: PostgresServer
    ) throws {
        try withContexts(server) { pinned, other, _ in
            try pinned.setQueryGeneration(.current)
            #expect(try pinned.count(for: Node.fetchRequest()) == 2)
            for node in try other.fetch(Node.fetchRequest()) { other.delete(node) }
            try other.save()
            let sorted = Node.fetchRequest()
                .sorted(by: Node.label.descending(.natural))
            #expect(try pinned.fetch(sorted).map(\.label) == ["b", "a"])
            #expect(try other.fetch(Node.fetchRequest()).isEmpty)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a store can be closed while somebody reads its past`(_ server: PostgresServer) throws {
        try withContexts(server) { pinned, _, container in
            try pinned.setQueryGeneration(.current)
            #expect(try labels(pinned) == ["a", "b"])
            for store in container.coordinator.persistentStores {
                try container.coordinator.remove(store)
            }
            #expect(throws: (any Error).self) { try labels(pinned) }
        }
    }
}
