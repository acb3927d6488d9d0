import CSQLite
import CambiumModel
import CambiumRecords

/// A compiled SQL statement.
package final class Statement {
    let handle: OpaquePointer
    private let sql: String
    // Safety: the caller of a statement holds the connection that it was made by.
    private unowned(unsafe) let connection: Connection

    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
        guard let prepared else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "The statement is empty.", sql: sql)
        }
        handle = prepared
        self.sql = sql
        self.connection = connection
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Goes to the next row.
    ///
    /// - Returns: Whether there is one.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.error(code, sql: sql)
        }
    }

    /// Runs a statement that has no rows, and makes it ready for the next run.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Makes the statement ready for the next run. Values stay bound.
    package func reset() {
        sqlite3_reset(handle)
        uncounted(connection).use { connection in
            if let trace = connection.trace { trace.deliver(on: connection) }
        }
    }

    /// Gives the parameters their values, the first first.
    package func bind(_ values: [StoredValue]) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
    }

    /// Gives a parameter its value; the first has number 1.
    package func bind(_ value: StoredValue, at index: Int) throws(SQLiteError) {
        let index = Int32(index)
        let code =
            switch value {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let value): sqlite3_bind_int64(handle, index, value)
            case .real(let value): sqlite3_bind_double(handle, index, value)
            case .text(var text):
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) { characters in
                        sqlite3_bind_text64(
                            handle, index, characters.baseAddress ?? Self.empty,
                            UInt64(bytes.count), cambium_sqlite_transient(), UInt8(SQLITE_UTF8))
                    }
                }
            case .blob(let data):
                data.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0)
                    : data.withUnsafeBytes { bytes in
                        sqlite3_bind_blob64(
                            handle, index, bytes.baseAddress, UInt64(bytes.count),
                            cambium_sqlite_transient())
                    }
            }
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
    }

    /// Gives a parameter a whole number; the first has number 1.
    @inline(__always)
    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        guard sqlite3_bind_int64(handle, Int32(index), value) == SQLITE_OK else {
            throw connection.error(SQLITE_ERROR, sql: sql)
        }
    }

    /// How many columns a row has.
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The value of a column of the current row; the first has number 0.
    package func value(at column: Int) -> StoredValue {
        let column = Int32(column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT: return .text(text(at: Int(column)))
        case SQLITE_BLOB: return .blob(Data(bytes(at: Int(column))))
        default: return .null
        }
    }

    /// All values of the current row.
    package func values() -> [StoredValue] {
        (0..<columnCount).map(value)
    }

    /// Whether a column of the current row is NULL.
    package func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// The whole number in a column of the current row; 0 for NULL.
    package func integer(at column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// The text in a column of the current row; empty for NULL.
    package func text(at column: Int) -> String {
        guard let start = sqlite3_column_text(handle, Int32(column)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private func bytes(at column: Int) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, Int32(column))
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    // Safety: one constant byte that is only ever read; SQLite needs an address for empty text.
    nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()
}

/// The compiled statements of a connection, by their texts: those that were used last, as a program
/// that builds conditions makes ever new texts.
struct StatementCache {
    /// A statement takes some kilobytes; what a program repeats are some dozens.
    static let maximum = 200

    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private var entries: [String: Entry] = [:]
    private var clock = 0
    var count: Int { entries.count }

    /// The statement of a text.
    subscript(sql: String) -> Statement? {
        mutating get {
            clock += 1
            guard let index = entries.index(forKey: sql) else { return nil }
            entries.values[index].lastUse = clock
            return entries.values[index].statement
        }
    }

    /// Keeps a statement; where there are too many, lets go of a quarter of them, which were used
    /// longest ago. One that is running lives until its caller is done.
    mutating func insert(_ statement: Statement, for sql: String) {
        if entries.count >= Self.maximum {
            let uses = entries.values.map(\.lastUse).sorted()
            let oldest = uses[uses.count / 4]
            entries = entries.filter { $0.value.lastUse > oldest }
        }
        entries[sql] = Entry(statement: statement, lastUse: clock)
    }

    mutating func removeAll() { entries.removeAll() }
}
