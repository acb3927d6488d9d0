/// Why a text is no regular expression, or none that can be matched here.
package struct PatternSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A regular expression was given up: to match a text with it takes too many steps.
///
/// Patterns with back-references, look-around, atomic groups or `\X` may take a million steps and a
/// hundred more for each scalar of the text. All others match in time that grows with the text only,
/// and may take a hundred million.
public struct PatternLimitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The regular expression.
    public let pattern: String
    /// After how many steps it was given up.
    public let steps: Int

    /// The pattern, the number of steps and what to do.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String {
        "Matching the regular expression '\(pattern)' was given up after \(steps) steps."
    }

    package var remedy: String {
        "Write it without back-references, look-around and large repetitions, or shorten the text."
    }
}
