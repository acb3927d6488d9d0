import CSQLite
import CambiumModel

/// The function `sink(a, b, …)`, an aggregate that hands each row on while SQLite makes it.
///
/// `SELECT sink(a, b) FROM t` has one row, without meaning. It spares SQLite the way out to
/// `sqlite3_step` and back for each row, and us a call for each value: a scan is a third faster.
final class RowSink {
    /// How many arguments a function may have in every build of SQLite.
    static let maximumColumns = 100

    // Safety: set while a statement runs that calls the function, which is inside the call that was
    // given the closure.
    private var receive: ((CurrentRow) throws -> Void)?
    private var failure: (any Error)?
    /// How many rows the last statement handed on.
    private(set) var count = 0

    func register(on connection: Connection) throws(SQLiteError) {
        // Safety: the sink belongs to the connection, which outlives its functions.
        let sink = Unmanaged.passUnretained(self).toOpaque()
        let code = sqlite3_create_function_v2(
            connection.handle, "sink", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, sink, nil,
            { context, _, values in
                guard let sink = sqlite3_user_data(context) else { return }
                Unmanaged<RowSink>.fromOpaque(sink)._withUnsafeGuaranteedRef {
                    $0.take(values, context)
                }
            }, { sqlite3_result_null($0) }, nil)
        guard code == SQLITE_OK else { throw connection.error(code, sql: nil) }
    }

    private func take(
        _ values: UnsafeMutablePointer<OpaquePointer?>?, _ context: OpaquePointer?
    ) {
        count &+= 1
        do {
            try receive?(CurrentRow(values: values))
        } catch {
            failure = error
            sqlite3_result_error(context, "stopped", -1)
        }
    }

    func run(_ statement: Statement, _ receive: (CurrentRow) throws -> Void) throws {
        try withoutActuallyEscaping(receive) { receive in
            self.receive = receive
            count = 0
            defer {
                self.receive = nil
                failure = nil
                statement.reset()
            }
            do {
                while try statement.step() {}
            } catch {
                throw failure ?? error
            }
        }
    }
}

extension Connection {
    /// How many columns ``scan(_:_:_:)`` can hand on.
    package static var maximumScanColumns: Int { RowSink.maximumColumns }

    /// Runs a query of the form `SELECT sink(…) FROM …` and hands each row to the receiver, as
    /// SQLite finds them. The receiver must not use the connection.
    ///
    /// - Throws: What the receiver throws, which ends the query; ``SQLiteError``.
    package func scan(
        _ sql: String, _ parameters: [StoredValue], _ receive: (CurrentRow) throws -> Void
    ) throws {
        let statement = try statement(sql)
        try statement.bind(parameters)
        try sink.run(statement, receive)
    }
}
