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

    /// Runs one of the statements of ``LinkSQL`` over pairs.
    func run(_ sql: String, over pairs: [(source: Int64, destination: Int64)]) throws {
        guard !pairs.isEmpty else { return }
        let shape = RecordShape(kinds: [.integer])
        let writer = RecordWriter()
        let records = pairs.map { pair in
            let placed = writer.makeRecord(shape)
            placed.record.key = pair.source
            placed.record.setInteger(0, pair.destination)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try runPending(sql, over: records.map(\.record), shape: shape)
        }
    }
}
