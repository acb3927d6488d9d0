/// Matches texts with one regular expression.
///
/// It belongs to one isolation: what it has found out about scalars and states is kept in it.
package final class PatternMatcher {
    private let expression: RegularExpression
    private let isCancelled: () -> Bool
    private var membership: ScalarMembership
    private var automaton: PatternAutomaton

    /// - Parameter isCancelled: Whether nobody wants the result any more. It is asked only where a
    ///   text takes long.
    package init(
        _ expression: RegularExpression, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.expression = expression
        self.isCancelled = isCancelled
        membership = ScalarMembership(expression.program.sets)
        automaton = PatternAutomaton(expression.program)
    }

    /// Whether a whole text matches.
    ///
    /// - Throws: ``PatternLimitError`` where it takes too many steps; a `CancellationError`.
    /// - Complexity: O(length of the text × length of the pattern) at most, mostly O(length of the
    ///   text), where the expression is linear; otherwise as many steps as the budget has.
    package func matches(_ text: String) throws -> Bool {
        var budget = PatternBudget(expression, text, isCancelled: isCancelled)
        guard expression.isLinear else {
            return try PatternSearch.matches(text, expression, &membership, &budget)
        }
        return try automaton.matches(text, expression.program, &membership, &budget)
    }
}
