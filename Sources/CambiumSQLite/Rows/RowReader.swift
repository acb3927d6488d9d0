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

/// The function `sink(a, b, …)`, an aggregate that hands each row on while SQLite makes it.
///
/// `SELECT sink(a, b) FROM t` has one row, without meaning. It spares SQLite the way out to
/// `sqlite3_step` and back for each row, and us a call for each value: a scan is a third faster.
final class RowSink {
    /// How many arguments a function may have in every build of SQLite.
    static let maximumColumns = 100

    /// Who is handed the rows of one statement. An object, because the closure itself would be
    /// counted up and down for each of them.
    private final class Receiver {
        let receive: (CurrentRow) throws -> Void
        var failure: (any Error)?

        init(_ receive: @escaping (CurrentRow) throws -> Void) {
            self.receive = receive
        }
    }

    // Safety: set while a statement runs that calls the function, by ``hand(to:while:)``, which keeps the
    // receiver alive meanwhile.
    @exclusivity(unchecked) private var receiver: Unmanaged<Receiver>?
    /// How many rows the last statement handed on.
    // Safety: a number, loaded and stored.
    @exclusivity(unchecked) private(set) var count = 0

    /// Whether a statement runs whose rows it hands on. Their receiver may run no other one.
    var isRunning: Bool { receiver != nil }

    /// - Returns: SQLite's result code.
    func register(on database: OpaquePointer) -> Int32 {
        // Safety: the sink belongs to the connection, which outlives its functions.
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

    /// Hands a receiver the rows of the statement that a body runs. What it throws ends the statement.
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

/// The values of the row that a query stands at: those of a statement that was stepped, or the
/// arguments of a ``RowSink``. Valid until the query goes on.
package struct CurrentRow {
    // Safety: one of the two is set; SQLite keeps what they lead to until the query goes on. Values
    // are used by the one thread that runs the statement, so SQLite's rule for values of statements
    // (that they are not protected by a mutex) is met.
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

    /// The whole number in a column; the first has number 0. 0 for NULL.
    @inline(__always)
    package func integer(at column: Int) -> Int64 {
        sqlite3_value_int64(self[Int32(column)])
    }

    /// The text in a column; empty for NULL.
    package func text(at column: Int) -> String {
        let value = self[Int32(column)]
        guard let start = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension Record {
    /// Makes a slot's value the result of a function or of a virtual table's column; NULL, where
    /// there is none. The record has to outlive the statement.
    @inline(__always)
    func setResult(of context: OpaquePointer?, _ slot: Int, _ kinds: [StorageClass]) {
        guard slot < kinds.count, hasValue(slot) else { return }
        switch kinds[slot] {
        case .integer: sqlite3_result_int64(context, integer(slot))
        case .real: sqlite3_result_double(context, real(slot))
        case .text:
            let bytes = self.bytes(slot)
            // Static (nil): the record outlives the statement.
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
