import CambiumModel
import Dispatch

/// How often, and for how long, work is tried again that other transactions stood in the way of.
package struct Attempts {
    private static let greatestCount = 20
    private static let greatestTime = Duration.seconds(30)
    /// The longest pause before the second attempt, in microseconds. It doubles with each attempt.
    private static let firstPause = 2_000
    private static let longestPause = 250_000

    private let begin = ContinuousClock.now
    private var count = 1

    package init() {}

    /// Waits for a random time, so that those who met once do not meet again.
    ///
    /// - Throws: ``StoreError`` with `busy` where there were enough attempts.
    package mutating func waitForNext(after error: any Error) throws {
        let time = ContinuousClock.now - begin
        guard count < Self.greatestCount, time < Self.greatestTime else {
            throw StoreError(
                code: .busy,
                message: "Other transactions stood in the way \(count) times, in \(time).",
                remedy:
                    "Try again later. Let transactions that change the same objects be shorter.",
                underlying: error)
        }
        let longest = min(Self.longestPause, Self.firstPause << count)
        let pause = DispatchTimeInterval.microseconds(.random(in: 0...longest))
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pause)
        count += 1
    }
}
