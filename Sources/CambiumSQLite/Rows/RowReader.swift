import CSQLite
import CambiumModel

/// Reads rows of one entity from a statement into records.
package struct RowReader: Sendable {
    private let shape: RecordShape
    private let columns: [Int32]
    private let columnNames: [String]

    /// - Parameter columns: For each slot the statement's column, or nil for a transient one.
    package init(shape: RecordShape, columns: [Int?], columnNames: [String]) {
        self.shape = shape
        self.columns = columns.map { Int32($0 ?? -1) }
        self.columnNames = columnNames
    }

    /// Reads the statement's current row.
    ///
    /// - Throws: ``SQLiteError`` where a column holds a value of another type than the model says,
    ///   which only another program can have written.
    package func read(
        _ statement: Statement, key: Int64, version: Int64, into writer: RecordWriter
    ) throws(SQLiteError) -> PlacedRecord {
        let handle = statement.handle
        var placed = writer.makeRecord(shape)
        placed.record.key = key
        placed.record.version = version
        for slot in columns.indices {
            let column = columns[slot]
            guard column >= 0 else { continue }
            let type = sqlite3_column_type(handle, column)
            if type == SQLITE_NULL { continue }
            switch (shape.kinds[slot], type) {
            case (.integer, SQLITE_INTEGER):
                placed.record.setInteger(slot, sqlite3_column_int64(handle, column))
            case (.real, SQLITE_FLOAT):
                placed.record.setReal(slot, sqlite3_column_double(handle, column))
            case (.text, SQLITE_TEXT):
                let start = UnsafeRawPointer(sqlite3_column_text(handle, column))
                let count = Int(sqlite3_column_bytes(handle, column))
                writer.setBytes(
                    UnsafeRawBufferPointer(start: start, count: count), slot, of: &placed, shape)
            case (.blob, SQLITE_BLOB):
                let start = sqlite3_column_blob(handle, column)
                let count = Int(sqlite3_column_bytes(handle, column))
                writer.setBytes(
                    UnsafeRawBufferPointer(start: start, count: count), slot, of: &placed, shape)
            default:
                throw SQLiteError(
                    code: SQLITE_MISMATCH,
                    message: "Column \(columnNames[slot]) of row \(key) does not hold "
                        + "\(shape.kinds[slot].rawValue), as the model says. Another program has "
                        + "changed the store; restore a backup or correct the value.")
            }
        }
        return placed
    }
}
