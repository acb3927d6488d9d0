import CSQLite
import CambiumModel
import CambiumRecords

/// A compiled SQL statement.
package final class Statement {
    let handle: OpaquePointer
    private let sql: String
    // Safety: the code that runs a statement retains the connection that created it.
    private unowned(unsafe) let connection: Connection

    init(_ sql: String, on connection: Connection) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        try connection.check(code, sql: sql)
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

    /// Steps to the next row.
    ///
    /// - Returns: Whether there is one.
    package func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw connection.error(code, sql: sql)
        }
    }

    /// Runs a statement that returns no rows, and resets it.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Resets the statement. Values stay bound.
    package func reset() {
        sqlite3_reset(handle)
        uncounted(connection).use { connection in
            if let trace = connection.trace { trace.deliver(on: connection) }
        }
    }

    /// Binds values to the parameters, in order.
    package func bind(_ values: [StoredValue]) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
    }

    /// Binds a value to a parameter; the first has index 1.
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
        try connection.check(code, sql: sql)
    }

    /// Binds an integer to a parameter; the first has index 1.
    @inline(__always)
    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        guard sqlite3_bind_int64(handle, Int32(index), value) == SQLITE_OK else {
            throw connection.error(SQLITE_ERROR, sql: sql)
        }
    }

    /// The number of columns.
    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// Returns the value of a column of the current row; the first has index 0.
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

    /// Returns all values of the current row.
    package func values() -> [StoredValue] {
        (0..<columnCount).map(value)
    }

    /// The current row.
    package var row: CurrentRow { CurrentRow(statement: handle) }

    /// Returns whether a column of the current row is NULL.
    package func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// Returns the integer in a column of the current row; 0 for NULL.
    package func integer(at column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// Returns the text in a column of the current row; empty for NULL.
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

    // Safety: one constant byte that is only read; SQLite needs an address for empty text.
    nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
        let pointer = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        pointer.initialize(to: 0)
        return UnsafePointer(pointer)
    }()
}

/// The use of the statement cache.
package struct StatementUse: Sendable, Hashable {
    /// The number of cached statements that were used again.
    package var hits = 0
    /// The number of statements that had to be compiled.
    package var misses = 0
    /// The number of statements in the cache.
    package var count = 0
}

/// The compiled statements of a connection, by their texts. It keeps only the ones that were used
/// last, because a program that builds conditions creates new texts all the time.
struct StatementCache {
    /// A statement takes some kilobytes, and a program repeats some dozens of them.
    static let maximum = 200

    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private var entries: [String: Entry] = [:]
    private var clock = 0
    private(set) var use = StatementUse()

    /// The statement of a text.
    subscript(sql: String) -> Statement? {
        mutating get {
            clock += 1
            guard let index = entries.index(forKey: sql) else {
                use.misses += 1
                return nil
            }
            use.hits += 1
            entries.values[index].lastUse = clock
            return entries.values[index].statement
        }
    }

    /// Adds a statement. If there are too many, removes the quarter of them that was used longest
    /// ago. A running statement is released when its user has finished.
    mutating func insert(_ statement: Statement, for sql: String) {
        if entries.count >= Self.maximum {
            let uses = entries.values.map(\.lastUse).sorted()
            let oldest = uses[uses.count / 4]
            entries = entries.filter { $0.value.lastUse > oldest }
        }
        entries[sql] = Entry(statement: statement, lastUse: clock)
        use.count = entries.count
    }

    mutating func removeAll() {
        entries.removeAll()
        use.count = 0
    }
}

/// A record of a statement that has run.
package struct StatementRecord {
    /// The text, with `?` for the values.
    package let sql: String
    /// The text with the values in it, if the observer includes values.
    package let expandedSQL: String?
    /// The time from the first step to the end of the statement.
    package let duration: Duration
    /// The number of rows that it returned, or changed.
    package let rowCount: Int
    /// The connection, idle; valid during the call that receives the record.
    package let connection: Connection
}

/// An observer of statements.
package struct StatementObserver: Sendable {
    /// Whether records include values.
    package let includesValues: Bool
    /// Called after each statement, while no other thread can use the connection.
    package let receive: @Sendable (StatementRecord) -> Void

    package init(includesValues: Bool, receive: @escaping @Sendable (StatementRecord) -> Void) {
        self.includesValues = includesValues
        self.receive = receive
    }
}

