import CSQLite

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
