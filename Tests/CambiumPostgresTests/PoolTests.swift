import CambiumEngine
import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// How long connections are kept, and how a store lets go of them.
struct PoolTests {
    private func settings(_ server: PostgresServer) -> PostgresSettings {
        var settings = PostgresSettings(server.url)
        settings.applicationName = "pool \(UUID().uuidString)"
        return settings
    }

    /// How many connections the server has from a program of this name.
    private func connections(_ server: PostgresServer, _ settings: PostgresSettings) throws -> Int64
    {
        let name = PostgresFragment(.text(settings.applicationName ?? ""), as: .text)
        let sql: PostgresFragment =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)"
        return try server.connect().run([sql.statement()])[0].integer(0, 0)
    }

    /// Waits until something is so.
    private func eventually(_ isSo: () throws -> Bool) async throws -> Bool {
        for _ in 0..<500 {
            if try isSo() { return true }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    @Test(arguments: PostgresServer.all)
    func `connections that nobody uses are closed after a time`(
        _ server: PostgresServer
    ) async throws {
        var settings = settings(server)
        settings.idleLimit = .milliseconds(100)
        let pool = PostgresPool(settings)
        var loans = try (0..<3).map { _ in try pool.lend() }
        #expect(try connections(server, settings) == 3)
        for _ in 0..<2 { pool.giveBack(loans.removeLast()) }
        #expect(try await eventually { try connections(server, settings) == 1 })
        pool.giveBack(loans.removeLast())
        #expect(try await eventually { try connections(server, settings) == 0 })
        let one = try pool.withConnection { try $0.run("SELECT 1::bigint").integer(0, 0) }
        #expect(one == 1)
    }

    @Test(arguments: PostgresServer.all)
    func `a connection that is too old is replaced`(_ server: PostgresServer) throws {
        var settings = settings(server)
        settings.connectionLifetime = .milliseconds(50)
        let pool = PostgresPool(settings)
        func process() throws -> Int64 {
            try pool.withConnection { try $0.run("SELECT pg_backend_pid()::bigint").integer(0, 0) }
        }
        let first = try process()
        Thread.sleep(forTimeInterval: 0.06)
        #expect(try process() != first)
        settings.connectionLifetime = .seconds(60)
        let other = PostgresPool(settings)
        func otherProcess() throws -> Int64 {
            try other.withConnection { try $0.run("SELECT pg_backend_pid()::bigint").integer(0, 0) }
        }
        #expect(try otherProcess() == otherProcess())
    }

    @Test(arguments: PostgresServer.all)
    func `a connection is asked for an answer`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        #expect(connection.answers(within: .seconds(5)))
        let process = try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0)
        _ = try server.connect().run("SELECT pg_terminate_backend(\(process))")
        #expect(!connection.answers(within: .seconds(5)))
    }

    @Test(arguments: PostgresServer.all)
    func `a pool that is closed waits for those who use it`(_ server: PostgresServer) throws {
        let pool = PostgresPool(settings(server))
        let loan = try pool.lend()
        pool.close()
        #expect(throws: StoreError.self) { try pool.lend() }
        #expect(!pool.drain(for: .milliseconds(20)))
        #expect(try loan.connection.run("SELECT 1::bigint").integer(0, 0) == 1)
        pool.giveBack(loan)
        #expect(pool.drain(for: .milliseconds(20)))
    }

    @Test(arguments: PostgresServer.all)
    func `a container that is closed lets a save end, and leaves no connection`(
        _ server: PostgresServer
    ) async throws {
        let name = "close \(UUID().uuidString)"
        let schema = PostgresServer.newSchema
        let container = try PersistentContainer(
            Everything.model, server.description(.off, schema: schema, applicationName: name))
        let boxes = try await container.performBackgroundTask { context in
            let box = Box(in: context, name: "old")
            try context.save()
            return box.objectID
        }
        let locker = try server.connect()
        _ = try locker.run([
            PostgresStatement("BEGIN"),
            PostgresStatement("SELECT * FROM \"\(schema)\".\"Box\" FOR UPDATE"),
        ])
        async let save: Void = container.performBackgroundTask { context in
            guard let box = context.object(with: boxes) as? Box else { return }
            box.name = "new"
            try context.save()
        }
        // The save waits for the lock.
        let waiting = """
            SELECT count(*) FROM pg_stat_activity \
            WHERE application_name = '\(name)' AND wait_event_type = 'Lock'
            """
        let isWaiting = try await eventually {
            try server.connect().run(waiting).integer(0, 0) == 1
        }
        #expect(isWaiting)
        #expect(try await container.close(waitingAtMost: .milliseconds(100)) == false)
        _ = try locker.run("COMMIT")
        try await save
        let rows = try locker.run("SELECT \"name\" FROM \"\(schema)\".\"Box\"")
        #expect(rows.text(0, 0) == "new")
        var settings = PostgresSettings(server.url)
        settings.applicationName = name
        #expect(try await eventually { try connections(server, settings) == 0 })
        await #expect(throws: (any Error).self) {
            try await container.performBackgroundTask { try $0.count(for: Box.fetchRequest()) }
        }
    }
}
