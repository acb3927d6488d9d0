import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Identifies threads, for as long as they exist.
package enum ThreadIdentity {
    /// The thread that calls; never 0.
    package static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #elseif canImport(Musl)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}

/// The threads that are working in some code: code that one of them calls can check this.
package final class WorkingThreads: Sendable {
    /// A thread is here as often as it works.
    private let threads = Mutex<[UInt]>([])

    package init() {}

    /// Whether the calling thread is one of them.
    package var includeCaller: Bool { threads.withLock { $0.contains(ThreadIdentity.current) } }

    /// Runs a body, and notes that the thread is working meanwhile.
    package func noting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let thread = ThreadIdentity.current
        threads.withLock { $0.append(thread) }
        defer {
            threads.withLock { threads in
                if let place = threads.lastIndex(of: thread) { threads.remove(at: place) }
            }
        }
        return try body()
    }
}

/// A lock that records the thread that holds it. If a thread would wait for itself, it gets an
/// error. This can happen because the protected code calls the program (merge policies, handlers
/// and classes), which may call the store again.
package final class ThreadLock: Sendable {
    private let mutex = Mutex<Void>(())
    private let owner = Atomic<UInt>(0)

    package init() {}

    /// Whether the calling thread holds the lock.
    package var isHeldByCaller: Bool { owner.load(ordering: .relaxed) == ThreadIdentity.current }

    /// Runs a body while no other thread holds the lock.
    ///
    /// - Throws: The error of the body; ``StoreError/busy`` if the thread holds the lock already.
    package func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = ThreadIdentity.current
        guard owner.load(ordering: .relaxed) != thread else { throw StoreError.busy }
        return try mutex.withLock { _ in
            owner.store(thread, ordering: .relaxed)
            defer { owner.store(0, ordering: .relaxed) }
            return Handover(value: try body())
        }.value
    }

    /// Returns the result directly to the caller, in the caller's isolation.
    private struct Handover<Value>: @unchecked Sendable {
        // Safety: created and read by the same call, on the same thread.
        package let value: Value
    }
}
