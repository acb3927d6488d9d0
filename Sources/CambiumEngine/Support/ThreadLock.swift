import Synchronization

/// A lock that knows which thread holds it. A thread that would wait for itself gets an error: what
/// a lock protects may call the program (its merge policies, handlers and classes), and that may
/// come back.
package final class ThreadLock: Sendable {
    private let mutex = Mutex<Void>(())
    private let owner = Atomic<UInt>(0)

    package init() {}

    /// Whether the thread that asks holds the lock.
    package var isHeldByCaller: Bool { owner.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Runs a body while no other thread holds the lock.
    ///
    /// - Throws: What the body throws; ``StoreError/busy`` where the thread holds the lock already.
    package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = ThreadIdentity.current
        guard owner.load(ordering: .relaxed) != thread else { throw StoreError.busy }
        return try mutex.withLock { _ in
            owner.store(thread, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return Handover(value: try body())
        }.value
    }

    /// The result goes straight to the caller, in the caller's isolation.
    private struct Handover<Value>: @unchecked Sendable {
        // Safety: made and opened by the same call, on the same thread.
        package let value: Value
    }
}
