import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import Dispatch
import Synchronization

// Makes saves atomic even if connections are lost.
//
// If a connection is lost before COMMIT was sent, nothing was saved: the work is repeated. If the
// answer to COMMIT is missing, another connection queries the id that the save has written.
extension PostgresEngine {
    /// Does work. Repeats it if the connection was lost before anything was committed.
    ///
    /// - Parameter canRunAgain: Whether the work can be repeated.
    /// - Throws: The error of the work; ``StoreError`` if connections were lost too often.
    func repeating<Result>(canRunAgain: Bool = true, _ work: () throws -> Result) throws -> Result {
        var attempts = Attempts(for: retryTimeout)
        var wasLost = false
        while true {
            do {
                return try work()
            } catch let error as PostgresError {
                // A server that restarts cannot be reached for a while.
                let isAway = wasLost && error.isOfConnecting
                guard canRunAgain, error.isOfLostConnection || isAway,
                    attempts.waits(upTo: Self.longestPause, counts: !isAway)
                else { throw error.storeError ?? error }
                wasLost = true
                pool.closeIdle()
            }
        }
    }

    /// Runs work that writes, with a connection. This store has no other writer meanwhile.
    func writing<Result>(
        canRunAgain: Bool = true, _ work: (PostgresConnection) throws -> Result
    ) throws -> Result {
        try explaining {
            try pool.whileWriting {
                try repeating(canRunAgain: canRunAgain) { try pool.lending(work) }
            }
        }
    }

    /// The longest pause between two attempts to connect, in microseconds.
    private static let longestPause = 1_000_000

    // MARK: Committing

    /// Runs a body in a transaction, which is rolled back if the body throws.
    ///
    /// - Parameters:
    ///   - ending: The statements sent with the commit, after the body.
    ///   - body: Sends the given statement, which notes the id of the transaction. It also receives
    ///     the rows of ``PostgresHistorySQL/beginning``.
    func transaction<Result>(
        _ connection: PostgresConnection, ending: () -> [PostgresStatement] = { [] },
        _ body: (_ noting: PostgresStatement, _ beginning: PostgresRows) throws -> Result
    ) throws -> Result {
        let id = try PostgresCommits.newID()
        do {
            let beginning = try connection.run([
                PostgresConnection.begin(.readCommitted), history.sql.beginning,
            ])[1]
            try version.require(beginning)
            let result = try body(layout.commits.insertion(of: id), beginning)
            _ = try commit(id, connection, ending: ending())
            return result
        } catch {
            // A connection that is lost has no transaction any more.
            _ = try? connection.run("ROLLBACK")
            throw error
        }
    }

    /// Sends the last statements of a transaction, and commits it.
    ///
    /// - Parameters:
    ///   - id: The id that the transaction has written.
    ///   - reading: The statements that read. They are sent again if their results were lost.
    /// - Returns: The results of the statements that read.
    /// - Throws: ``PostgresError`` if nothing was committed; ``StoreError`` with
    ///   `commitOutcomeUnknown` if that cannot be found out in time.
    func commit(
        _ id: UUID, _ connection: PostgresConnection, writing: [PostgresStatement] = [],
        reading: [PostgresStatement] = [], ending: [PostgresStatement] = []
    ) throws -> [PostgresRows] {
        do {
            let results = try connection.run(
                writing + reading + ending + [PostgresStatement("COMMIT")])
            removeOldCommits()
            return Array(results[writing.count..<writing.count + reading.count])
        } catch {
            guard error.isDisconnection || error.state.isEmpty else { throw error }
            let deadline = ContinuousClock.now + retryTimeout
            pool.closeIdle()
            guard try isCommitted(id, until: deadline, after: error) else { throw error }
            return try read(reading, of: id, until: deadline)
        }
    }

