import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import Synchronization

/// A transaction that a context reads and saves in. It has a connection of its own until it ends.
final class PostgresTransaction: StoreTransaction, PostgresHeldReading {
    private let engine: PostgresEngine
    private let loan: PostgresPool.Loan
    private let lock = ThreadLock()
    private let state = Mutex(State())

    private struct State {
        var isCommitted = false
        /// Whether the connection was given back.
        var hasEnded = false
        /// Whether there was a conflict with another transaction, or the connection was lost before
        /// the commit.
        var mustRetry = false
    }

    init(_ engine: PostgresEngine, _ loan: PostgresPool.Loan) {
        self.engine = engine
        self.loan = loan
    }

    var layout: PostgresLayout { engine.layout }

    var mustRetry: Bool { state.withLock { $0.mustRetry } }

    /// Runs statements, and notes conflicts with other transactions.
    func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try lock.withLock {
            guard state.withLock({ !$0.hasEnded }) else { throw StoreError.closed }
            return try engine.explaining {
                do {
                    return try loan.using(body)
                } catch {
                    note(error)
                    throw (error as? PostgresError)?.storeError ?? error
                }
            }
        }
    }

    private func note(_ error: any Error) {
        guard let error = error as? PostgresError, error.isOfOthers || error.isOfLostConnection
        else { return }
        state.withLock { $0.mustRetry = !$0.isCommitted }
    }

    // MARK: Saving

    /// In a transaction of its own, so that others need not wait for this one. Its connection may
    /// exceed the size of the pool: if all connections had open transactions, they would otherwise
    /// wait for each other.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        try loan.using { _ in try engine.reserveKeys(root: root, count: count) }
    }

    func save(
        _ request: SaveRequest, arbiter: any ConflictArbiter, willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        try engine.pool.whileWriting {
            try withReader { connection in
                let outcome = try withExtendedLifetime(request) {
                    try write(request, connection, arbiter, willCommit)
                }
                state.withLock { $0.isCommitted = true }
                committed(outcome)
            }
        }
    }

    /// Writes everything as if there were no conflict. If a unique value or a key is in use,
    /// everything is checked before it is written again.
    private func write(
        _ request: SaveRequest, _ connection: PostgresConnection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void
    ) throws -> SaveOutcome {
        func write(plans: Bool, after statement: String) throws -> SaveOutcome {
            try engine.write(
                request, connection, arbiter, willCommit, plans: plans,
                .inTransaction([PostgresStatement(statement)]))
        }
        do {
            return try write(plans: false, after: "SAVEPOINT save")
        } catch  where PostgresEngine.mayBeResolved(error) {
            do {
                return try write(plans: true, after: "ROLLBACK TO SAVEPOINT save")
            } catch  where PostgresEngine.mayBeResolved(error) {
                // The conflicting row is newer than the transaction's snapshot.
                state.withLock { $0.mustRetry = true }
                throw layout.refusal(error)
            }
        } catch let error as PostgresError where !error.isOfOthers {
            throw layout.refusal(error)
        }
    }

    func commit() throws {
        try withReader { connection in
            let now = state.withLock { $0 }
            if now.isCommitted { return }
            // The server would take it back, and call that no error.
            if now.mustRetry {
                throw StoreError(
                    code: .busy, message: "Another transaction interfered with this one.",
                    remedy: "Run it again.")
            }
            _ = try connection.run("COMMIT")
            state.withLock { $0.isCommitted = true }
        }
    }

    /// Rolls back if the transaction was not committed.
    fileprivate func end() {
        let isCommitted = state.withLock { state in
            state.hasEnded = true
            return state.isCommitted
        }
        if !isCommitted { _ = try? loan.connection.run("ROLLBACK") }
        engine.pool.giveBack(loan)
    }
}

extension PostgresEngine {
    func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        guard !isReadOnly else { throw StoreError.readOnly }
        // The first query takes the transaction's snapshot.
        let beginning = [
            PostgresConnection.begin(isolation == .serializable ? .serializable : .repeatableRead),
            version.query,
        ]
        let loan = try explaining {
            try repeating { try pool.lend(after: beginning) { try version.require($0) } }
        }
        let transaction = PostgresTransaction(self, loan)
        defer { transaction.end() }
        return try body(transaction)
    }
}
