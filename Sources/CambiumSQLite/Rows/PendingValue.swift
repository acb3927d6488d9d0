import CSQLite

/// The function `pending_value(key, slot)`: what the pending record of a key has in a slot, for
/// statements that walk along the rows of a table (see ``Connection/runPending(_:over:in:shape:)``).
enum PendingValue {
    /// - Returns: SQLite's result code.
    static func register(_ rows: PendingRows, on database: OpaquePointer) -> Int32 {
        // Safety: the rows belong to the connection, which outlives its functions.
        let rows = Unmanaged.passUnretained(rows).toOpaque()
        return sqlite3_create_function_v2(
            database, "pending_value", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, rows,
            { context, _, values in
                guard let values, let rows = sqlite3_user_data(context) else { return }
                let key = sqlite3_value_int64(values[0])
                let slot = Int(sqlite3_value_int64(values[1]))
                Unmanaged<PendingRows>.fromOpaque(rows)._withUnsafeGuaranteedRef { rows in
                    guard let record = rows.record(of: key) else {
                        return sqlite3_result_error(context, "no record of that key", -1)
                    }
                    record.setResult(of: context, slot, rows.shape.kinds)
                }
            }, nil, nil, nil)
    }
}
