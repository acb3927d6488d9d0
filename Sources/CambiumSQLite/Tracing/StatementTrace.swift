import CSQLite

/// Gathers what SQLite says about statements while they run, and hands it on when the connection is
/// idle again, so that the observer may ask it for a plan.
///
/// SQLite calls it only where it was registered: a connection without observer runs as if there
/// were nothing of the kind.
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
    /// Several run at a time where the receiver of rows runs others.
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

    /// Reports what has run. Statements that the observer runs are not reported.
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
        // Safety: the connection holds the trace, and stops SQLite's calls before it lets it go.
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
                        // What a trigger runs comes as a comment, and belongs to its statement.
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

    /// How SQLite finds the rows of a statement: a line for each step, indented by its depth.
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

/// What the observer receives of a statement that has run.
package struct StatementRecord {
    /// The text, with `?` for the values.
    package let sql: String
    /// The text with the values in it, where they were asked for.
    package let expandedSQL: String?
    /// From the first step to the end.
    package let duration: Duration
    /// How many rows it returned, or changed.
    package let rowCount: Int
    /// The connection, idle; valid during the call that hands the record over.
    package let connection: Connection
}

/// Who is notified of statements, and with how much.
package struct StatementObserver: Sendable {
    /// Whether values are included.
    package let includesValues: Bool
    /// Called after each statement, while no other code can use the connection.
    package let receive: @Sendable (StatementRecord) -> Void

    package init(includesValues: Bool, receive: @escaping @Sendable (StatementRecord) -> Void) {
        self.includesValues = includesValues
        self.receive = receive
    }
}
