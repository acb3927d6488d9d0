import Foundation

@testable import CambiumPostgresStore

/// A database that only one test has.
final class OwnDatabase {
    let name = "own_\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
    /// The server with that database.
    let server: PostgresServer
    private let admin: PostgresConnection

    /// - Parameter options: Such as `ENCODING 'LATIN1'`.
    init(_ server: PostgresServer, _ options: String = "") throws {
        admin = try server.connect()
        self.server = PostgresServer(
            version: server.version, url: server.url.replacing("/cambium?", with: "/\(name)?"))
        _ = try admin.run("CREATE DATABASE \(name) TEMPLATE template0 \(options)")
    }

    deinit { _ = try? admin.run("DROP DATABASE \(name) WITH (FORCE)") }
}
