import CambiumEngine
import CambiumSQLite

extension StatementHook {
    /// What tells the hook of a connection's statements.
    var observer: StatementObserver {
        StatementObserver(includesValues: includesValues) { [receive] record in
            let source = PlanSource(record.connection)
            let sql = record.sql
            receive(
                WatchedStatement(
                    sql: sql, sqlWithValues: record.expandedSQL, duration: record.duration,
                    rowCount: record.rowCount
                ) {
                    (try? source.connection?.plan(of: sql)) ?? []
                })
            source.connection = nil
        }
    }
}

/// The way to the connection while the hook runs.
private final class PlanSource {
    var connection: Connection?

    init(_ connection: Connection) {
        self.connection = connection
    }
}
