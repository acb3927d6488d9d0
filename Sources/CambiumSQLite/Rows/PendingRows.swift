import CambiumModel

/// The records that the next statement over the `pending` table sees.
package final class PendingRows {
    // Safety: filled before and emptied after each statement by `withPending`, whose caller keeps
    // the pages alive meanwhile.
    @exclusivity(unchecked) var records: [Record] = []
    @exclusivity(unchecked) var shape = RecordShape(kinds: [])
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
