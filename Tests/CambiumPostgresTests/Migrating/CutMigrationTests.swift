import CambiumEngine
import CambiumEngineSpecification
import CambiumModel
import CambiumRecords
import CambiumSQL
import Foundation
import Synchronization
import Testing

@testable import CambiumMigration
@testable import CambiumPostgresStore

/// Migrations that are interrupted: the store is the old one or the new one.
struct CutMigrationTests {
    private static let models = OpeningMigrationTests.models

    /// Opens a store of the first version with the program of the last.
    private func open(_ url: String, _ schema: String, version: Int = 3) throws -> MigrationOutcome
    {
        let (store, outcome) = try PostgresOpener(
            PostgresSettings(url), schema: schema, .withoutClasses(Self.models[version - 1]),
            StoreOptions(), migrations: try OpeningMigrationTests.migrations()
        ).open()
        store.close()
        return outcome
    }

    /// The version that a store says it has, once nobody works on it any more.
    private func version(_ schema: String, _ connection: PostgresConnection) throws -> String {
        let name = SQLText.identifier(schema)
        // Who migrates holds this lock until its connection has ended.
        return try connection.transaction {
            var key = PostgresParameters()
            key.append(.text("\(name).\"_metadata\""), as: .text)
            _ = try connection.run(
                "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", key)
            return try connection.run(
                "SELECT \"value\" FROM \(name).\"_metadata\" WHERE \"name\" = 'version'"
            ).text(0, 0)
        }
    }

    /// Looks at a store whose migration was interrupted, and goes on with it.
    ///
    /// - Returns: Whether the migration had been committed.
    private func check(
        _ schema: String, _ server: PostgresServer, _ connection: PostgresConnection
    ) throws -> Bool {
        let version = try version(schema, connection)
        #expect(version == "1" || version == "3")
        // The tables are those of that version: opening compares them.
        #expect(try open(server.url, schema, version: version == "1" ? 1 : 3) == .current)
        if version == "1" {
            #expect(try PostgresBackup.names(of: schema, connection) == [])
            let outcome = try open(server.url, schema)
            guard case .migrated(from: "1", to: "3", _, _) = outcome else {
                Issue.record("\(outcome)")
                return false
            }
        }
        let rows = try connection.run(
            "SELECT \"text\" FROM \(SQLText.identifier(schema)).\"Item\" ORDER BY \"_id\""
                + " /* \(schema) */")
        #expect((0..<rows.count).map { rows.text($0, 0) } == ["5", "-7"])
        return version == "3"
    }

    @Test(arguments: PostgresServer.some())
    func `a connection that is cut at any message leaves the store old or new`(
        _ server: PostgresServer
    ) throws {
        let tests = OpeningMigrationTests()
        let proxy = try CutProxy(to: server)
        defer { proxy.stop() }
        // How many messages there are to the server and back.
        let counts = Mutex((sent: 0, received: 0))
        do {
            let (schema, connection) = try tests.makeStore(server)
            defer { tests.remove(schema, connection) }
            proxy.begin { message in
                counts.withLock { counts in
                    if message.isToServer { counts.sent += 1 } else { counts.received += 1 }
                }
                return .forward
            }
            _ = try open(proxy.url, schema)
        }
        let (sent, received) = counts.withLock { $0 }
        #expect(sent > 50 && received > 50)
        let places =
            (0..<sent).map { (isToServer: true, number: $0) }
            + (0..<received).map { (isToServer: false, number: $0) }
        var (old, new) = (0, 0)
        for place in TestSize.sample(places, oneIn: 40) {
            let (schema, connection) = try tests.makeStore(server)
            defer { tests.remove(schema, connection) }
            let once = Once()
            proxy.begin { message in
                message.isToServer == place.isToServer && message.number == place.number
                    && once.take() ? .cut : .forward
            }
            _ = try? open(proxy.url, schema)
            proxy.end()
            if try check(schema, server, connection) { new += 1 } else { old += 1 }
        }
        // The answers to the last statements come after the commit.
        #expect(old > 0)
        print("\(old + new) migrations were cut, \(new) of them after their commit")
    }

    @Test(arguments: PostgresServer.some())
    func `a connection that the server ends at any statement leaves the store as it was`(
        _ server: PostgresServer
    ) throws {
        let tests = OpeningMigrationTests()
        let statements = try OpeningMigrationTests.migrations().flatMap(\.steps)
            .reduce(0) { $0 + $1.statements.count }
        #expect(statements > 10)
        for number in TestSize.sample(Array(0..<statements), oneIn: 4) {
            let (schema, connection) = try tests.makeStore(server)
            defer { tests.remove(schema, connection) }
            let application = "cut \(UUID().uuidString)"
            var settings = PostgresSettings(server.url)
            settings.applicationName = application
            var options = StoreOptions()
            options.migrationProgress = { progress in
                guard progress.completed == number else { return }
                _ = try? server.connect().run(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity \
                    WHERE application_name = '\(application)'
                    """)
            }
            #expect(throws: (any Error).self, "statement \(number)") {
                try PostgresOpener(
                    settings, schema: schema, .withoutClasses(Self.models[2]), options,
                    migrations: try OpeningMigrationTests.migrations()
                ).open()
            }
            #expect(!(try check(schema, server, connection)), "statement \(number)")
        }
    }

    @Test(.enabled(if: OwnServer.isAvailable))
    func `a server that crashes during a migration has the store as it was`() throws {
        let own = try OwnServer()
        // What was committed is to survive a crash.
        try own.shutDown()
        try own.start()
        let server = PostgresServer(version: "15", url: own.url)
        let tests = OpeningMigrationTests()
        let schema = try tests.makeStore(server).schema
        for number in [0, 12] {
            var options = StoreOptions()
            options.migrationProgress = { progress in
                if progress.completed == number { try? own.stop() }
            }
            #expect(throws: (any Error).self, "statement \(number)") {
                try PostgresOpener(
                    PostgresSettings(own.url), schema: schema, .withoutClasses(Self.models[2]),
                    options, migrations: try OpeningMigrationTests.migrations()
                ).open()
            }
            try own.start()
            #expect(try open(own.url, schema, version: 1) == .current)
        }
        #expect(try !check(schema, server, try server.connect()))
    }
}
