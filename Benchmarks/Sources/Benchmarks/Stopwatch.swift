import Foundation

/// Adds up the times of the measured parts of a workload.
struct Stopwatch {
    /// On a shared machine, the processor time of the thread is more reliable than the elapsed
    /// time. It does not include waits for the disk or the work of other threads.
    static let usesProcessorTime = CommandLine.arguments.contains(Options.processorTime)

    private var nanoseconds: UInt64 = 0

    var milliseconds: Double { Double(nanoseconds) / 1e6 }

    mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = Self.now
        let result = try body()
        nanoseconds += Self.now - start
        return result
    }

    @MainActor
    mutating func time<Result>(_ body: @MainActor () async throws -> Result) async rethrows
        -> Result
    {
        let start = Self.now
        let result = try await body()
        nanoseconds += Self.now - start
        return result
    }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(usesProcessorTime ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
