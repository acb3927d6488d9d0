import CSQLite

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
