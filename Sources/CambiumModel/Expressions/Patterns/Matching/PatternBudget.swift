/// How much of one match is done, and whether to go on.
struct PatternBudget {
    private let isCancelled: () -> Bool
    private(set) var steps = 0
    private var nextQuestion = Self.questionDistance

    /// So many steps take about a tenth of a millisecond. Short matches do not ask at all: a
    /// program that saves while its task is being cancelled is not disturbed.
    private static let questionDistance = 20_000

    init(isCancelled: @escaping () -> Bool) {
        self.isCancelled = isCancelled
    }

    /// Counts steps.
    ///
    /// - Throws: A `CancellationError`.
    @inline(__always)
    mutating func spend(_ count: Int) throws {
        steps += count
        if steps >= nextQuestion { try ask() }
    }

    private mutating func ask() throws {
        nextQuestion = steps + Self.questionDistance
        if isCancelled() { throw CancellationError() }
    }

    /// How many steps a search may take in a text.
    static func limit(forLength length: Int) -> Int {
        1_000_000 + 100 * length
    }
}
