import Foundation

@testable import CambiumPostgresStore

/// A user of a server that only one test has, with settings of its own.
final class OwnRole {
    let name = "own_\(UUID().uuidString.filter { $0 != "-" }.lowercased())"
    let url: String
    /// A connection of the administrator.
    let admin: PostgresConnection

    init(_ server: PostgresServer) throws {
        admin = try server.connect()
        url = server.url.replacing("cambium@", with: "\(name)@")
        try run("CREATE ROLE \(name) LOGIN")
    }

    /// A new schema, which the user owns.
    func makeSchema() throws -> String {
        let schema = PostgresServer.newSchema
        try run("CREATE SCHEMA \"\(schema)\" AUTHORIZATION \(name)")
        return schema
    }

    deinit {
        try? run("DROP OWNED BY \(name) CASCADE")
        try? run("DROP ROLE \(name)")
    }

    /// Runs a statement as the administrator.
    func run(_ sql: String) throws { _ = try admin.run(sql) }

    /// Changes the user, and ends its connections, so that the next ones are of the changed one.
    func alter(_ change: String) throws {
        try run("ALTER ROLE \(name) \(change)")
        try endConnections()
    }

    func endConnections() throws {
        try run(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '\(name)'
            """)
    }
}