/// Collects SQLite's reports about running statements, and delivers them when the connection is
/// idle again, so that the observer can read a query plan.
///
/// SQLite calls it only if it was registered: a connection without an observer has no cost.
final class StatementTrace {
    private struct Running {
        let statement: OpaquePointer
        let start: ContinuousClock.Instant
        var rows = 0
    }

    private struct Finished {
        let sql: String
        let expandedSQL: String?
        let duration: Duration
        let rowCount: Int
    }

    private let observer: StatementObserver
    private unowned let connection: Connection
    /// There are several if the receiver of rows runs other statements.
    private var running: [Running] = []
    private var finished: [Finished] = []
    private var isDelivering = false

    init(_ observer: StatementObserver, on connection: Connection) {
        self.observer = observer
        self.connection = connection
    }

    func began(_ statement: OpaquePointer) {
        guard !isDelivering else { return }
        running.append(Running(statement: statement, start: .now))
    }

    func returnedRow(_ statement: OpaquePointer) {
        guard let index = running.lastIndex(where: { $0.statement == statement }) else { return }
        running[index].rows += 1
    }

    func ended(_ statement: OpaquePointer) {
        guard let index = running.lastIndex(where: { $0.statement == statement }) else { return }
        let run = running.remove(at: index)
        guard let text = sqlite3_sql(statement) else { return }
        let sql = String(cString: text)
        var expanded: String?
        if observer.includesValues, let text = sqlite3_expanded_sql(statement) {
            expanded = String(cString: text)
            sqlite3_free(text)
        }
        let isReading = sqlite3_stmt_readonly(statement) != 0
        finished.append(
            Finished(
                sql: sql, expandedSQL: expanded, duration: .now - run.start,
                rowCount: rowCount(run, isReading)))
    }

    private func rowCount(_ run: Running, _ isReading: Bool) -> Int {
        if connection.sink.isRunning { return connection.sink.count }
        return isReading || run.rows > 0 ? run.rows : connection.changes
    }

    /// Delivers the records of finished statements. Statements that the observer runs are not
    /// reported.
    func deliver(on connection: Connection) {
        guard !finished.isEmpty, !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !finished.isEmpty {
            let next = finished.removeFirst()
            observer.receive(
                StatementRecord(
                    sql: next.sql, expandedSQL: next.expandedSQL, duration: next.duration,
                    rowCount: next.rowCount, connection: connection))
        }
    }
}

extension Connection {
    func watchStatements(_ observer: StatementObserver) {
        let trace = StatementTrace(observer, on: self)
        self.trace = trace
        // Safety: the connection retains the trace, and stops SQLite's calls before it releases the
        // trace.
        let context = Unmanaged.passUnretained(trace).toOpaque()
        let events = UInt32(SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW)
        sqlite3_trace_v2(
            handle, events,
            { event, context, statement, detail in
                guard let context, let statement = statement.map({ OpaquePointer($0) }) else {
                    return 0
                }
                Unmanaged<StatementTrace>.fromOpaque(context)._withUnsafeGuaranteedRef { trace in
                    switch Int32(event) {
                    case SQLITE_TRACE_STMT:
                        // SQLite reports a trigger's statement as a comment. It belongs to the
                        // statement that fired it.
                        let text = detail?.assumingMemoryBound(to: CChar.self)
                        if let text, text[0] == 0x2d, text[1] == 0x2d { return }
                        trace.began(statement)
                    case SQLITE_TRACE_ROW: trace.returnedRow(statement)
                    case SQLITE_TRACE_PROFILE: trace.ended(statement)
                    default: break
                    }
                }
                return 0
            }, context)
    }

    func stopWatching() {
        guard trace != nil else { return }
        sqlite3_trace_v2(handle, 0, nil, nil)
    }

    /// Returns SQLite's plan for a statement: a line for each step, indented by its depth.
    package func plan(of sql: String) throws(SQLiteError) -> [String] {
        let statement = try Statement("EXPLAIN QUERY PLAN \(sql)", on: self)
        defer { statement.reset() }
        var depths: [Int64: Int] = [:]
        var lines: [String] = []
        while try statement.step() {
            let depth = depths[statement.integer(at: 1)].map { $0 + 1 } ?? 0
            depths[statement.integer(at: 0)] = depth
            lines.append(String(repeating: "  ", count: depth) + statement.text(at: 3))
        }
        return lines
    }
}