    /// Finds out whether a transaction was committed. If it was not, it never will be.
    private func isCommitted(
        _ id: UUID, until deadline: ContinuousClock.Instant, after error: PostgresError
    ) throws -> Bool {
        try trying(id, until: deadline, after: error) { rest in
            let wait = min(rest, Self.longestWait)
            switch try outcome(of: id, waitingAtMost: wait, isRecent: true) {
            case .committed: return true
            case .rolledBack: return false
            case .undecided, .forgotten: return nil
            }
        }
    }

    /// Reads the results that a committed transaction requires.
    private func read(
        _ statements: [PostgresStatement], of id: UUID, until deadline: ContinuousClock.Instant
    ) throws -> [PostgresRows] {
        if statements.isEmpty { return [] }
        return try trying(id, until: deadline, after: nil) { _ in
            try pool.lending { try $0.readTogether(statements) }
        }
    }

    /// The time that a query about a transaction waits for its end.
    private static let longestWait = Duration.seconds(1)

    /// Repeats a query until it is answered.
    ///
    /// - Parameter body: Receives the remaining time.
    private func trying<Result>(
        _ id: UUID, until deadline: ContinuousClock.Instant, after error: PostgresError?,
        _ body: (_ rest: Duration) throws -> Result?
    ) throws -> Result {
        var last: (any Error)? = error
        var pause = Duration.milliseconds(5)
        repeat {
            do {
                let rest = max(.milliseconds(1), deadline - .now)
                if let result = try body(rest) { return result }
            } catch let error as PostgresError {
                last = error
                let rest = max(.zero, min(pause, deadline - .now))
                _ = DispatchSemaphore(value: 0)
                    .wait(timeout: .now() + .milliseconds(rest.milliseconds))
                pause = min(pause * 2, .milliseconds(500))
            } catch {
                // The store was closed, or all connections are in use.
                throw unknownOutcome(of: id, error)
            }
        } while .now < deadline
        throw unknownOutcome(of: id, last ?? StoreError.closed)
    }

    private func unknownOutcome(of id: UUID, _ error: any Error) -> StoreError {
        .unknownOutcome(
            of: CommitID(uuid: id, storeIdentifier: identifier.uuid), after: retryTimeout,
            (error as? PostgresError)?.storeError ?? error)
    }

    // MARK: Asking

    func outcome(of commit: CommitID) throws -> CommitOutcome {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try repeating {
            try outcome(of: commit.uuid, waitingAtMost: options.busyTimeout, isRecent: false)
        }
    }

    /// Queries the outcome once, on one connection.
    private func outcome(
        of id: UUID, waitingAtMost limit: Duration, isRecent: Bool
    ) throws -> CommitOutcome {
        try pool.lending { connection in
            do {
                let rows = try connection.run(
                    [
                        PostgresConnection.begin(.readCommitted),
                        PostgresStatement("SET LOCAL lock_timeout = \(limit.milliseconds)"),
                    ] + layout.commits.questions(about: id, isRecent: isRecent)
                        + [PostgresStatement("COMMIT")])[3]
                guard rows.count == 1 else { return .forgotten }
                return rows.boolean(0, 0) ? .committed : .rolledBack
            } catch let error as PostgresError {
                _ = try? connection.run("ROLLBACK")
                guard error.failure == .lockTimeout || error.failure == .statementTimeout else {
                    throw error
                }
                return .undecided
            }
        }
    }

    // MARK: Removing

    /// The number of saves of a store after which some of the old ids are removed.
    private static let removedAfter = 1_000
    private static let queue = DispatchQueue(label: "cambium.commits", qos: .utility)

    /// Removes old ids at intervals. No save waits for the removal.
    private func removeOldCommits() {
        let isTime = commitCount.withLock { count in
            count += 1
            return count.isMultiple(of: Self.removedAfter)
        }
        guard isTime else { return }
        Self.queue.async { [weak self] in
            guard let self else { return }
            // An error is ignored: the removal is repeated later.
            _ = try? pool.withConnection { try $0.run([self.layout.commits.removal]) }
        }
    }
}
