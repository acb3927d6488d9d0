import Foundation

/// The clock that is read.
enum BenchmarkClock {
    static let processorTime = "--processor-time"

    /// On a shared machine, the processor time of the thread is more reliable than the elapsed
    /// time, if the thread does not wait for other threads or the disk.
    private static let usesProcessorTime = CommandLine.arguments.contains(processorTime)

    static var now: Duration {
        var time = timespec()
        clock_gettime(usesProcessorTime ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
