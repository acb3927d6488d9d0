import CambiumEngine
import CambiumPostgres
import CambiumPostgresSQL
import CambiumRecords
import EverythingModel
import Foundation
import Synchronization
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

    @Test(arguments: PostgresServer.some())
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

    @Test(arguments: PostgresServer.some())
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

    @Test(arguments: PostgresServer.some())
    func `a connection is asked for an answer`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        #expect(connection.answers(within: .seconds(5)))
        let process = try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0)
        _ = try server.connect().run("SELECT pg_terminate_backend(\(process))")
        #expect(!connection.answers(within: .seconds(5)))
    }

    @Test(arguments: PostgresServer.some())
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

    @Test(arguments: PostgresServer.some())
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

    /// A container with one connection, for which nobody waits long.
    private func narrowContainer(
        _ server: PostgresServer, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var options = PostgresOptions()
        options.applicationName = "narrow \(UUID().uuidString)"
        options.poolSize = 1
        options.poolTimeout = .milliseconds(300)
        change(&options)
        var description = StoreDescription(
            location: .postgres(server.url, schema: PostgresServer.newSchema, options: options))
        description.options.history = .off
        return try PersistentContainer(Everything.model, description)
    }

    @Test(arguments: PostgresServer.some())
    func `a closure holds no connection between its fetches and saves`(
        _ server: PostgresServer
    ) async throws {
        let container = try narrowContainer(server)
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        async let long: Int = container.performBackgroundTask { context in
            _ = Box(in: context, name: "long")
            try context.save()
            let found = try context.count(for: Box.fetchRequest())
            begun.signal()
            // A thread of the container may wait.
            ended.wait()
            return found
        }
        let short = try await container.performBackgroundTask { context in
            defer { ended.signal() }
            begun.wait()
            _ = Box(in: context, name: "short")
            try context.save()
            return try context.count(for: Box.fetchRequest())
        }
        #expect(short == 2)
        #expect(try await long == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `a transaction of a program and a query generation hold a connection each`(
        _ server: PostgresServer
    ) async throws {
        let container = try narrowContainer(server)
        func expectBusy() {
            let error = #expect(throws: StoreError.self) {
                try container.newContext().count(for: Box.fetchRequest())
            }
            #expect(error?.code == .busy)
        }
        let hasBegun = Mutex(false)
        let ended = DispatchSemaphore(value: 0)
        async let transaction: Void = container.performTransaction { context in
            hasBegun.withLock { $0 = true }
            // A thread of the container may wait.
            ended.wait()
            // Keys are no part of it.
            _ = Box(in: context, name: "one")
        }
        #expect(try await eventually { hasBegun.withLock { $0 } })
        expectBusy()
        ended.signal()
        try await transaction
        let pinned = container.newContext()
        try pinned.setQueryGeneration(.current)
        _ = try pinned.count(for: Box.fetchRequest())
        expectBusy()
        try pinned.setQueryGeneration(.unpinned)
        #expect(try container.newContext().count(for: Box.fetchRequest()) == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `a transaction that asks for nothing is ended, and leaves nothing`(
        _ server: PostgresServer
    ) async throws {
        let container = try narrowContainer(server) {
            $0.idleInTransactionTimeout = .milliseconds(100)
        }
        let runs = Mutex(0)
        @Sendable func run(pausing pause: TimeInterval) async throws {
            try await container.performTransaction { context in
                runs.withLock { $0 += 1 }
                _ = try context.count(for: Box.fetchRequest())
                Thread.sleep(forTimeInterval: pause)
                _ = Box(in: context, name: "pause \(pause)")
            }
        }
        let error = await #expect(throws: StoreError.self) { try await run(pausing: 0.5) }
        #expect(error?.code == .busy && error?.serverFailure == .transactionTimeout)
        // To wait as long again would help nobody.
        #expect(runs.withLock { $0 } == 1)
        try await run(pausing: 0)
        let boxes = try container.newContext().fetch(Box.fetchRequest())
        #expect(boxes.map(\.name) == ["pause 0.0"])
    }

    @Test(arguments: PostgresServer.some())
    func `a cancellation ends before anybody else gets the connection`(
        _ server: PostgresServer
    ) throws {
        var settings = settings(server)
        settings.poolSize = 1
        let pool = PostgresPool(settings)
        var cancelled = 0
        for _ in 0..<40 {
            let interruption = Interruption()
            interruption.request()
            do {
                try pool.withConnection { connection in
                    // The server is asked after 20 ms, when the statement is about to end by itself.
                    let time = Double.random(in: 0.018...0.024)
                    let sleep = PostgresStatement("SELECT pg_sleep(\(time))")
                    _ = try connection.run([sleep], interruption: interruption)
                }
            } catch {
                #expect("\(error)".contains(PostgresError.cancelled))
                cancelled += 1
            }
            for _ in 0..<3 {
                let one = try pool.withConnection { try $0.run("SELECT 1::bigint").integer(0, 0) }
                #expect(one == 1)
            }
        }
        #expect(cancelled > 0)
        #expect(try connections(server, settings) == 1)
    }
}
