import CambiumSQLite
import Synchronization

/// Keeps SQLite's lock for reading while many small reads follow each other.
///
/// Each fetch is a transaction of its own, so that it sees the latest commit. For each of them
/// SQLite locks and unlocks a byte of the file, which takes longer than to find a row; but it asks
/// the operating system only where no connection of the process has the lock. So this one has it,
/// for a short time: a log that somebody reads from cannot shrink.
final class ReadLockKeeper: Sendable {
    private static let duration = Duration.milliseconds(50)
    /// Keeping the lock costs as much as a few of them, and its connection as a hundred.
    private static let readsBeforeKeeping = 64

    private struct State {
        var connection: LockedConnection?
        var isKeeping = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let reads = Atomic(0)

    /// Notes that there is going to be a read, and keeps the lock where there were many.
    ///
    /// - Parameter open: Makes the connection that keeps it.
    func noteRead(_ open: () throws -> LockedConnection) {
        let reads = reads.wrappingAdd(1, ordering: .relaxed).newValue
        if reads % Self.readsBeforeKeeping == 0 { keep(open) }
    }

    private func keep(_ open: () throws -> LockedConnection) {
        let isKeeping = state.withLock { state in
            // Where it fails, the reads take longer, and one of them will say why.
            guard !state.isKeeping, !state.isClosed,
                let connection = state.connection ?? (try? open()),
                (try? connection.withLock { try $0.beginReading() }) != nil
            else { return false }
            state.connection = connection
            state.isKeeping = true
            return true
        }
        guard isKeeping else { return }
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: Self.duration)
            self?.release()
        }
    }

    /// Lets the lock go: after a commit it is not the one that readers need.
    func release() {
        state.withLock { state in
            guard state.isKeeping else { return }
            state.isKeeping = false
            try? state.connection?.withLock { $0.rollBack() }
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.isKeeping = false
            state.connection?.close()
        }
    }
}
