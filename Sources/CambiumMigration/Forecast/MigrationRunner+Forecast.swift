import CambiumModel
import CambiumSQL
import CambiumSQLite

extension MigrationRunner {
    /// What ``open(_:storePath:)`` would do to a store, and what it would cost. Changes nothing;
    /// goes through the tables to count their rows.
    ///
    /// - Parameter path: The store's path, to learn of its disk; nil in memory.
    /// - Returns: Nil where there is no store, or nothing to be done about it.
    /// - Throws: ``MigrationError`` where the store is none that the program can open, whatever its
    ///   policies; `SQLiteError`.
    package func forecast(
        _ connection: Connection, at path: String?
    ) throws -> MigrationForecast? {
        // One moment for all questions.
        try connection.transaction(.deferred) {
            guard let metadata = try Self.readMetadata(connection) else { return nil }
            let chain = try chain(from: metadata, in: connection)
            try requireOwnTables(in: connection, metadata, chain)
            let expected = expectedObjects(of: metadata, chain)
            let differences = try weighed(
                expected.differences(in: connection), in: connection, expected)
            guard chain != nil || differences.contains(where: { $0.kind != .foreign }) else {
                return nil
            }
            let storeSize = try connection.number(ForecastSQL.size)
            var work = try ExpectedWork.measured(in: connection)
            var steps: [MigrationForecast.Step] = []
            var largest = 0
            for migration in (chain ?? .refresh).migrations {
                var bytes = 0
                for step in migration.steps {
                    let costs = step.statements.map { work.cost(of: $0.operation).written }
                    bytes += costs.reduce(0) { $0 + $1.bytes }
                    steps.append(
                        MigrationForecast.Step(
                            summary: step.summary, kind: step.kind, losesData: step.losesData,
                            code: step.code, statements: step.statements.count,
                            rows: costs.reduce(0) { $0 + $1.rows }))
                }
                // What one migration has dropped the next one writes over.
                largest = max(largest, bytes)
            }
            let makesBackup =
                chain?.needsBackup ?? false
                || differences.contains { $0.kind != .foreign }
            let versions = chain?.versions ?? []
            return MigrationForecast(
                from: metadata.version, to: model.version,
                versions: versions.isEmpty ? [metadata.version] : versions, steps: steps,
                storeSize: storeSize,
                // Once in the log or the journal, once in the file.
                bytesNeeded: 2 * largest + (makesBackup ? storeSize : 0),
                freeSpace: path.flatMap(StoreFiles.freeSpace), differences: differences,
                foreignObjects: try foreignObjects(
                    inWayOf: chain, from: metadata, differences, in: connection),
                history: try historyFate(on: chain, in: connection))
        }
    }
}
