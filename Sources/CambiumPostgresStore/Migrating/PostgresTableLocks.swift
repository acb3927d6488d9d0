import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// The tables of a store before a migration, with their foreign keys and indexes.
struct PostgresDependencies {
    /// The names of the tables.
    private(set) var tables: Set<String> = []
    /// By the name of a foreign key, its table and the table that it references.
    private(set) var keys: [String: (table: String, destination: String)] = [:]
    /// The table of each index that no constraint uses, by the name of the index.
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

/// The locks that the operations of a migration take on existing tables of a store, as far as other
/// programs wait for them.
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
    /// The tables that the migration rewrites.
    private(set) var rewritten = RewrittenTables()
    /// The strongest lock on each table, by the server's name of the table.
    private var modes: [String: Mode] = [:]
    /// The foreign keys that are checked after all steps, with their tables.
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

    /// The server's name of an existing table, by its name in an operation.
    private func former(_ table: String) -> String? {
        rewritten.formerName(of: table).map(PostgresName.short)
    }

    /// Adds the locks of the next operation.
    mutating func follow(_ operation: SchemaOperation) {
        switch operation {
        case .addColumn(_, let table), .alterTable(let table), .renameTable(let table, _):
            lock(former(table), .accessExclusive)
        case .dropTable(let table):
            guard let name = former(table) else { break }
            lock(name, .accessExclusive)
            // The server stores a part of a foreign key with the referenced table.
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

    /// Adds locks on tables with triggers. Other programs may not write to them until the end.
    mutating func hold(_ tables: [String]) {
        for table in tables { lock(table, .shareRowExclusive) }
    }

    /// Returns the locks of all operations.
    ///
    /// - Parameters:
    ///   - schema: The schema after the migration.
    ///   - dropsHistory: Whether the tables of the history are dropped and created again.
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
