import CSQLite
import CambiumModel
import CambiumRecords

/// Reads rows of one entity from a statement into records.
package final class RowReader: Sendable {
    private struct Field {
        let slot: Int
        let column: Int32
        /// SQLite's type for values of the column's kind.
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

    /// Reads the current row of a query.
    ///
    /// - Throws: ``SQLiteError`` if a column has a value of another type than in the model. Only
    ///   another program can have written it.
    package func read(
        _ row: CurrentRow, key: Int64, version: Int64, into writer: RecordWriter
    ) throws(SQLiteError) -> PlacedRecord {
        var placed = writer.makeRecord(shape)
        placed.record.key = key
        placed.record.version = version
        // The elements are accessed by address, because an array would check the bounds each time.
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

    /// - Returns: The record's new location, if it was moved.
    @inline(__always)
    private func readBytes(
        _ value: OpaquePointer?, _ field: Field, into placed: PlacedRecord, _ writer: RecordWriter
    ) -> PlacedRecord? {
        let start =
            field.type == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_value_text(value)) : sqlite3_value_blob(value)
        // The length is that of the form that was read before.
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

/// The function `sink(a, b, …)`, an aggregate that passes on each row while SQLite computes it.
///
/// `SELECT sink(a, b) FROM t` returns one row without meaning. SQLite need not return to
/// `sqlite3_step` for each row, and the reader needs no call for each value: a scan is a third
/// faster.
final class RowSink {
    /// The maximum number of a function's arguments in every build of SQLite.
    static let maximumColumns = 100

    /// The receiver of the rows of one statement. It is an object, because a closure would be
    /// retained and released for each row.
    private final class Receiver {
        let receive: (CurrentRow) throws -> Void
        var failure: (any Error)?

        init(_ receive: @escaping (CurrentRow) throws -> Void) {
            self.receive = receive
        }
    }

    // Safety: set only while a statement runs that calls the function, by ``hand(to:while:)``, and
    // that function retains the receiver meanwhile.
    @exclusivity(unchecked) private var receiver: Unmanaged<Receiver>?
    /// The number of rows of the last statement.
    // Safety: a number, loaded and stored.
    @exclusivity(unchecked) private(set) var count = 0

    /// Whether a statement is running that uses the sink. Its receiver must not run another one.
    var isRunning: Bool { receiver != nil }

    /// - Returns: SQLite's result code.
    func register(on database: OpaquePointer) -> Int32 {
        // Safety: the connection owns the sink, and outlives its functions.
        let sink = Unmanaged.passUnretained(self).toOpaque()
        return sqlite3_create_function_v2(
            database, "sink", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, sink, nil,
            { context, _, values in
                guard let sink = sqlite3_user_data(context) else { return }
                Unmanaged<RowSink>.fromOpaque(sink)._withUnsafeGuaranteedRef {
                    $0.take(values, context)
                }
            }, { sqlite3_result_null($0) }, nil)
    }

    private func take(
        _ values: UnsafeMutablePointer<OpaquePointer?>?, _ context: OpaquePointer?
    ) {
        count &+= 1
        receiver?._withUnsafeGuaranteedRef { receiver in
            do {
                try receiver.receive(CurrentRow(values: values))
            } catch {
                receiver.failure = error
                sqlite3_result_error(context, "stopped", -1)
            }
        }
    }

    /// Passes the rows of the statement that a closure runs to a receiver. If the receiver throws,
    /// the statement ends.
    func hand(to receive: (CurrentRow) throws -> Void, while body: () throws -> Void) throws {
        try withoutActuallyEscaping(receive) { receive in
            let receiver = Receiver(receive)
            self.receiver = Unmanaged.passUnretained(receiver)
            count = 0
            defer { self.receiver = nil }
            try withExtendedLifetime(receiver) {
                do {
                    try body()
                } catch {
                    throw receiver.failure ?? error
                }
            }
        }
    }
}

/// The values of the current row of a query: of a statement that was stepped, or the arguments of a
/// ``RowSink``. Valid until the query continues.
package struct CurrentRow {
    // Safety: one of the two is set, and SQLite keeps the memory that it points to until the query
    // continues. Only the thread that runs the statement uses the values. This meets SQLite's rule
    // for a statement's values, which are not protected by a mutex.
    private let statement: OpaquePointer?
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(statement: OpaquePointer) {
        self.statement = statement
        values = nil
    }

    init(values: UnsafeMutablePointer<OpaquePointer?>?) {
        statement = nil
        self.values = values
    }

    /// No row yet.
    package static var none: CurrentRow { CurrentRow(values: nil) }

    @inline(__always)
    subscript(column: Int32) -> OpaquePointer? {
        if let values { return values[Int(column)] }
        return sqlite3_column_value(statement, column)
    }

    /// Returns the integer in a column; the first has index 0. Returns 0 for NULL.
    @inline(__always)
    package func integer(at column: Int) -> Int64 {
        sqlite3_value_int64(self[Int32(column)])
    }

    /// Returns the text in a column; empty for NULL.
    package func text(at column: Int) -> String {
        let value = self[Int32(column)]
        guard let start = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension Record {
    /// Sets a slot's value as the result of a function or of a virtual table's column; NULL if
    /// there is no value. The record must outlive the statement.
    @inline(__always)
    func setResult(of context: OpaquePointer?, _ slot: Int, _ kinds: [StorageClass]) {
        guard slot < kinds.count, hasValue(slot) else { return }
        switch kinds[slot] {
        case .integer: sqlite3_result_int64(context, integer(slot))
        case .real: sqlite3_result_double(context, real(slot))
        case .text:
            let bytes = self.bytes(slot)
            // Static (nil), because the record outlives the statement.
            sqlite3_result_text64(
                context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        case .blob:
            let bytes = self.bytes(slot)
            if bytes.isEmpty {
                sqlite3_result_zeroblob(context, 0)
            } else {
                sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
            }
        }
    }
}
