import CambiumMigration
import CambiumPostgresSQL

extension PostgresConnection {
    /// The open transactions of others that use tables of a store, the oldest first. A migration
    /// waits for them.
    ///
    /// The server shows the age of other users' transactions only to members of
    /// `pg_read_all_stats`.
    ///
    /// - Parameter schema: The name of the store's schema.
    func openTransactions(
        in schema: String
    ) throws(PostgresError) -> [MigrationForecast.OpenTransaction] {
        var parameters = PostgresParameters()
        parameters.append(.text(schema), as: .text)
        let rows = try run(
            """
            SELECT coalesce(a.application_name, ''), \
            greatest(0, extract(epoch FROM clock_timestamp() - a.xact_start))::bigint \
            FROM pg_catalog.pg_stat_activity AS a \
            WHERE a.pid <> pg_backend_pid() AND a.datname = current_database() \
            AND a.backend_type IS DISTINCT FROM 'autovacuum worker' \
            AND a.pid IN (SELECT l.pid FROM pg_catalog.pg_locks AS l \
            JOIN pg_catalog.pg_class AS c ON c.oid = l.relation \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE l.granted AND n.nspname = $1 AND l.database = \
            (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())) \
            ORDER BY a.xact_start NULLS LAST, a.pid
            """, parameters)
        return (0..<rows.count).map { row in
            MigrationForecast.OpenTransaction(
                program: rows.text(row, 0),
                seconds: rows.isNull(row, 1) ? nil : Int(rows.integer(row, 1)))
        }
    }
}
