/// How much of one match is done, and whether to go on.
struct PatternBudget {
    private let pattern: String
    /// How many steps the match may take.
    let limit: Int
    private let isCancelled: () -> Bool
    private var steps = 0
    private var nextQuestion: Int

    /// So many steps take about a tenth of a millisecond. Short matches do not ask at all: a
    /// program that saves while its task is being cancelled is not disturbed.
    private static let questionDistance = 20_000

    /// - Parameter text: What is matched.
    init(
        _ expression: RegularExpression, _ text: String, isCancelled: @escaping () -> Bool
    ) {
        pattern = expression.pattern
        // All steps of the largest program for 3,000 scalars take a second or so.
        limit =
            expression.isLinear ? 100_000_000 : 1_000_000 + 100 * text.unicodeScalars.count
        self.isCancelled = isCancelled
        nextQuestion = min(Self.questionDistance, limit)
    }

    /// Counts steps.
    ///
    /// - Throws: ``PatternLimitError`` where they are too many; a `CancellationError`.
    @inline(__always)
    mutating func spend(_ count: Int) throws {
        steps += count
        if steps > nextQuestion { try ask() }
    }

    private mutating func ask() throws {
        if steps > limit { throw exceeded }
        if isCancelled() { throw CancellationError() }
        nextQuestion = min(steps + Self.questionDistance, limit)
    }

    /// What says that the match was given up.
    var exceeded: PatternLimitError {
        PatternLimitError(pattern: pattern, steps: min(steps, limit))
    }
}
