import CambiumEngineSpecification
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A server that the tests may use.
struct PostgresServer: Sendable, CustomTestStringConvertible {
    let version: String
    let url: String

    /// Those that run: `CAMBIUM_POSTGRES_15` and `CAMBIUM_POSTGRES_18` are the URLs of databases.
    static let all: [PostgresServer] = ["15", "18"].compactMap { version in
        ProcessInfo.processInfo.environment["CAMBIUM_POSTGRES_\(version)"].map {
            PostgresServer(version: version, url: $0)
        }
    }

    var testDescription: String { "PostgreSQL \(version)" }

    /// Stores on the server, each with connections that no other one uses: so their round trips can be
    /// counted.
    var entry: EngineEntry {
        EngineEntry.server(testDescription) { "\(url)&application_name=\(UUID().uuidString)" }
    }

    static var newSchema: String { "test \(UUID().uuidString)" }

    /// A store on the server.
    ///
    /// - Parameter applicationName: Stores with the same one share their connections.
    func description(
        _ tracking: HistoryTracking = .asStored, schema: String = Self.newSchema,
        applicationName: String? = nil
    ) -> StoreDescription {
        var options = PostgresOptions()
        options.applicationName = applicationName
        var description = StoreDescription(
            location: .postgres(url, schema: schema, options: options))
        description.options.history = tracking
        return description
    }

    /// Ends one of the connections with such a name, in the middle of whatever it does.
    func endConnection(named pattern: String) throws {
        var parameters = PostgresParameters()
        parameters.append(.text(pattern), as: .text)
        _ = try connect().run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1 \
            ORDER BY random() LIMIT 1
            """, parameters)
    }

    /// Waits until somebody waits for what a connection has locked.
    func waitForSomebody(behind connection: PostgresConnection) throws {
        let process = try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0)
        let watch = try connect()
        let end = ContinuousClock.now + .seconds(20)
        while try !watch.run(
            """
            SELECT EXISTS (SELECT FROM pg_stat_activity WHERE \(process) = ANY(pg_blocking_pids(pid)))
            """
        ).boolean(0, 0) {
            try #require(.now < end, "nobody waits")
            Thread.sleep(forTimeInterval: 0.01)
        }
    }

    func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(url))
    }
}
