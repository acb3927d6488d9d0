import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// The tables of a store, as a transaction on a connection sees them.
final class SQLiteTables: MovedTables {
    private let connection: Connection
    private let files: ExternalFiles?

    init(_ connection: Connection, _ files: ExternalFiles?) {
        self.connection = connection
        self.files = files
    }

    func count(of table: MovedTable) throws -> Int {
        let rows = try connection.rows(MoveSQL.count(of: table.name))
        guard case .integer(let count)? = rows.first?.first else { return 0 }
        return Int(count)
    }

    func scan(_ table: MovedTable, _ receive: ([Record]) throws -> Void) throws {
        let names = table.columns.map(\.name)
        let reader = RowReader(
            shape: table.shape, columns: Array(names.indices), columnNames: names)
        var batch = RecordBatch(table.shape)
        func take(_ row: CurrentRow) throws {
            let key = table.keySlot.map { row.integer(at: $0) } ?? 0
            try batch.add(
                reader.read(row, key: key, version: 0, into: batch.writer), receive)
        }
        if names.count <= Connection.maximumScanColumns {
            try connection.scan(MoveSQL.sink(names, of: table.name), [], take)
        } else {
            let statement = try connection.statement(MoveSQL.select(names, of: table.name))
            defer { statement.reset() }
            while try statement.step() { try take(statement.row) }
        }
        try batch.handOn(to: receive)
    }

    func size(ofLargeValue name: String) throws -> Int? {
        guard let files else { return nil }
        return try reportingFiles { try files.size(name) }
    }

    func scanLargeValues(
        of tables: [MovedTable],
        _ receive: (_ name: String, _ value: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let files else { return }
        for table in tables {
            guard let part = table.selecting({ $0.attribute?.usesExternalForm == true }) else {
                continue
            }
            let slots = part.externalSlots
            try scan(part) { records in
                for record in records {
                    for slot in slots {
                        guard let name = record.nameOfLargeValue(slot) else { continue }
                        let value = try reportingFiles { try files.read(name) }
                        try value.withUnsafeBytes { try receive(name, $0) }
                    }
                }
            }
        }
    }

    func nextKeys() throws -> [String: Int64] {
        var keys: [String: Int64] = [:]
        for row in try connection.rows(MoveSQL.keys) where row.count == 2 {
            if case .text(let name) = row[0], case .integer(let next) = row[1] { keys[name] = next }
        }
        return keys
    }

    func historyContent() throws -> HistorySettings.Content? {
        try HistorySettings(of: connection)?.content
    }
}

extension SQLiteEngine {
    func withTables<Result>(_ body: (any MovedTables) throws -> Result) throws -> Result? {
        // In memory, large values are in the rows. No other store keeps them there.
        guard path != nil || !hasExternalColumns else { return nil }
        // Saves are blocked meanwhile, so that the rows are consistent with each other and with the
        // files.
        return try writer.withLock { connection in
            try connection.transaction(isReadOnly ? .deferred : .immediate) {
                try body(SQLiteTables(connection, externalFiles))
            }
        }
    }
}

/// Writes the rows of another store into a new database, in one transaction.
final class SQLiteTableWriter: MovedTableWriter {
    private let connection: Connection
    private let files: ExternalFiles?
    private let indexes: [TableIndex]

    init(_ connection: Connection, _ files: ExternalFiles?, _ model: Model) {
        self.connection = connection
        self.files = files
        indexes = Schema(of: model).tables.flatMap(\.indexes)
    }

    /// Turns an empty database into a store with the rows of another one. If it throws, the
    /// database is unchanged.
    static func fill(
        _ connection: Connection, _ runner: MigrationRunner, _ files: ExternalFiles?,
        with move: TableMove, _ counts: [Int], of model: ModelDescription,
        notes: [String: String], _ history: HistorySettings.Content?
    ) throws -> MoveReport {
        _ = try runner.open(connection)
        // Without the indexes, the foreign key check of each row would scan a table.
        try connection.execute(MigrationSQL.foreignKeysOff)
        let report = try connection.transaction {
            do {
                let writer = SQLiteTableWriter(connection, files, model.model)
                let report = try move.run(counts, into: writer)
                let metadata = StoreMetadataAccess(connection)
                try metadata.replaceIdentifier()
                try metadata.setNotes(notes)
                return report
            } catch let error as SQLiteError {
                throw ConstraintFailure.error(for: error, in: model)
            }
        }
        try connection.execute(MigrationSQL.foreignKeysOn)
        if let history {
            // The history starts again.
            try HistorySetup(connection: connection, model: model.model)
                .apply(history == .values ? .values : .properties)
        }
        return report
    }

    var written: any MovedTables { SQLiteTables(connection, files) }

    func begin(_ tables: [MovedTable]) throws {
        for index in indexes { try connection.execute(MoveSQL.dropIndex(index.name)) }
    }

    func load(
        _ table: MovedTable, _ rows: @escaping (_ take: ([Record]) throws -> Void) throws -> Void
    ) throws {
        let sql = MoveSQL.insert(table.columns.map(\.name), into: table.name)
        try rows { records in
            _ = try connection.runPending(sql, over: records, shape: table.shape)
        }
    }

    func loadLargeValues(
        _ values: @escaping (_ take: (String, UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard let files else { return }
        try values { name, value in
            try reportingFiles {
                let journal = try files.write([name: Data(value)], superfluous: [])
                // If the store is not finished, it is removed completely.
                files.finish(journal, removing: [String]())
            }
        }
    }

    var finishing: [(name: String, run: () throws -> Void)] {
        indexes.map { index in
            (index.name, { [connection] in try connection.execute(index.createStatement) })
        } + [(SystemColumn.key, { [connection] in try connection.requireSoundKeys() })]
    }

    func setNextKeys(_ keys: [String: Int64]) throws {
        for (name, next) in keys.sorted(by: { $0.key < $1.key }) {
            _ = try connection.rows(KeySQL.raise, [.text(name), .integer(next)])
        }
    }
}

/// The limits of the tables of an SQLite database.
struct SQLiteMoveRules: MovedTableRules {
    let tables: [MovedTable]

    init(_ model: ModelDescription, of roots: [Int]) {
        tables = MovedTable.all(Schema(of: model.model).tables, of: roots, in: model)
    }

    var datePrecision: StoredDatePrecision? { nil }
    var largestLargeValue: Int? { nil }

    func mayRefuse(_ column: MovedTable.Column) -> Bool {
        column.kind == .real && column.attribute != nil
    }

    func refusal(
        of record: Record, _ slot: Int, _ column: MovedTable.Column
    ) -> (code: ValidationError.Code, words: String)? {
        guard record.real(slot).isNaN else { return nil }
        return (
            .numberTooSmall, "\(column.attribute?.name ?? column.name) is not a number (NaN)."
        )
    }
}
