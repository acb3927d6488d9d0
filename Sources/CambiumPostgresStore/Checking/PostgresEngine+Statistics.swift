import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresEngine {
    /// The rows of larger tables are not counted: the server's estimate is as good.
    private static let countedBytes = 64 << 20

    func statistics() throws -> StoreStatistics? {
        try withSnapshot { connection in
            let relations = try relations(connection)
            let model = model.model
            let schema = Schema(of: model)
            func bytes(_ tables: [String]) -> Int {
                tables.reduce(0) { $0 + (relations[PostgresName.short($1)]?.bytes ?? 0) }
            }
            let tables = try model.roots.map { root in
                try size(
                    of: root, relations[PostgresName.short(root.name)],
                    bytes(schema.tables(of: root, in: model)), connection)
            }
            var statistics = StoreStatistics(
                engine: "PostgreSQL \(connection.serverSetting("server_version") ?? "")",
                bytes: relations.values.reduce(0) { $0 + $1.bytes }, tables: tables,
                history: try history.size(
                    connection,
                    bytes: relations.filter { $0.key.hasPrefix(HistorySQL.prefix) }.values
                        .reduce(0) { $0 + $1.bytes }),
                external: try externalSize(connection))
            statistics.oldestTransaction = try oldestTransaction(connection)
            return statistics
        }
    }

    /// The approximate number of rows of each table, and its size in bytes with its indexes, by the
    /// table's name.
    private typealias Relation = (rows: Int, heap: Int, bytes: Int)

    private func relations(_ connection: PostgresConnection) throws -> [String: Relation] {
        var name = PostgresParameters()
        name.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            SELECT c.relname::text, c.reltuples::bigint, pg_relation_size(c.oid), \
            pg_total_relation_size(c.oid) FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """, name)
        var found: [String: Relation] = [:]
        for row in 0..<rows.count {
            found[rows.text(row, 0)] = (
                Int(rows.integer(row, 1)), Int(rows.integer(row, 2)), Int(rows.integer(row, 3))
            )
        }
        return found
    }

    private func size(
        of root: Entity, _ relation: Relation?, _ bytes: Int, _ connection: PostgresConnection
    ) throws -> StoreStatistics.TableSize {
        if let relation, relation.heap > Self.countedBytes, relation.rows >= 0 {
            return StoreStatistics.TableSize(
                entity: root.name, rows: relation.rows, isEstimate: true, rowsByEntity: [:],
                bytes: bytes)
        }
        let found = try connection.run(
            StatisticsSQL.counts(of: root, in: model.model, layout.table(of: root)))
        var rows: [String: Int] = [:]
        for row in 0..<found.count { rows[found.text(row, 0)] = Int(found.integer(row, 1)) }
        return StoreStatistics.TableSize(
            entity: root.name, rows: rows.values.reduce(0, +), rowsByEntity: rows, bytes: bytes)
    }

    private func externalSize(
        _ connection: PostgresConnection
    ) throws -> StoreStatistics.ExternalSize? {
        let hasAny = model.entities.contains { entity in
            entity.entity.attributes.contains { $0.usesExternalForm && !$0.isTransient }
        }
        guard hasAny else { return nil }
        let rows = try connection.run(
            """
            SELECT count(*), coalesce(sum(octet_length("data")), 0)::bigint \
            FROM \(layout.external.table)
            """)
        return StoreStatistics.ExternalSize(
            count: Int(rows.integer(0, 0)), bytes: Int(rows.integer(0, 1)))
    }

    /// Without the right to see all transactions, the server shows only those of the same user.
    private func oldestTransaction(
        _ connection: PostgresConnection
    ) throws -> StoreStatistics.OldestTransaction? {
        let rows = try connection.run(
            """
            SELECT greatest(0, extract(epoch FROM clock_timestamp() - xact_start))::bigint, \
            application_name FROM pg_catalog.pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid() \
            AND xact_start IS NOT NULL AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) \
            ORDER BY xact_start LIMIT 1
            """)
        guard rows.count == 1 else { return nil }
        return StoreStatistics.OldestTransaction(
            seconds: Int(rows.integer(0, 0)), program: rows.text(0, 1))
    }
}
