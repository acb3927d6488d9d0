import CambiumSQL

/// Finds generated rows that a migration accepts, where it refuses them all together: halves them
/// until it knows those that are to blame, and tries other values in their place.
struct AcceptableRows {
    /// A row, and the attempt from which on its values are taken.
    struct Candidate {
        let row: SampleRows.Row
        var firstAttempt = 0
    }

    /// How many attempts to insert a row share its values' first number.
    static let attemptsPerRow = 30
    private static let valuesPerRow = 3

    private(set) var candidates: [Candidate] = []
    private var rejected: [SampleRows.Row] = []
    private var trials: Int
    private let isAccepted: ([Candidate]) throws -> Bool

    /// Searches among rows.
    ///
    /// - Parameters:
    ///   - trials: How often the migration may be run.
    ///   - isAccepted: Runs it.
    init(
        among rows: [SampleRows.Row], trials: Int,
        isAccepted: @escaping ([Candidate]) throws -> Bool
    ) throws {
        self.trials = trials
        self.isAccepted = isAccepted
        // All together are known to be refused.
        try split(rows[...])
        guard !candidates.isEmpty else { return }
        // Some may need others that were not there yet.
        let again = rejected
        rejected = []
        for row in again { try add([row]) }
    }

    private mutating func split(_ rows: ArraySlice<SampleRows.Row>) throws {
        let middle = rows.startIndex + rows.count / 2
        try add(rows[..<middle])
        try add(rows[middle...])
    }

    private mutating func add(_ rows: ArraySlice<SampleRows.Row>) throws {
        guard !rows.isEmpty, !(try accept(rows.map { Candidate(row: $0) })) else { return }
        guard rows.count == 1, let row = rows.first else { return try split(rows) }
        for number in 1..<Self.valuesPerRow {
            let candidate = Candidate(row: row, firstAttempt: number * Self.attemptsPerRow)
            if try accept([candidate]) { return }
        }
        rejected.append(row)
    }

    private mutating func accept(_ more: [Candidate]) throws -> Bool {
        guard trials > 0 else { return false }
        trials -= 1
        guard try isAccepted(candidates + more) else { return false }
        candidates += more
        return true
    }
}
