/// One way to do the work: a column of the table.
@MainActor
protocol Column: AnyObject {
    var name: String { get }

    /// Makes new, empty stores with their departments.
    func beginRound() throws
    /// Does the work once, with whatever it needs made ready before the clock starts.
    func measure(_ workload: Workload) async throws -> Sample
    func endRound() throws
}

/// One measurement.
struct Sample {
    /// Milliseconds per repetition.
    var milliseconds: Double
    var checksum: Checksum
    /// Milliseconds of checkpoint work that the commit left for later.
    var deferred = 0.0
}

/// Adds up the parts of a workload that count.
struct Stopwatch {
    private(set) var elapsed: Duration = .zero

    var milliseconds: Double { elapsed / .milliseconds(1) }

    mutating func time<Result>(_ body: () throws -> Result) rethrows -> Result {
        let start = ContinuousClock.now
        let result = try body()
        elapsed += ContinuousClock.now - start
        return result
    }

    @MainActor
    mutating func time<Result>(_ body: @MainActor () async throws -> Result) async rethrows
        -> Result
    {
        let start = ContinuousClock.now
        let result = try await body()
        elapsed += ContinuousClock.now - start
        return result
    }
}
