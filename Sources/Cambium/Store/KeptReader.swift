import CambiumSQLite
import Synchronization

/// A connection whose transaction for reading stays open for a short time while many small reads
/// follow each other.
///
/// Each fetch is a transaction of its own, so that it sees the latest commit. To begin one takes
/// SQLite as long as to find a row: it locks and unlocks a byte of the file, which it leaves out
/// where a connection of the process has the lock, and it looks for the end of the log. So this one
/// has the lock for all of them, and the rows of faults, which may be of any age, are read in its
/// transaction. Not for long: a log that somebody reads from cannot shrink.
final class KeptReader: Sendable {
    private static let duration = Duration.milliseconds(50)
    /// Keeping the lock costs as much as a few of them, and its connection as a hundred.
    private static let readsBeforeKeeping = 64

    private struct State {
        var connection: Connection?
        var isKeeping = false
        var isClosed = false
        /// The last commit of the process that its transaction is sure to see.
        var commit: Int64?
    }

    private let path: String
    private let state = Mutex(State())
    private let reads = Atomic(0)

    init(path: String) {
        self.path = path
    }

    /// Notes that there is going to be a read, and begins to keep where there were many.
    ///
    /// - Parameter open: Makes the connection.
    func noteRead(_ open: () throws -> sending Connection) {
        let reads = reads.wrappingAdd(1, ordering: .relaxed).newValue
        if reads % Self.readsBeforeKeeping == 0 { keep(open) }
    }

    /// Reads in the transaction that is open, where one is and nobody else is reading in it.
    ///
    /// - Parameters:
    ///   - commit: A commit of the process that must be seen.
    ///   - body: Must not read here again.
    /// - Returns: Whether the body was called.
    @inline(__always)
    func read(at commit: Int64, _ body: (Connection) throws -> Void) throws -> Bool {
        try state.withLockIfAvailable { state in
            guard state.isKeeping, let connection = state.connection else { return false }
            do {
                if state.commit != commit {
                    state.commit = nil
                    connection.rollBack()
                    try connection.beginReading()
                    state.commit = commit
                }
                try body(connection)
            } catch let error as SQLiteError {
                throw StoreError(using: connection, path: path, error) ?? error
            }
            return true
        } ?? false
    }

    private func keep(_ open: () throws -> sending Connection) {
        let isKeeping = state.withLock { state in
            guard !state.isKeeping, !state.isClosed else { return false }
            // Where it fails, the reads take longer, and one of them will say why.
            if state.connection == nil { state.connection = try? open() }
            guard (try? state.connection?.beginReading()) != nil else { return false }
            state.isKeeping = true
            state.commit = nil
            return true
        }
        guard isKeeping else { return }
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: Self.duration)
            self?.release()
        }
    }

    /// Ends the transaction, and lets the lock go: after a commit it is not the one that readers
    /// need.
    func release() {
        state.withLock { state in
            guard state.isKeeping else { return }
            state.isKeeping = false
            state.connection?.rollBack()
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.isKeeping = false
            state.connection = nil
        }
    }
}
