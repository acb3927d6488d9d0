import CSQLite
import CambiumModel

/// Reads rows of one entity from a statement into records.
package final class RowReader: Sendable {
    private struct Field {
        let slot: Int
        let column: Int32
        let kind: StorageClass
    }

    private let shape: RecordShape
    /// The slots that have a column.
    private let fields: [Field]
    private let columnNames: [String]

    /// - Parameter columns: For each slot the statement's column, or nil for a transient one.
    package init(shape: RecordShape, columns: [Int?], columnNames: [String]) {
        self.shape = shape
        self.columnNames = columnNames
        fields = columns.enumerated().compactMap { slot, column in
            column.map { Field(slot: slot, column: Int32($0), kind: shape.kinds[slot]) }
        }
    }

    /// Reads the row that a query stands at.
    ///
    /// - Throws: ``SQLiteError`` where a column holds a value of another type than the model says,
    ///   which only another program can have written.
    package func read(
        _ row: CurrentRow, key: Int64, version: Int64, into writer: RecordWriter
    ) throws(SQLiteError) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        placed.record.key = key
        placed.record.version = version
        for field in fields {
            let slot = field.slot
            let value = row[field.column]
            let type = sqlite3_value_type(value)
            if type == SQLITE_NULL { continue }
            switch (field.kind, type) {
            case (.integer, SQLITE_INTEGER):
                placed.record.setInteger(slot, sqlite3_value_int64(value))
            case (.real, SQLITE_FLOAT):
                placed.record.setReal(slot, sqlite3_value_double(value))
            case (.text, SQLITE_TEXT):
                let start = UnsafeRawPointer(sqlite3_value_text(value))
                let count = Int(sqlite3_value_bytes(value))
                writer.addBytes(
                    UnsafeRawBufferPointer(start: start, count: count), slot, to: &placed, shape)
            case (.blob, SQLITE_BLOB):
                let start = sqlite3_value_blob(value)
                let count = Int(sqlite3_value_bytes(value))
                writer.addBytes(
                    UnsafeRawBufferPointer(start: start, count: count), slot, to: &placed, shape)
            default:
                throw mismatch(slot, key)
            }
        }
        return placed
    }

    private func mismatch(_ slot: Int, _ key: Int64) -> SQLiteError {
        SQLiteError(
            code: SQLITE_MISMATCH,
            message: "Column \(columnNames[slot]) of row \(key) does not hold "
                + "\(shape.kinds[slot].rawValue), as the model says. Another program has "
                + "changed the store; restore a backup or correct the value.")
    }
}
