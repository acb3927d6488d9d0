import CambiumEngine
import CambiumPostgres
import CambiumPostgresSQL
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// How a store is connected with its server: limits, sharing, lost connections, secrets.
struct ConnectionOptionTests {
    private func schema() -> String { "options \(UUID().uuidString)" }

    private func container(
        _ server: PostgresServer, _ schema: String, _ options: PostgresOptions = .init(),
        busyTimeout: Duration = .seconds(10)
    ) throws -> PersistentContainer {
        var description = StoreDescription(
            location: .postgres(server.url, schema: schema, options: options))
        description.options.busyTimeout = busyTimeout
        return try PersistentContainer(Everything.model, description)
    }

    // MARK: Limits

    @Test(arguments: PostgresServer.some())
    func `a save does not wait for a lock for longer than busyTimeout`(
        _ server: PostgresServer
    ) throws {
        let schema = schema()
        let container = try container(server, schema, busyTimeout: .milliseconds(200))
        let context = container.newContext()
        let box = Box(in: context, name: "one")
        try context.save()
        let other = try server.connect()
        _ = try other.run([
            PostgresStatement("BEGIN"),
            PostgresStatement("SELECT * FROM \"\(schema)\".\"Box\" FOR UPDATE"),
        ])
        box.name = "two"
        let start = ContinuousClock.now
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .busy)
        #expect(.now - start < .seconds(5))
        _ = try other.run("ROLLBACK")
        try context.save()
    }

    @Test(arguments: PostgresServer.some())
    func `a statement takes no longer than its limit, in a transaction and outside`(
        _ server: PostgresServer
    ) throws {
        let setup = PostgresSetup(statementTimeout: .milliseconds(100))
        let connection = try PostgresConnection(PostgresSettings(server.url), setup)
        let wait = PostgresStatement("SELECT pg_sleep(30)")
        for statements in [[wait], [PostgresConnection.begin(isReadOnly: true), wait]] {
            let start = ContinuousClock.now
            let error = #expect(throws: PostgresError.self) { try connection.run(statements) }
            #expect(error?.storeError?.code == .busy)
            #expect(.now - start < .seconds(10))
            _ = try connection.run("ROLLBACK")
        }
        // Nothing stays set.
        #expect(try connection.run("SHOW statement_timeout").text(0, 0) == "0")
    }

    @Test(arguments: PostgresServer.some())
    func `whoever waits for a connection too long is told so`(_ server: PostgresServer) throws {
        var settings = PostgresSettings(server.url)
        settings.applicationName = "wait \(UUID().uuidString)"
        settings.poolSize = 1
        let pool = PostgresPool(settings, waitLimit: .milliseconds(50))
        let loan = try pool.lend()
        let error = #expect(throws: StoreError.self) { try pool.lend() }
        #expect(error?.code == .busy)
        pool.giveBack(loan)
        try pool.withConnection { first in
            // A thread that has one never waits for itself.
            try pool.withConnection { #expect($0 !== first) }
        }
        pool.giveBack(try pool.lend())
    }

    @Test(arguments: PostgresServer.some())
    func `statements without names work, and the program has its name`(
        _ server: PostgresServer
    ) throws {
        var options = PostgresOptions()
        options.preparesStatements = false
        options.applicationName = "unnamed \(UUID().uuidString)"
        let container = try container(server, schema(), options)
        let context = container.newContext()
        for number in 0..<3 { _ = Node(in: context, number: Int64(number)) }
        try context.save()
        #expect(try container.newContext().count(for: Node.fetchRequest()) == 3)
        let name = PostgresFragment(.text(options.applicationName ?? ""), as: .text)
        let sql: PostgresFragment =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)"
        let rows = try server.connect().run([sql.statement()])[0]
        #expect(rows.integer(0, 0) >= 1)
    }

    // MARK: Sharing

    @Test(arguments: PostgresServer.some())
    func `stores with the same settings share their connections`(_ server: PostgresServer) throws {
        var options = PostgresOptions()
        options.applicationName = "tenants \(UUID().uuidString)"
        let tenants = try (0..<5).map { _ in try container(server, schema(), options) }
        for (number, tenant) in tenants.enumerated() {
            let context = tenant.newContext()
            for _ in 0...number { _ = Box(in: context) }
            try context.save()
        }
        for (number, tenant) in tenants.enumerated() {
            #expect(try tenant.newContext().count(for: Box.fetchRequest()) == number + 1)
        }
        func connections() throws -> Int64 {
            let name = PostgresFragment(.text(options.applicationName ?? ""), as: .text)
            let sql: PostgresFragment =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = \(name)"
            return try server.connect().run([sql.statement()])[0].integer(0, 0)
        }
        #expect(try connections() == 1)
        for tenant in tenants {
            for store in tenant.coordinator.persistentStores {
                try tenant.coordinator.remove(store)
            }
        }
        // The last one closes them; the server takes a moment to notice.
        for _ in 0..<100 where try connections() > 0 { Thread.sleep(forTimeInterval: 0.02) }
        #expect(try connections() == 0)
    }

    // MARK: Lost connections

    /// Ends all connections of a program.
    private func end(_ name: String, _ server: PostgresServer) throws {
        let name = PostgresFragment(.text(name), as: .text)
        let sql: PostgresFragment = """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
            WHERE application_name = \(name)
            """
        _ = try server.connect().run([sql.statement()])
    }

    @Test(arguments: PostgresServer.some())
    func `reads and saves go on after connections were lost`(_ server: PostgresServer) throws {
        var options = PostgresOptions()
        let name = "lost \(UUID().uuidString)"
        options.applicationName = name
        let container = try container(server, schema(), options)
        let context = container.newContext()
        let box = Box(in: context, name: "one")
        try context.save()
        try end(name, server)
        #expect(try container.newContext().count(for: Box.fetchRequest()) == 1)
        try end(name, server)
        box.name = "two"
        try context.save()
        #expect(try container.newContext().fetch(Box.fetchRequest()).map(\.name) == ["two"])
    }

    @Test(arguments: PostgresServer.some())
    func `a read whose connection is lost is tried once more`(_ server: PostgresServer) throws {
        var settings = PostgresSettings(server.url)
        let name = "read \(UUID().uuidString)"
        settings.applicationName = name
        let pool = PostgresPool(settings)
        var tries = 0
        let found = try pool.withReader { connection in
            tries += 1
            if tries == 1 { try end(name, server) }
            return try connection.run("SELECT 7::bigint").integer(0, 0)
        }
        #expect(found == 7)
        #expect(tries == 2)
        let error = #expect(throws: StoreError.self) {
            try pool.withReader { connection in
                try end(name, server)
                _ = try connection.run("SELECT 1")
            }
        }
        #expect(error?.code == .inaccessible)
    }

    // MARK: Secrets

    @Test func `no error and no description shows a password`() throws {
        let secret = "sesame"
        var options = PostgresOptions()
        options.password = secret
        let urls = [
            "postgresql://user:\(secret)@localhost:1/db",
            "postgresql://user:\(secret)%zz@localhost/db",
            "postgresql://user:ab@\(secret)@localhost:1/db",
            "host=localhost port=1 password=\(secret) connect_timeout=2",
            "host=localhost \(secret)", "password='\(secret) host=localhost",
            "postgresql://user:/\(secret)@localhost:1/db",
            "postgresql://u:#\(secret)@localhost:1/db",
        ]
        for url in urls {
            for options in [PostgresOptions(), options] {
                var texts: [String] = []
                let description = StoreDescription(location: .postgres(url, options: options))
                for value in [description, description.location, options] as [Any] {
                    var text = "\(value) \(String(reflecting: value)) "
                    dump(value, to: &text)
                    texts.append(text)
                }
                do {
                    _ = try PersistentContainer(Everything.model, description)
                    Issue.record("There is no such server: \(url)")
                } catch {
                    var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription)"
                    dump(error, to: &text)
                    texts.append(text)
                }
                #expect(!texts.contains { $0.contains(secret) }, "\(url): \(texts)")
            }
        }
    }

    @Test func `a password in a URL that cannot be read is explained`() throws {
        for url in ["postgresql://user:50%@localhost/db", "postgresql://user:a@b@localhost/db"] {
            let error = #expect(throws: PostgresError.self) {
                try PostgresConnection(PostgresSettings(url))
            }
            #expect(error?.message.contains("%40") == true)
        }
        // libpq would show what stands before the slash, as a port that is none.
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(PostgresSettings("postgresql://user:geheim/1@localhost/db"))
        }
        #expect(error?.message.contains("%2F") == true)
        #expect(error?.message.contains("geheim") == false)
    }
}
