import Dispatch
import Synchronization

/// Runs the jobs of an actor one after the other on a coordinator's threads: those of the highest
/// priority first, and those of equal priority in their order.
///
/// After each job other actors have their turn.
final class StoreExecutor: SerialExecutor {
    private struct State {
        var jobs = PriorityQueue<UnownedJob>()
        /// Whether a job runs, or the threads know that there is one.
        var isStarted = false
    }

    private let state = Mutex(State())
    private let threads: StoreThreads
    // A serial queue: unlike concurrent ones, it is not limited to a thread for each processor.
    private let queue = DispatchQueue(label: "cambium.background")

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

    /// Runs one job on a thread; called by the threads, when there is one free.
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
    /// What a task's priority is called by Dispatch.
    fileprivate init(_ priority: TaskPriority) {
        switch priority {
        case .high...: self = .userInitiated
        case .medium...: self = .default
        case .utility...: self = .utility
        default: self = .background
        }
    }
}
