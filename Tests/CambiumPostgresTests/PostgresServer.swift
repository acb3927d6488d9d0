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

    /// One of them, or all in a run of full size. The line decides whose turn it is.
    static func some(line: Int = #line) -> [PostgresServer] {
        TestSize.sample(all, oneIn: all.count, place: line)
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
        // A test that holds a lock may go on only minutes later, when many others run beside it.
        description.options.busyTimeout = .seconds(600)
        return description
    }

    /// Ends one of the connections with such a name, in the middle of whatever it does.
    static func endConnection(
        named pattern: String, over connection: PostgresConnection
    ) throws {
        var parameters = PostgresParameters()
        parameters.append(.text(pattern), as: .text)
        _ = try connection.run(
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

    /// Waits until some work is done, or a program of this name waits for what somebody has locked.
    ///
    /// - Returns: Whether it waits.
    func isHeld(_ work: SideWork, named name: String) throws -> Bool {
        let watch = try connect()
        let end = ContinuousClock.now + .seconds(20)
        while !work.isDone(within: 0.005) {
            let isWaiting = try watch.run(
                """
                SELECT EXISTS (SELECT FROM pg_stat_activity \
                WHERE application_name = '\(name)' AND wait_event_type = 'Lock')
                """
            ).boolean(0, 0)
            if isWaiting { return true }
            try #require(.now < end, "it neither waits nor ends")
        }
        return false
    }

    func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(url))
    }
}
