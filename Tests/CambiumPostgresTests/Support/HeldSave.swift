import CambiumPostgres
import Foundation
import Synchronization

/// Holds a save behind a statement, once it is closed.
final class Gate: Sendable {
    private let isOpen = Mutex(true)
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)
    private let isLast: @Sendable (_ sql: String) -> Bool

    /// - Parameter isLast: Whether a statement is the one behind which the save is held.
    init(behind isLast: @escaping @Sendable (_ sql: String) -> Bool) {
        self.isLast = isLast
    }

    /// Holds a save that has written everything, and is not committed.
    static var beforeCommit: Gate { Gate { $0.hasPrefix("SET CONSTRAINTS") } }

    var hook: StatementHook {
        StatementHook { [self] statement in
            guard isLast(statement.sql) else { return }
            let holds = isOpen.withLock { isOpen in
                defer { isOpen = true }
                return !isOpen
            }
            guard holds else { return }
            held.signal()
            _ = released.wait(timeout: .now() + 60)
        }
    }

    /// The next save is held.
    func close() { isOpen.withLock { $0 = false } }
    /// Waits until it is.
    func wait() -> Bool { held.wait(timeout: .now() + 60) == .success }
    func open() { released.signal() }
}

/// Work on a thread of its own.
final class SideWork: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Void) {
        let thread = Thread { [self] in
            do { try body() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }

    func isDone(within seconds: Double) -> Bool {
        guard done.wait(timeout: .now() + seconds) == .success else { return false }
        done.signal()
        return true
    }

    /// Waits for the end, and throws what the work threw.
    func join() throws {
        done.wait()
        done.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
