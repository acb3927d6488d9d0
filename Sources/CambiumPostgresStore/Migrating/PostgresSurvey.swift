import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Inspects a store on a server for a program: its version, and the effects and costs of its
/// migration. Changes nothing.
package struct PostgresSurvey {
    let connection: PostgresConnection
    let target: ServerTarget
    let layout: PostgresLayout

    /// Connects to the server.
    ///
    /// - Throws: ``PostgresError``.
    package init(
        _ settings: PostgresSettings, schema: String, _ target: ServerTarget
    ) throws(PostgresError) {
        self.target = target
        layout = PostgresLayout(target.model, schema: schema)
        connection = try PostgresConnection(
            settings, PostgresSetup(lockTimeout: StoreOptions().busyTimeout))
    }

    /// Runs a body in a transaction that is rolled back.
    func withoutTrace<Result>(_ body: () throws -> Result) throws -> Result {
        _ = try connection.run([PostgresConnection.begin(.repeatableRead)])
        defer { _ = try? connection.run("ROLLBACK") }
        return try body()
    }

    // MARK: The state of the store

    /// The version and state of the store; nil if there is no store.
    ///
    /// - Throws: ``MigrationError`` if the program cannot open the store.
    package func survey() throws -> StoreSurvey? { try withoutTrace { try surveyed() } }

    private var drift: PostgresDrift { PostgresDrift(layout: layout, connection: connection) }

    func surveyed() throws -> StoreSurvey? {
        guard let rows = try connection.metadataRows(of: layout.schemaName) else { return nil }
        guard let store = StoreMetadata(rows: rows) else { throw MigrationError.notAStore }
        let goal = StoreMetadata(
            of: target.model.model,
            schemaHash: PostgresSchema(of: PostgresDerivations(layout)).hash)
        guard store.model == goal.model else {
            throw MigrationError.otherModel(store: store.model, program: goal.model)
        }
        let chain =
            store == goal
            ? nil
            : try MigrationChain.path(
                from: store, to: goal, among: target.migrations,
                laterVersions: target.laterVersions)
        if let chain, chain.migrations.isEmpty {
            // Limits that differ are no change of another program.
            let isCurrent = try drift.refreshment(ignoringOthers: true).isEmpty
            let others = try drift.differences(isInTransaction: true)
                .filter {
                    $0.kind == .external ? !TableIndex.mayBeOurs($0.name) : !$0.obstacles.isEmpty
                }
            return StoreSurvey(store.version, isCurrent ? nil : chain, others, history: nil)
        }
        return StoreSurvey(
            store.version, chain,
            try differences(from: store, rows, isMigrated: chain != nil),
            history: try history(on: chain))
    }

    /// The changes that another program has made to the tables. For other drafts, the expected
    /// tables are not known, so there are none.
    ///
    /// - Parameters:
    ///   - rows: The store's metadata.
    ///   - isMigrated: Whether the store has an earlier version than the program.
    private func differences(
        from store: StoreMetadata, _ rows: [[StoredValue]], isMigrated: Bool
    ) throws -> [StoreDifference] {
        guard
            let model = target.versions.first(where: {
                $0.version == store.version && $0.versionHash == store.versionHash
            })
        else { return [] }
        let layout = PostgresLayout(.withoutClasses(model), schema: layout.schemaName)
        let drift = PostgresDrift(layout: layout, connection: connection)
        let noted = rows.first { $0[0] == .text(PostgresCatalogue.nameOfHash) }
        if noted?[1] == .text(try drift.catalogue().hash) { return [] }
        let found = try drift.differences(isInTransaction: true)
        return isMigrated && found.contains { $0.kind != .external }
            ? found.adding(PostgresDrift.obstacleOfMigrations) : found
    }

    /// Whether the store's history continues; nil if it has none, or if no migration is necessary.
    private func history(on chain: MigrationChain?) throws -> HistoryFate? {
        let settings = try connection.run([PostgresHistorySQL(layout).settings])[0]
        guard let chain, HistorySettings(settings) != nil else { return nil }
        return chain.historyRestartReason.map { .restarts(because: $0) } ?? .continues
    }

    // MARK: The cost of a migration

    /// The effects and costs of a migration; nil if there is no store, or nothing to do.
    ///
    /// - Throws: ``MigrationError`` if the program cannot open the store.
    package func forecast() throws -> MigrationForecast? {
        try withoutTrace {
            guard let survey = try surveyed(), survey.hasWork else { return nil }
            let operations =
                survey.chain?.migrations.isEmpty == true
                ? try drift.refreshment(ignoringOthers: true).map(\.operation)
                : survey.chain?.operations ?? []
            let found = try tables(named: Set(operations.flatMap(\.tables)))
            var work = ExpectedWork(found.amounts)
            let expected = survey.chain.map { work.expected(of: $0) }
            var locks = PostgresTableLocks(try PostgresDependencies(connection, layout))
            for operation in operations { locks.follow(operation) }
            try locks.hold(PostgresHistory(layout, nil).recordedTables(connection))
            let waited = locks.finish(
                PostgresSchema(of: PostgresDerivations(layout)),
                dropsHistory: survey.history != nil && survey.history != .continues)
            let copied =
                survey.chain?.needsBackup == true ? operations.flatMap(\.tablesWritten) : []
            let copies = Set(copied).reduce(0) { $0 + (found.amounts[$1]?.bytes ?? 0) }
            return MigrationForecast(
                survey, to: target.model.model.version, steps: expected?.steps ?? [],
                storeSize: found.size,
                // Each row is written to its table and to the log. Dropped tables need their space
                // until the commit.
                bytesNeeded: 2 * ((expected?.bytes.reduce(0, +) ?? 0) + copies),
                rewrittenTables: locks.rewritten.names.filter { found.amounts[$0] != nil }
                    .sorted(),
                locks: waited,
                openTransactions: try connection.openTransactions(in: layout.schemaName))
        }
    }

    /// The size up to which the rows of a table are counted. For larger tables, the server's
    /// estimate is good enough.
    private static let countedBytes = 16 << 20

    /// The rows and bytes of the given tables, and the size of all tables of the store.
    private func tables(
        named names: Set<String>
    ) throws -> (amounts: [String: ExpectedWork.Amount], size: Int) {
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            SELECT c.relname::text, c.reltuples::bigint, pg_relation_size(c.oid), \
            pg_total_relation_size(c.oid) FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')
            """, parameters)
        let long = Dictionary(
            names.map { (PostgresName.short($0), $0) }, uniquingKeysWith: { one, _ in one })
        var amounts: [String: ExpectedWork.Amount] = [:]
        var size = 0
        for row in 0..<rows.count {
            let bytes = Int(rows.integer(row, 3))
            size += bytes
            guard let name = long[rows.text(row, 0)] else { continue }
            var count = Int(rows.integer(row, 1))
            if count < 0 || rows.integer(row, 2) <= Self.countedBytes {
                count = Int(
                    try connection.run("SELECT count(*) FROM \(layout.qualified(name))").integer(
                        0, 0))
            }
            amounts[name] = .init(rows: count, bytes: bytes)
        }
        return (amounts, size)
    }
}

extension PostgresConnection {
    /// The rows of a store's metadata; nil if there is no store.
    func metadataRows(of schema: String) throws -> [[StoredValue]]? {
        let table = "\(SQLText.identifier(schema)).\(SQLText.identifier(MetadataSQL.table))"
        var name = PostgresParameters()
        name.append(.text(table), as: .text)
        let exists = try run("SELECT to_regclass($1) IS NOT NULL", name)
        guard exists.boolean(0, 0) else { return nil }
        return try run("SELECT \"name\", \"value\" FROM \(table)").namesAndValues
    }
}
