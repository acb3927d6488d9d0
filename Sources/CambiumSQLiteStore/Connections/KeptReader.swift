import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// A connection whose transaction for reading stays open for a short time while many small reads
/// follow each other.
///
/// Each fetch is a transaction of its own, so that it sees the latest commit. To begin one takes
/// SQLite as long as to find a row: it locks and unlocks a byte of the file, which it leaves out
/// where a connection of the process has the lock, and it looks for the end of the log. So this one
/// has the lock for all of them, and the rows of faults, which may be of any age, are read in its
/// transaction. Not for long: a log with an open read transaction cannot shrink.
final class KeptReader: Sendable {
    private static let duration = Duration.milliseconds(50)
    /// Keeping the lock costs as much as a few of them, and its connection as a hundred.
    private static let readsBeforeKeeping = 64

    private struct State {
        /// Nil while none is kept.
        var connection: LockedConnection?
        var isClosed = false
        /// The last commit of the process that its transaction is sure to see.
        var commit: Int64?
        /// Whether rows were read one by one.
        var hasLargeCache = false

    }

    private let idle: IdleReaders
    /// What makes the cache of a connection as large as that of the others; nil where the program
    /// has set it.
    private let usualCache: String?
    private let state = Mutex(State())
    private let reads = Atomic(0)

    /// - Parameter idle: Where the connection comes from, with what it has read already, and goes
    ///   back to.
    init(_ idle: IdleReaders, usualCache: String?) {
        self.idle = idle
        self.usualCache = usualCache
    }

    /// Notes that there is going to be a read, and begins to keep where there were many.
    ///
    /// - Parameters:
    ///   - isOfRow: Whether it is one that ``read(at:_:)`` could do: then a connection that has read
    ///     before is the best to keep. Otherwise it is better left to the others.
    ///   - open: Makes the connection.
    /// - Returns: Whether one is kept now that was not before.
    func noteRead(isOfRow: Bool, _ open: () throws -> LockedConnection) -> Bool {
        let reads = reads.wrappingAdd(1, ordering: .relaxed).newValue
        guard reads % Self.readsBeforeKeeping == 0 else { return false }
        return keep(isOfRow: isOfRow, open)
    }

    /// Reads in the transaction that is open, where one is and no other reader uses it.
    ///
    /// - Parameters:
    ///   - commit: A commit of the process that must be seen.
    ///   - body: Must not read here again.
    /// - Returns: Whether the body was called.
    @inline(__always)
    func read(at commit: Int64, _ body: (Connection) throws -> Void) throws -> Bool {
        try state.withLockIfAvailable { state in
            // Safety: the state keeps it, and no other code uses the state meanwhile.
            guard let connection = state.connection.map({ uncounted($0) }) else { return false }
            try connection.use { connection in
                try connection.withoutLock { connection in
                    if state.commit != commit {
                        try begin(connection, &state)
                        state.commit = commit
                    }
                    try body(connection)
                }
            }
            return true
        } ?? false
    }

    private func keep(isOfRow: Bool, _ open: () throws -> LockedConnection) -> Bool {
        let isKeeping = state.withLock { state in
            // Where it fails, the reads take longer, and one of them will say why.
            guard state.connection == nil, !state.isClosed,
                let connection = idle.takeLeastUsed(leaving: isOfRow ? 0 : 1)
                    ?? (try? open()),
                (try? connection.withLock { try $0.beginReading() }) != nil
            else { return false }
            state.connection = connection
            state.commit = nil
            return true
        }
        guard isKeeping else { return false }
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: Self.duration)
            self?.release()
        }
        return true
    }

    /// Starts again, to see the latest commit.
    private func begin(_ connection: Connection, _ state: inout State) throws {
        state.commit = nil
        connection.rollBack()
        if usualCache != nil, !state.hasLargeCache {
            try connection.execute(PragmaSQL.largeReaderCache)
            state.hasLargeCache = true
        }
        try connection.beginReading()
    }

    /// Ends the transaction, and lets the lock go: after a commit it is not the one that readers
    /// need.
    func release() {
        state.withLock { letGo(&$0) }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            letGo(&state)
        }
    }

    private func letGo(_ state: inout State) {
        guard let connection = state.connection else { return }
        state.connection = nil
        let hadLargeCache = state.hasLargeCache
        state.hasLargeCache = false
        try? connection.withLock { connection in
            connection.rollBack()
            if let usualCache, hadLargeCache { try connection.execute(usualCache) }
        }
        idle.giveBack(connection, isLeastUsed: true)
    }
}
