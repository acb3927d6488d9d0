#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import Synchronization

/// Tells threads apart, as long as they live.
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

/// The threads that are at work somewhere: whoever is called by one of them can ask for itself.
package final class WorkingThreads: Sendable {
    /// A thread is here as often as it works.
    private let threads = Mutex<[UInt]>([])

    package init() {}

    /// Whether the thread that asks is one of them.
    package var includeCaller: Bool { threads.withLock { $0.contains(ThreadIdentity.current) } }

    /// Runs a body, and notes that the thread is at work meanwhile.
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
