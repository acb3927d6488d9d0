import Dispatch
import Synchronization

/// The threads of a coordinator's background work.
///
/// Background work blocks: it waits for locks, disks and other processes. Swift has only as many
/// threads as there are processors, and a blocked thread delays tasks that need no store.
///
/// The threads are Dispatch threads. Dispatch starts them when they are needed, and ends idle ones.
/// It wakes a thread as fast as Swift does; threads that spin before they sleep were slower on a
/// busy machine, and took twice the processor time. This class adds the limit: if the maximum
/// number of threads is busy, work waits without a thread.
package final class StoreThreads: Sendable {
    private struct State {
        var busy = 0
        /// Executors with jobs that wait for a thread.
        private var waiting: Set<ObjectIdentifier> = []
        /// The waiting executors in their order. If the priority of one was raised, it has a stale
        /// entry as well.
        private var queue = PriorityQueue<StoreExecutor>()

        var waitingCount: Int { waiting.count }

        mutating func wait(_ executor: StoreExecutor, _ priority: TaskPriority) {
            waiting.insert(ObjectIdentifier(executor))
            queue.insert(executor, priority)
        }

        mutating func raise(_ executor: StoreExecutor, _ priority: TaskPriority) {
            if waiting.contains(ObjectIdentifier(executor)) { queue.insert(executor, priority) }
        }

        mutating func popFirst() -> (element: StoreExecutor, priority: TaskPriority)? {
            while let first = queue.popFirst() {
                if waiting.remove(ObjectIdentifier(first.element)) != nil { return first }
            }
            return nil
        }
    }

    /// More threads than most programs need at once. With more processors, the limit is their
    /// number.
    package static let defaultLimit = max(16, ProcessInfo.processInfo.activeProcessorCount)

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: The maximum number of busy threads.
    package init(limit: Int = StoreThreads.defaultLimit) {
        self.limit = limit
    }

    /// The number of busy threads.
    var busyCount: Int { state.withLock(\.busy) }
    /// The number of contexts that wait for a thread.
    var waitingCount: Int { state.withLock(\.waitingCount) }

    /// Runs a closure in the calling task, on one of the threads.
    ///
    /// - Parameters:
    ///   - isolation: The caller's isolation. With it, the task does not pass through one of
    ///     Swift's threads on its way.
    ///   - body: The closure.
    /// - Throws: The error that the closure throws.
    package func run<Result: Sendable, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await Worker(on: self).run(body)
    }

    /// Runs the next job of an executor as soon as there is a thread for it.
    func start(_ executor: StoreExecutor, _ priority: TaskPriority) {
        let canStart = state.withLock { state in
            guard state.busy < limit else {
                state.wait(executor, priority)
                return false
            }
            state.busy += 1
            return true
        }
        if canStart { executor.runNext(priority) }
    }

    /// Moves a waiting executor before executors of lower priority.
    func raise(_ executor: StoreExecutor, _ priority: TaskPriority) {
        state.withLock { $0.raise(executor, priority) }
    }

    /// Releases the thread of an executor that has run one job, and gives it to the next executor.
    ///
    /// - Parameter next: The priority of the executor's next job; nil if it has no more.
    func finish(_ executor: StoreExecutor, next: TaskPriority?) {
        let following = state.withLock { state in
            if let next { state.wait(executor, next) }
            let following = state.popFirst()
            if following == nil { state.busy -= 1 }
            return following
        }
        if let (executor, priority) = following {
            executor.runNext(priority)
        }
    }

    /// Runs one closure.
    private actor Worker {
        private nonisolated let executor: StoreExecutor

        init(on threads: StoreThreads) {
            executor = StoreExecutor(threads)
        }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func run<Result: Sendable, Failure: Error>(
            _ body: @Sendable () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try body()
        }
    }
}

/// A priority queue. Elements of equal priority are in the order of their insertion.
struct PriorityQueue<Element> {
    private struct Entry {
        let element: Element
        let priority: TaskPriority
        let number: UInt64

        func isBefore(_ other: Entry) -> Bool {
            priority == other.priority ? number < other.number : priority > other.priority
        }
    }

    /// A heap: no entry precedes its parent, at half its (one-based) position.
    private var entries: [Entry] = []
    private var nextNumber: UInt64 = 0

    var count: Int { entries.count }

    /// The highest priority; nil if there is no element.
    var firstPriority: TaskPriority? { entries.first?.priority }

    /// - Complexity: O(log *n*).
    mutating func insert(_ element: Element, _ priority: TaskPriority) {
        entries.append(Entry(element: element, priority: priority, number: nextNumber))
        nextNumber += 1
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the first element, or returns nil if there is none.
    ///
    /// - Complexity: O(log *n*).
    mutating func popFirst() -> (element: Element, priority: TaskPriority)? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return (last.element, last.priority) }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            if least == index { break }
            entries.swapAt(index, least)
            index = least
        }
        return (first.element, first.priority)
    }
}

/// Runs the jobs of an actor one after the other on a coordinator's threads. Jobs of higher
/// priority run first; jobs of equal priority run in their order.
///
/// After each job, waiting executors of other actors with the same priority run first.
final class StoreExecutor: SerialExecutor {
    private struct State {
        var jobs = PriorityQueue<UnownedJob>()
        /// Whether a job runs, or the threads were notified of one.
        var isStarted = false
    }

    private let state = Mutex(State())
    private let threads: StoreThreads
    // A serial queue: unlike concurrent ones, it is not limited to a thread for each processor.
    private let queue = DispatchQueue(label: "cambium.background")

    @inline(never)
    init(_ threads: StoreThreads) {
        self.threads = threads
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let priority = TaskPriority(job.priority) ?? .medium
        let job = UnownedJob(job)
        let (isFirst, isMoreUrgent) = state.withLock { state in
            let isMoreUrgent = state.jobs.firstPriority.map { $0 < priority } ?? false
            state.jobs.insert(job, priority)
            defer { state.isStarted = true }
            return (!state.isStarted, isMoreUrgent)
        }
        if isFirst {
            threads.start(self, priority)
        } else if isMoreUrgent {
            threads.raise(self, priority)
        }
    }

    /// Runs one job on a thread. The threads call it when one of them is free.
    func runNext(_ priority: TaskPriority) {
        queue.async(qos: DispatchQoS(priority)) { [self] in
            let job = state.withLock { $0.jobs.popFirst()?.element }
            job?.runSynchronously(on: asUnownedSerialExecutor())
            let next = state.withLock { state in
                let next = state.jobs.firstPriority
                state.isStarted = next != nil
                return next
            }
            threads.finish(self, next: next)
        }
    }
}

extension DispatchQoS {
    /// Creates the Dispatch quality of service for a task's priority.
    fileprivate init(_ priority: TaskPriority) {
        switch priority {
        case .high...: self = .userInitiated
        case .medium...: self = .default
        case .utility...: self = .utility
        default: self = .background
        }
    }
}
