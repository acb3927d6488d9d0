import CambiumEngine
import Dispatch
import Synchronization

/// An open read transaction, so that its snapshot stays the same. Meanwhile the server keeps all
/// row versions of the complete database that the transaction may still read. Therefore it has a
/// time limit.
final class PostgresPin: Sendable {
    private let pool: PostgresPool
    private let lock = ThreadLock()
    private let state: Mutex<State>
    private let end: ContinuousClock.Instant
    private let lifetime: Duration

    private struct State {
        /// The connection of the transaction; nil when it has ended.
        var loan: PostgresPool.Loan?
        /// The reason why it must end.
        var ending: Ending?
    }

    private enum Ending { case expired, closed }

    private static let queue = DispatchQueue(
        label: "cambium.generations", qos: .utility, attributes: .concurrent)
    /// The additional time after which the server ends the transaction if the program cannot: it
    /// may be stopped, or disconnected.
    private static let grace = Duration.seconds(5)

    init(_ pool: PostgresPool, lifetime: Duration) throws {
        self.pool = pool
        self.lifetime = lifetime
        // The first query takes the transaction's snapshot.
        let loan = try pool.lend(after: [
            PostgresConnection.begin(isReadOnly: true),
            PostgresStatement(
                """
                SET LOCAL idle_in_transaction_session_timeout = \
                \((lifetime + Self.grace).milliseconds)
                """),
            PostgresStatement("SELECT 1"),
        ])
        state = Mutex(State(loan: loan))
        end = .now + lifetime
        // A transaction that is no longer read must end too.
        let wait = DispatchTimeInterval.milliseconds(lifetime.milliseconds + 1)
        Self.queue.asyncAfter(deadline: .now() + wait) { [weak self] in
            self?.expire()
        }
    }

    /// Whether the calling thread is reading.
    var isUsedByCaller: Bool { lock.isHeldByCaller }

    /// Reads in the transaction.
    func reading<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        if ContinuousClock.now > end { expire() }
        return try lock.withLock {
            defer { finish() }
            let state = state.withLock { $0 }
            switch (state.ending, state.loan) {
            case (nil, let loan?): return try read(loan, body)
            case (.expired, _): throw expiry("it was held for longer than \(lifetime)")
            case (.closed, _), (nil, nil): throw StoreError.closed
            }
        }
    }

    private func read<Result>(
        _ loan: PostgresPool.Loan, _ body: (PostgresConnection) throws -> Result
    ) throws -> Result {
        do {
            return try body(loan.connection)
        } catch let error as PostgresError where error.isDisconnection {
            throw expiry("the server has ended its connection (\(error.message))")
        }
    }

    private func expiry(_ reason: String) -> QueryGenerationExpired {
        QueryGenerationExpired(reason: reason)
    }

    private func expire() { end(as: .expired) }

    func close() { end(as: .closed) }

    /// Ends the transaction as soon as it has no reader.
    private func end(as ending: Ending) {
        state.withLock { $0.ending = $0.ending ?? ending }
        // A thread that is reading would wait for itself.
        if !isUsedByCaller { try? lock.withLock { finish() } }
    }

    /// Returns the connection if the transaction is to end. There is no other reader then.
    private func finish() {
        let loan = state.withLock { state -> PostgresPool.Loan? in
            guard state.ending != nil else { return nil }
            defer { state.loan = nil }
            return state.loan
        }
        guard let loan else { return }
        _ = try? loan.connection.run("ROLLBACK")
        pool.giveBack(loan)
    }
}
