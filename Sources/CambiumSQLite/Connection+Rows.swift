import CambiumModel
import CambiumRecords

extension Connection {
    /// Runs a statement that reads from the `pending` table: `key`, `version`, then `c0`, `c1`, …
    /// for the slots.
    ///
    /// - Returns: The number of rows that the statement changed.
    package func runPending(
        _ sql: String, over records: [Record], shape: RecordShape, parameters: [StoredValue] = []
    ) throws(SQLiteError) -> Int {
        pending.records = records
        pending.shape = shape
        defer { pending.records.removeAll() }
        let statement = try statement(sql)
        try statement.bind(parameters)
        try statement.run()
        return changes
    }

    /// Runs a statement over the rows with the keys of a run of records; the keys are consecutive.
    /// Parameter 1 is the first key, 2 the last, 3 the version of all of them. The statement reads
    /// their values with `pending_value(key, slot)`.
    ///
    /// - Returns: The number of rows that the statement changed.
    package func runPending(
        _ sql: String, over records: [Record], in run: Range<Int>, shape: RecordShape
    ) throws(SQLiteError) -> Int {
        guard let first = records[run].first, let last = records[run].last else { return 0 }
        pending.records = records
        pending.shape = shape
        pending.run = run
        defer {
            pending.records.removeAll()
            pending.run = 0..<0
        }
        let statement = try statement(sql)
        try statement.bind(first.key, at: 1)
        try statement.bind(last.key, at: 2)
        try statement.bind(first.version, at: 3)
        try statement.run()
        return changes
    }

    /// Runs a query of the form `SELECT sink(…)` that reads from the `pending` table, see
    /// ``scan(_:_:_:)``.
    package func scanPending(
        _ sql: String, over records: [Record], shape: RecordShape,
        _ receive: (CurrentRow) throws -> Void
    ) throws {
        pending.records = records
        pending.shape = shape
        defer { pending.records.removeAll() }
        try scan(sql, [], receive)
    }

    /// Runs a query that reads from the `pending` table, and passes each row to the receiver.
    package func queryPending(
        _ sql: String, over records: [Record], shape: RecordShape, parameters: [StoredValue] = [],
        _ receive: (Statement) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        pending.records = records
        pending.shape = shape
        defer { pending.records.removeAll() }
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        while try statement.step() { try receive(statement) }
    }

    /// The maximum number of columns for ``scan(_:_:_:)``.
    package static var maximumScanColumns: Int { RowSink.maximumColumns }

    /// Runs a query of the form `SELECT sink(…) FROM …` and passes each row to the receiver, as
    /// SQLite finds them. The receiver must not use the connection.
    ///
    /// - Throws: The error of the receiver, which ends the query; ``SQLiteError``.
    package func scan(
        _ sql: String, _ parameters: [StoredValue], _ receive: (CurrentRow) throws -> Void
    ) throws {
        let statement = try statement(sql)
        try statement.bind(parameters)
        try sink.hand(to: receive) {
            defer { statement.reset() }
            while try statement.step() {}
        }
    }
}
