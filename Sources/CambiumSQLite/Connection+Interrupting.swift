import CSQLite
import Synchronization

/// A wish that a statement end early, which any thread may have.
package final class Interruption: Sendable {
    private let isWished = Atomic(false)

    package init() {}

    /// Whether somebody has asked for the end.
    package var isRequested: Bool { isWished.load(ordering: .relaxed) }

    /// Asks for the end.
    package func request() {
        isWished.store(true, ordering: .relaxed)
    }
}

extension Connection {
    /// Runs a body whose statements end with an error of SQLite's (`SQLITE_INTERRUPT`) soon after
    /// the end was asked for, also while SQLite is still sorting and no row has come.
    package func interruptible<Result>(
        by interruption: Interruption, _ body: () throws -> Result
    ) rethrows -> Result {
        // Safety: the interruption outlives the body, after which SQLite forgets it.
        let context = Unmanaged.passUnretained(interruption).toOpaque()
        sqlite3_progress_handler(
            handle, 2_000,
            { context in
                guard let context else { return 0 }
                let interruption = Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue()
                return interruption.isRequested ? 1 : 0
            }, context)
        defer { sqlite3_progress_handler(handle, 0, nil, nil) }
        return try withExtendedLifetime(interruption) { try body() }
    }
}
