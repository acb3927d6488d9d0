import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func statistics() throws -> StoreStatistics? {
        try withReader { connection in
            try connection.transaction(.deferred) {
                let sizes = Self.sizes(connection)
                let model = model.model
                let tables = try model.roots.map { root in
                    try Self.size(of: root, in: model, sizes, connection)
                }
                var statistics = StoreStatistics(
                    engine: "SQLite \(SQLiteLibrary.version)",
                    bytes: try bytes(connection), tables: tables,
                    history: try Self.history(sizes, connection), external: externalSize)
                statistics.logBytes = logBytes
                return statistics
            }
        }
    }

    /// The size of each table with its indexes in bytes, by name; nil if SQLite was built without
    /// the table `dbstat`.
    private static func sizes(_ connection: Connection) -> [String: Int]? {
        guard let rows = try? connection.rows(StatisticsSQL.sizes) else { return nil }
        return Dictionary(
            rows.compactMap { row in
                guard case .text(let name) = row[0], case .integer(let bytes) = row[1] else {
                    return nil
                }
                return (name, Int(bytes))
            }, uniquingKeysWith: +)
    }

    private static func size(
        of root: Entity, in model: Model, _ sizes: [String: Int]?, _ connection: Connection
    ) throws -> StoreStatistics.TableSize {
        var rows: [String: Int] = [:]
        let counts = StatisticsSQL.counts(of: root, in: model, SQLText.identifier(root.name))
        for row in try connection.rows(counts) {
            guard case .text(let name) = row[0], case .integer(let count) = row[1] else { continue }
            rows[name] = Int(count)
        }
        return StoreStatistics.TableSize(
            entity: root.name, rows: rows.values.reduce(0, +), rowsByEntity: rows,
            bytes: sizes.map { sizes in
                Schema(of: model).tables(of: root, in: model).reduce(0) { $0 + (sizes[$1] ?? 0) }
            })
    }

    private static func history(
        _ sizes: [String: Int]?, _ connection: Connection
    ) throws -> StoreStatistics.HistorySize? {
        guard let settings = try HistorySettings(of: connection),
            let row = try connection.rows(HistorySQL.extent).first
        else { return nil }
        func date(_ value: StoredValue) -> Date? {
            if case .real(let seconds) = value {
                Date(timeIntervalSinceReferenceDate: seconds)
            } else {
                nil
            }
        }
        return StoreStatistics.HistorySize(
            content: settings.content.rawValue, transactions: Int(row[0].integer ?? 0),
            bytes: sizes.map { sizes in
                sizes.filter { $0.key.hasPrefix(HistorySQL.prefix) }.values.reduce(0, +)
            },
            oldest: date(row[1]), newest: date(row[2]), recordsOthers: true)
    }

    private func bytes(_ connection: Connection) throws -> Int {
        let bytes = try connection.rows(StatisticsSQL.bytes).first?.first?.integer ?? 0
        return Int(bytes) + (logBytes ?? 0)
    }

    /// The size of the log; nil if there is none.
    private var logBytes: Int? {
        path.flatMap { StoreFiles.size(of: $0 + "-wal") }.flatMap { $0 == 0 ? nil : $0 }
    }

    private var externalSize: StoreStatistics.ExternalSize? {
        guard hasExternalColumns, let externalFiles else { return nil }
        let names = externalFiles.settledNames
        return StoreStatistics.ExternalSize(
            count: names.count,
            bytes: names.reduce(0) { $0 + ((try? externalFiles.size($1)) ?? 0) })
    }
}
