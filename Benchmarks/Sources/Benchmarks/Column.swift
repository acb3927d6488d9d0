/// One way to do the work: a column of the table.
@MainActor
protocol Column: AnyObject {
    var name: String { get }

    /// Makes new, empty stores with their departments.
    func beginRound() throws
    /// Does the work once. Its data is prepared before the measurement.
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
