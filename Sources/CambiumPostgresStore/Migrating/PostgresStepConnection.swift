import CPostgres
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Synchronization

/// The connection of a custom step to a store on a server. In the transaction of the migration, it
/// has the tables of both versions.
final class PostgresStepConnection: StepConnection {
    private let exchange: StepExchange
    /// The types of the columns of all tables, by the server's names.
    private let types: [String: [String: PostgresType]]
    private var texts: [StepStatement.Work: [String]] = [:]
    let largeValues: LargeValues?

    /// - Parameter interruption: Ends a statement early.
    init(
        _ connection: PostgresConnection, _ layout: PostgresLayout, _ interruption: Interruption
    ) throws(PostgresError) {
        let exchange = StepExchange(connection, interruption)
        self.exchange = exchange
        types = try Self.types(exchange)
        let external = layout.external
        largeValues = LargeValues { name in
            let rows = try exchange.run([external.selection(of: name)]).first
            guard case .blob(let value)? = rows?.first?.first else { return nil }
            return value
        }
    }

    /// Ends the access of the step. Rows that the program has kept can no longer read large values.
    func close() { exchange.close() }

    private static func types(
        _ exchange: StepExchange
    ) throws(PostgresError) -> [String: [String: PostgresType]] {
        let query = """
            SELECT c.relname::text, a.attname::text, a.atttypid::bigint, a.atttypmod \
            FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid \
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND a.attnum > 0 \
            AND NOT a.attisdropped
            """
        var types: [String: [String: PostgresType]] = [:]
        for row in try exchange.run([PostgresStatement(query)])[0] {
            guard case .text(let table) = row[0], case .text(let column) = row[1],
                case .integer(let oid) = row[2], case .integer(let modifier) = row[3]
            else { continue }
            types[table, default: [:]][column] = PostgresType(
                Oid(truncatingIfNeeded: oid), modifier: Int32(truncatingIfNeeded: modifier))
        }
        return types
    }

    func hasTable(_ name: String) -> Bool { types[PostgresName.short(name)] != nil }

    private func type(of column: String, of table: String) -> PostgresType? {
        types[PostgresName.short(table)]?[PostgresName.short(column)]
    }

    func rows(_ statement: StepStatement, _ values: [StoredValue]) throws -> [[StoredValue]] {
        let columns = statement.columns
        var parameters = PostgresParameters()
        for (index, value) in values.enumerated() {
            let type =
                index < columns.count ? type(of: columns[index], of: statement.table) : nil
            let isText = if case .text = value { true } else { false }
            parameters.append(value, as: type ?? (isText ? .text : .bigint))
        }
        let texts = texts[statement.work] ?? statement.postgresTexts
        self.texts[statement.work] = texts
        return try exchange.run(texts.map { PostgresStatement($0, parameters) }).last ?? []
    }

    func keeps(_ value: StoredValue, in column: String, of table: String) -> Bool {
        guard case .real(let seconds) = value, type(of: column, of: table) == .timestamp else {
            return true
        }
        return PostgresTimestamp.kept.kept(seconds) != nil
    }

    func ending(_ error: any Error) -> (any Error)? {
        guard let error = error as? PostgresError else { return nil }
        if error.isCancellation { return MigrationError.cancelled }
        return error.isDisconnection ? error : nil
    }
}

/// The connection of a step. A row may read a large value on any thread.
private final class StepExchange: @unchecked Sendable {
    // Safety: the connection is used only while the lock is held, and not after `close()`. The
    // migration waits for the step, and so does not use the connection at the same time.
    private let connection: PostgresConnection
    private let interruption: Interruption
    private let isOpen = Mutex(true)

    init(_ connection: PostgresConnection, _ interruption: Interruption) {
        (self.connection, self.interruption) = (connection, interruption)
    }

    func close() { isOpen.withLock { $0 = false } }

    /// Runs statements, and returns their rows. After ``close()`` there are none.
    func run(_ statements: [PostgresStatement]) throws(PostgresError) -> [[[StoredValue]]] {
        try isOpen.withLock { isOpen throws(PostgresError) in
            guard isOpen else { return [] }
            return try connection.run(statements, interruption: interruption).map { rows in
                (0..<rows.count).map(rows.values)
            }
        }
    }
}
