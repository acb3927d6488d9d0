import CPostgres
import Cambium
import CambiumModel
import CambiumPostgres
import Testing

extension EngineEntry {
    /// Whether new stores on servers record what other programs write; nil as they are made anyway.
    @TaskLocal package static var recordsOthers: Bool?

    /// An engine on a server: each store has a schema of its own, which is dropped with it.
    ///
    /// - Parameter url: The URL of the database, asked for each store.
    package static func server(
        _ name: String, url: @escaping @Sendable () -> String
    ) -> EngineEntry {
        EngineEntry(
            name, canBeOpenedAgain: true, remove: { drop(schema(of: $0), at: url()) },
            query: { try rows($0, schema: schema(of: $1), at: url()) }
        ) {
            var options = PostgresOptions()
            options.historyTriggers = recordsOthers
            return StoreDescription(
                location: .postgres(url(), schema: schema(of: $0), options: options))
        }
    }

    /// The end of a path tells folders of tests apart, and a name has 63 bytes.
    private static func schema(of path: String) -> String { "test \(path.suffix(55))" }

    /// Drops a schema with all that is in it. One that somebody still uses stays: no test waits for
    /// another one.
    private static func drop(_ schema: String, at url: String) {
        run(
            "SET client_min_messages = error", "SET lock_timeout = '2s'",
            "DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE", at: url)
    }

    /// What a statement returns that is run in a schema.
    static func rows(
        _ sql: String, schema: String = "public", at url: String
    ) throws -> [[StoredValue]] {
        // Safety: the connection is used in this function alone, which ends it.
        let connection = try #require(PQconnectdb(url))
        defer { PQfinish(connection) }
        PQclear(PQexec(connection, "SET search_path = \"\(schema)\""))
        let result = PQexec(connection, sql)
        // Safety: nothing reads the result after its end.
        defer { PQclear(result) }
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
            throw StatementFailure(
                description: "\(sql): \(String(cString: PQerrorMessage(connection)))")
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                if PQgetisnull(result, row, column) == 1 { return .null }
                return value(
                    String(cString: PQgetvalue(result, row, column)),
                    ofType: PQftype(result, column))
            }
        }
    }

    /// A value as SQLite has it.
    private static func value(_ text: String, ofType type: Oid) -> StoredValue {
        switch type {
        case 16: .integer(text == "t" ? 1 : 0)
        case 20, 21, 23: Int64(text).map { .integer($0) } ?? .text(text)
        case 701: Double(text).map { .real($0) } ?? .text(text)
        default: .text(text)
        }
    }

    /// Runs statements one by one, each in a transaction of its own.
    ///
    /// - Returns: The message of the first that failed, after which none has run.
    @discardableResult
    static func run(_ statements: String..., at url: String) -> String? {
        // Safety: the connection is used in this function alone, which ends it.
        guard let connection = PQconnectdb(url) else { return "no memory" }
        defer { PQfinish(connection) }
        for statement in statements {
            // Safety: each result is cleared at once.
            let result = PQexec(connection, statement)
            defer { PQclear(result) }
            if PQresultStatus(result) != PGRES_COMMAND_OK {
                return String(cString: PQerrorMessage(connection))
            }
        }
        return nil
    }
}

/// What a server says of a statement that it refuses.
private struct StatementFailure: Error, CustomStringConvertible {
    let description: String
}
