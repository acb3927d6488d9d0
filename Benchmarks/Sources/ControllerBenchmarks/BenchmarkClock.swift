import Foundation

/// The clock that is read.
enum BenchmarkClock {
    static let processorTime = "--processor-time"

    /// On a machine that others use, the processor time of the thread says more than the time that
    /// went by, where no other thread and no disk is waited for.
    private static let usesProcessorTime = CommandLine.arguments.contains(processorTime)

    static var now: Duration {
        var time = timespec()
        clock_gettime(usesProcessorTime ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
