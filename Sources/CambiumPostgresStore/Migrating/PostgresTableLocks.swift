import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// What depends on a store's tables, as the server knows it before a migration.
struct PostgresDependencies {
    /// The tables.
    private(set) var tables: Set<String> = []
    /// By the name of a foreign key, the table that has it and the one that it names.
    private(set) var keys: [String: (table: String, destination: String)] = [:]
    /// By the name of an index that is not a constraint's, its table.
    private(set) var indexes: [String: String] = [:]

    init(_ connection: PostgresConnection, _ layout: PostgresLayout) throws {
        var name = PostgresParameters()
        name.append(.text(layout.schemaName), as: .text)
        let rows = try connection.run(
            """
            WITH r AS (SELECT c.oid, c.relname FROM pg_catalog.pg_class AS c \
            JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'p')) \
            SELECT 't', r.relname::text, '', '' FROM r UNION ALL \
            SELECT 'k', k.conname::text, r.relname::text, d.relname::text \
            FROM pg_catalog.pg_constraint AS k JOIN r ON r.oid = k.conrelid \
            JOIN r AS d ON d.oid = k.confrelid WHERE k.contype = 'f' UNION ALL \
            SELECT 'i', i.relname::text, r.relname::text, '' FROM pg_catalog.pg_index AS x \
            JOIN r ON r.oid = x.indrelid JOIN pg_catalog.pg_class AS i ON i.oid = x.indexrelid \
            WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS k WHERE k.conindid = i.oid \
            AND k.contype IN ('p', 'u', 'x'))
            """, name)
        for row in 0..<rows.count {
            let (name, table) = (rows.text(row, 1), rows.text(row, 2))
            switch rows.text(row, 0) {
            case "t": tables.insert(name)
            case "k": keys[name] = (table, rows.text(row, 3))
            default: indexes[name] = table
            }
        }
    }
}

/// The locks that others wait for, which operations take on the tables that a store has.
struct PostgresTableLocks {
    private enum Mode: Int {
        case share, shareRowExclusive, accessExclusive

        var name: String {
            switch self {
            case .share: "SHARE"
            case .shareRowExclusive: "SHARE ROW EXCLUSIVE"
            case .accessExclusive: "ACCESS EXCLUSIVE"
            }
        }
    }

    private let parts: PostgresDependencies
    /// The tables whose rows are written again.
    private(set) var rewritten = RewrittenTables()
    /// By the server's name of a table.
    private var modes: [String: Mode] = [:]
    /// The foreign keys that are checked at the end of all steps, with their tables.
    private var waiting: [String: String] = [:]

    init(_ parts: PostgresDependencies) {
        self.parts = parts
    }

    private mutating func lock(_ table: String?, _ mode: Mode) {
        guard let table, parts.tables.contains(table),
            modes[table].map({ $0.rawValue < mode.rawValue }) ?? true
        else { return }
        modes[table] = mode
    }

    /// The server's name of a table of the store, by its name in an operation.
    private func former(_ table: String) -> String? {
        rewritten.formerName(of: table).map(PostgresName.short)
    }

    /// Follows the next operation.
    mutating func follow(_ operation: SchemaOperation) {
        switch operation {
        case .addColumn(_, let table), .alterTable(let table), .renameTable(let table, _):
            lock(former(table), .accessExclusive)
        case .dropTable(let table):
            guard let name = former(table) else { break }
            lock(name, .accessExclusive)
            // The server keeps a part of a foreign key with the other table.
            for key in parts.keys.values where key.table == name {
                lock(key.destination, .accessExclusive)
            }
        case .createIndex(let name, let table, _):
            lock(former(table), .share)
            lock(parts.indexes[PostgresName.short(name)], .accessExclusive)
        case .dropForeignKey(let name, let table):
            guard waiting.removeValue(forKey: name) == nil else { break }
            lock(former(table), .accessExclusive)
            lock(parts.keys[PostgresName.short(name)]?.destination, .accessExclusive)
        case .addForeignKey(let name, let table): waiting[name] = table
        case .createTable, .copyRows, .insertRows, .chooseObjects, .settleRows, .updateRows,
            .deleteRows, .checkRows, .other:
            break
        }
        rewritten.follow(operation)
    }

    /// Notes the tables that other programs may not write until the end: triggers note what they do.
    mutating func hold(_ tables: [String]) {
        for table in tables { lock(table, .shareRowExclusive) }
    }

    /// The locks of all operations.
    ///
    /// - Parameters:
    ///   - schema: What the store has afterwards.
    ///   - dropsHistory: Whether the tables of its history are made anew.
    mutating func finish(
        _ schema: PostgresSchema, dropsHistory: Bool
    ) -> [MigrationForecast.Lock] {
        let destinations = Dictionary(
            schema.tables.flatMap(\.foreignKeys).map { ($0.name, $0.destination) },
            uniquingKeysWith: { one, _ in one })
        for (name, table) in waiting {
            lock(former(table), .shareRowExclusive)
            lock(destinations[name].flatMap(former), .shareRowExclusive)
        }
        let kept = Set(schema.tables.flatMap(\.indexes).map { PostgresName.short($0.name) })
        for (name, table) in parts.indexes
        where !kept.contains(name) && !table.hasPrefix(HistorySQL.prefix) {
            lock(table, .accessExclusive)
        }
        for table in parts.tables where dropsHistory && table.hasPrefix(HistorySQL.prefix) {
            lock(table, .accessExclusive)
        }
        return modes.sorted { $0.key < $1.key }.map { table, mode in
            .init(table: table, mode: mode.name, stopsReaders: mode == .accessExclusive)
        }
    }
}
