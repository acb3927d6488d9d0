import CPostgres
import Cambium
import CambiumPostgres

extension EngineEntry {
    /// An engine on a server: each store has a schema of its own, which is dropped with it.
    ///
    /// - Parameter url: The URL of the database, asked for each store.
    package static func server(
        _ name: String, url: @escaping @Sendable () -> String
    ) -> EngineEntry {
        EngineEntry(name, canBeOpenedAgain: true, remove: { drop(schema(of: $0), at: url()) }) {
            StoreDescription(location: .postgres(url(), schema: schema(of: $0)))
        }
    }

    /// The end of a path tells folders of tests apart, and a name has 63 bytes.
    private static func schema(of path: String) -> String { "test \(path.suffix(55))" }

    /// Drops a schema with all that is in it. One that somebody still uses stays: no test waits for
    /// another one.
    private static func drop(_ schema: String, at url: String) {
        // Safety: the connection is used in this function alone, which ends it.
        guard let connection = PQconnectdb(url) else { return }
        defer { PQfinish(connection) }
        // Safety: the result is cleared at once.
        PQclear(
            PQexec(
                connection,
                """
                SET client_min_messages = error; SET lock_timeout = '2s';
                DROP SCHEMA IF EXISTS "\(schema)" CASCADE
                """))
    }
}
