import CambiumEngine
import CambiumRecords
import CambiumSQLite

/// A connection that several isolations use in turn.
final class LockedConnection: @unchecked Sendable {
    // Safety: the connection is touched inside `withLock`, or inside `withoutLock` by who has it for
    // itself: it came out of one lock (that of the idle ones), is used under another (that of the
    // kept one) and goes back through the first. So one thread at a time touches it, and sees what
    // the one before has done; SQLite asks for no more than that.
    @exclusivity(unchecked) private var connection: Connection?
    /// What the store's file is used for; nil where there is none.
    private let use: StoreUse?
    private let lock = ThreadLock()
    // Safety: as the connection.
    /// Whether the connection is to be closed as soon as its user has done.
    @exclusivity(unchecked) private var closesAfterUse = false

    init(_ connection: sending Connection, for use: StoreUse?) {
        self.connection = connection
        self.use = use
    }

    /// - Throws: What the body throws; ``StoreError`` where the connection was closed, where the
    ///   store was destroyed meanwhile, or where the thread uses the connection already: it would
    ///   wait for itself.
    func withLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try lock.withLock {
            guard let connection else { throw StoreError.closed }
            defer { if closesAfterUse { self.connection = nil } }
            do {
                return try body(connection)
            } catch {
                throw meaning(of: error, connection)
            }
        }
    }

    /// Whether the thread that asks is using the connection.
    var isUsedByCaller: Bool { lock.isHeldByCaller }

    /// Uses the connection without checking for other users.
    ///
    /// The caller has it for itself: it took the connection out of the idle ones, and sees to it
    /// that one thread at a time comes here.
    @inline(__always)
    func withoutLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // Safety: the caller has the connection for itself, so it is not closed.
        guard let connection = connection.map({ uncounted($0) }) else { throw StoreError.closed }
        return try connection.use { connection in
            do {
                return try body(connection)
            } catch {
                throw meaning(of: error, connection)
            }
        }
    }

    /// What an error means to who uses the connection.
    private func meaning(of error: any Error, _ connection: Connection) -> any Error {
        // It is taken in any case: the next error has other reasons.
        let failure = connection.takeFunctionFailure()
        guard let error = error as? SQLiteError else { return error }
        return failure ?? StoreError(error, in: use, on: connection) ?? error
    }

    /// Closes the connection, when it is not used any more.
    func close() {
        // The lock is refused only to a thread that has it.
        do { try lock.withLock { connection = nil } } catch { closesAfterUse = true }
    }
}
