import CambiumModel
import CambiumRecords
import CambiumSQLite

extension Connection {
    /// Runs a query over keys, which are in the `pending` table.
    func query(
        _ sql: String, over keys: [Int64], _ parameters: [StoredValue] = [],
        _ receive: (Statement) throws(SQLiteError) -> Void
    ) throws {
        guard !keys.isEmpty else { return }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        let records = keys.map { key in
            let placed = writer.makeRecord(shape, room: 0)
            placed.record.key = key
            return placed
        }
        try withExtendedLifetime(records) {
            try queryPending(
                sql, over: records.map(\.record), shape: shape, parameters: parameters, receive)
        }
    }
}
