import CambiumModel
import CambiumRecords

/// The records that the next statement over the `pending` table sees.
package final class PendingRows {
    // Safety: filled before and emptied after each statement by `withPending`, whose caller keeps
    // the pages alive meanwhile.
    @exclusivity(unchecked) var records: [Record] = []
    @exclusivity(unchecked) var shape = RecordShape(kinds: [])
    /// Where, in the records, keys follow each other without a gap.
    @exclusivity(unchecked) var run = 0..<0

    /// The record of a key in the run.
    @inline(__always)
    func record(of key: Int64) -> Record? {
        guard !run.isEmpty else { return nil }
        let place = key &- records[run.lowerBound].key
        guard place >= 0, place < run.count else { return nil }
        return records[run.lowerBound &+ Int(place)]
    }
}

extension Connection {
    /// Runs a statement that reads from the `pending` table: `key`, `version`, then `c0`, `c1`, …
    /// for the slots.
    ///
    /// - Returns: How many rows the statement touched.
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

    /// Runs a statement over the rows whose keys are those of a run of records, which follow each
    /// other without a gap: parameter 1 is the first key, 2 the last, 3 the version of all of them.
    /// It gets their values by `pending_value(key, slot)`.
    ///
    /// - Returns: How many rows the statement touched.
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

    /// Runs a query that reads from the `pending` table and hands each row to the receiver.
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
}
