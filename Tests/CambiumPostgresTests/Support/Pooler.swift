import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// PgBouncer before a server. It gives a connection to another program after each transaction.
struct Pooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"
    /// How many connections to the server it has.
    private static let size = 3
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

    /// The URL of the database behind the pooler.
    let url: String

    /// The options of a store. Named statements would stay on a connection that other programs get.
    static var options: PostgresOptions {
        var options = PostgresOptions()
        options.preparesStatements = false
        return options
    }

    var settings: PostgresSettings {
        var settings = PostgresSettings(url)
        settings.preparesStatements = false
        return settings
    }

    /// Calls a body with a pooler that runs meanwhile.
    static func with(_ server: PostgresServer, _ body: (Pooler) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "p\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The umask of this process does not matter to the user that the pooler runs as.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.path())
        let host = server.url.split(separator: "host=").last ?? ""
        let file = folder.appending(path: "settings.ini")
        try """
        [databases]
        cambium = host=\(host) dbname=cambium user=cambium
        [pgbouncer]
        listen_addr =
        listen_port = 6432
        unix_socket_dir = \(folder.path())
        auth_type = any
        pool_mode = transaction
        default_pool_size = \(size)
        """.write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = ["-q"] + (getuid() == 0 ? ["-u", "nobody"] : []) + [file.path()]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        // It would wait for its clients to leave, however long they stay: it has nothing to keep.
        defer { kill(process.processIdentifier, SIGKILL) }
        let pooler = Pooler(
            url: "postgresql://cambium@/cambium?host=\(folder.path())&port=6432")
        try pooler.waitUntilItAnswers()
        try body(pooler)
    }

    func connect() throws -> PostgresConnection { try PostgresConnection(settings) }

    private func waitUntilItAnswers() throws {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            do {
                _ = try connect()
                return
            } catch  where ContinuousClock.now < end {
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }

    func location(
        schema: String, _ change: (inout PostgresOptions) -> Void = { _ in }
    ) -> StoreLocation {
        var options = Self.options
        change(&options)
        return .postgres(url, schema: schema, options: options)
    }

    /// A store of `Everything`, with a history.
    func container(
        schema: String = PostgresServer.newSchema,
        _ change: (inout PostgresOptions) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var description = StoreDescription(location: location(schema: schema, change))
        description.options.history = .properties
        return try PersistentContainer(Everything.model, description)
    }

    /// Makes sure that nothing is left on the connections that other programs get.
    func expectNoTraces() throws {
        // Each of them has another connection to the server, until its transaction ends.
        let connections = try (0..<Self.size).map { _ in try connect() }
        for connection in connections { _ = try connection.run("BEGIN") }
        var processes: Set<Int64> = []
        for connection in connections {
            for (name, value) in [
                ("lock_timeout", "0"), ("statement_timeout", "0"),
                ("idle_in_transaction_session_timeout", "0"), ("role", "none"),
                ("search_path", "\"$user\", public"),
            ] {
                #expect(try connection.run("SHOW \(name)").text(0, 0) == value, "\(name)")
            }
            for things in [
                "pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'",
                "pg_class WHERE relnamespace = pg_my_temp_schema()",
                "pg_prepared_statements WHERE name <> ''", "pg_cursors WHERE is_holdable",
                "pg_listening_channels()",
            ] {
                let count = try connection.run("SELECT count(*) FROM \(things)")
                #expect(count.integer(0, 0) == 0, "\(things)")
            }
            processes.insert(
                try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0))
        }
        #expect(processes.count == Self.size)
        for connection in connections { _ = try connection.run("ROLLBACK") }
    }
}

extension Trait where Self == ConditionTrait {
    static var onPooler: Self {
        .enabled(if: Pooler.isInstalled, "not run: PgBouncer is not installed")
    }
}
