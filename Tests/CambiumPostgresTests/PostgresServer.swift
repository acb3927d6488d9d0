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
        EngineEntry.server(testDescription) { urlOfOwnConnections }
    }

    /// Stores with the same settings share their connections.
    private var urlOfOwnConnections: String { "\(url)&application_name=\(UUID().uuidString)" }

    static var newSchema: String { "test \(UUID().uuidString)" }

    /// A store on the server.
    func description(
        _ tracking: HistoryTracking = .asStored, schema: String = Self.newSchema,
        hasOwnConnections: Bool = false
    ) -> StoreDescription {
        let settings = hasOwnConnections ? urlOfOwnConnections : url
        var description = StoreDescription(location: .postgres(settings, schema: schema))
        description.options.history = tracking
        return description
    }

    func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(url))
    }
}
