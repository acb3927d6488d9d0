import CambiumSQLite
import Synchronization

/// A connection that several isolations use in turn.
final class LockedConnection: @unchecked Sendable {
    // Safety: the connection is touched inside `withLock`, or inside `withoutLock` by who has it for
    // itself: it came out of one lock (that of the idle ones), is used under another (that of the
    // kept one) and goes back through the first. So one thread at a time touches it, and sees what
    // the one before has done; SQLite asks for no more than that.
    @exclusivity(unchecked) private var connection: Connection?
    /// The path of the store's file; nil where there is none.
    private let path: String?
    private let mutex = Mutex<Void>(())
    /// The thread that uses the connection.
    private let owner = Atomic<UInt>(0)

    init(_ connection: sending Connection, path: String?) {
        self.connection = connection
        self.path = path
    }

    /// - Throws: What the body throws; ``StoreError`` where the connection was closed, where the
    ///   store was destroyed meanwhile, or where the thread uses the connection already: it would
    ///   wait for itself.
    func withLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let thread = ThreadIdentity.current
        guard owner.load(ordering: .relaxed) != thread else { throw StoreError.busy }
        return try mutex.withLock { _ in
            owner.store(thread, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            guard let connection else { throw StoreError.closed }
            do {
                return Handover(value: try body(connection))
            } catch let error as SQLiteError {
                throw StoreError(using: connection, path: path, error) ?? error
            }
        }.value
    }

    /// Uses the connection without asking whether somebody else does.
    ///
    /// The caller has it for itself: it took the connection out of those that nobody is using, and
    /// sees to it that one thread at a time comes here.
    @inline(__always)
    func withoutLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // Safety: the caller has the connection for itself, so nobody closes it.
        guard let connection = connection.map({ uncounted($0) }) else { throw StoreError.closed }
        return try connection.use { connection in
            do {
                return try body(connection)
            } catch let error as SQLiteError {
                throw StoreError(using: connection, path: path, error) ?? error
            }
        }
    }

    /// Closes the connection, when nobody is using it any more.
    func close() {
        mutex.withLock { _ in connection = nil }
    }

    /// Rows go straight to the caller, in the caller's isolation.
    private struct Handover<Value>: @unchecked Sendable {
        // Safety: made and opened by the same call, on the same thread.
        let value: Value
    }
}
