import CambiumModel
import Dispatch

/// Limits the number and the time of repeated attempts if other transactions have interfered or the
/// connection was lost.
package struct Attempts {
    private static let greatestCount = 20
    /// The longest pause before the second attempt, in microseconds. It doubles with each attempt.
    private static let firstPause = 2_000
    private static let longestPause = 250_000

    private let greatestTime: Duration
    private let begin = ContinuousClock.now
    private var count = 1
    private var pauses = 1

    /// - Parameter time: No attempt begins later.
    package init(for time: Duration = .seconds(30)) {
        greatestTime = time
    }

    /// Waits for a random time, so that transactions that interfered once do not interfere again.
    ///
    /// - Throws: ``StoreError`` with `busy` if there were enough attempts; the error itself if it
    ///   has another reason.
    package mutating func waitForNext(after error: any Error) throws {
        let time = ContinuousClock.now - begin
        guard waits(upTo: Self.longestPause) else {
            if let error = error as? StoreError,
                ![nil, .contention].contains(error.serverFailure)
            {
                throw error
            }
            throw StoreError(
                code: .busy,
                message: "Other transactions interfered \(count) times, in \(time).",
                remedy:
                    "Try again later. Let transactions that change the same objects be shorter.",
                underlying: error, serverFailure: .contention)
        }
    }

    /// Waits for a random time.
    ///
    /// - Parameters:
    ///   - longest: The longest pause, in microseconds.
    ///   - counts: Whether the attempt counts towards the limit; the time always does.
    /// - Returns: False, immediately, if there were enough attempts.
    package mutating func waits(upTo longest: Int, counts: Bool = true) -> Bool {
        guard count < Self.greatestCount, ContinuousClock.now - begin < greatestTime else {
            return false
        }
        let longest = min(longest, Self.firstPause << min(pauses, 20))
        let pause = DispatchTimeInterval.microseconds(.random(in: 0...longest))
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + pause)
        pauses += 1
        if counts { count += 1 }
        return true
    }
}
