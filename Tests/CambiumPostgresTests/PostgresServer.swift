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

    func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresSettings(url))
    }
}
