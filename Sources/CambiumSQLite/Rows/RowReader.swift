import CSQLite
import CambiumModel
import CambiumRecords

/// Reads rows of one entity from a statement into records.
package final class RowReader: Sendable {
    private struct Field {
        let slot: Int
        let column: Int32
        /// What SQLite calls a value of the column's kind.
        let type: Int32

        init(slot: Int, column: Int, kind: StorageClass) {
            self.slot = slot
            self.column = Int32(column)
            type =
                switch kind {
                case .integer: SQLITE_INTEGER
                case .real: SQLITE_FLOAT
                case .text: SQLITE_TEXT
                case .blob: SQLITE_BLOB
                }
        }
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
            column.map { Field(slot: slot, column: $0, kind: shape.kinds[slot]) }
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
        // By address: each element of an array would be checked to be inside.
        try fields.withUnsafeBufferPointer { fields throws(SQLiteError) in
            for field in fields {
                let value = row[field.column]
                let type = sqlite3_value_type(value)
                guard type == field.type else {
                    if type == SQLITE_NULL { continue }
                    throw mismatch(field, key)
                }
                switch type {
                case SQLITE_INTEGER:
                    placed.record.setInteger(field.slot, sqlite3_value_int64(value))
                case SQLITE_FLOAT:
                    placed.record.setReal(field.slot, sqlite3_value_double(value))
                default:
                    if let moved = readBytes(value, field, into: placed, writer) { placed = moved }
                }
            }
        }
        return placed
    }

    /// - Returns: The record's new place, where it had to move.
    @inline(__always)
    private func readBytes(
        _ value: OpaquePointer?, _ field: Field, into placed: PlacedRecord, _ writer: RecordWriter
    ) -> PlacedRecord? {
        let start =
            field.type == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        // The length is that of the form that was asked for.
        let count = Int(sqlite3_value_bytes(value))
        return writer.addBytes(
            UnsafeRawBufferPointer(start: start, count: count), field.slot, to: placed.record,
            in: placed.page, shape)
    }

    private func mismatch(_ field: Field, _ key: Int64) -> SQLiteError {
        SQLiteError(
            code: SQLITE_MISMATCH,
            message: "Column \(columnNames[field.slot]) of row \(key) does not hold "
                + "\(shape.kinds[field.slot].rawValue), as the model says. Another program has "
                + "changed the store; restore a backup or correct the value.")
    }
}
