/// A part of a regular expression.
///
/// Only whether a whole text matches is asked for. So greedy and reluctant repetitions differ in the
/// order of the search only, and groups are numbered only for back-references.
indirect enum PatternNode: Sendable {
    /// Nothing.
    case empty
    /// One scalar.
    case scalar(ScalarSet)
    /// Something about the place, where nothing is consumed.
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, minimum: Int, maximum: Int?, PatternRepetition)
    /// A group that a back-reference may name.
    case capture(Int, PatternNode)
    /// What matches first in it stays, whatever follows.
    case atomic(PatternNode)
    case lookahead(PatternNode, isNegated: Bool)
    /// The text that a group has matched.
    case reference(Int)
    /// What a person takes for one character: `\X`.
    case grapheme
}

/// How many a repetition takes, where there is a choice.
enum PatternRepetition: Sendable {
    /// As many as can be.
    case greedy
    /// As few as can be.
    case reluctant
    /// As many as there are; it gives none back.
    case possessive
}

/// What is true at some places of a text.
enum PatternAssertion: Sendable {
    /// `\A`, and `^` where it does not match at lines.
    case start
    /// `\z`, and `$` where it does not match at lines.
    case end
    /// `\Z`: the end, or before a line end that is the last scalar.
    case endOrLastLineEnd
    /// `^`: the start, or behind a line end.
    case lineStart
    /// `$`: the end, or before a line end.
    case lineEnd
    /// `\b` and `\B`.
    case wordBoundary(isNegated: Bool)
    /// `\y` and `\Y`.
    case graphemeBoundary(isNegated: Bool)
    /// The next scalar is not of the set, or there is none.
    case notBefore(ScalarSet)
}

/// A set of Unicode scalars.
enum ScalarSet: Sendable, Hashable {
    case anything
    /// What ends a line, or all else.
    case lineEnd(isNegated: Bool)
    case only(Unicode.Scalar)
    /// What has this lower-case form.
    case caseless(String)
    /// What the standard library's regular expressions understand by a class such as `[a-z&&[^b]]`
    /// or `\p{Greek}`, which is spelt with the options before it.
    case spelt(String)

    /// Whether a scalar ends a line: LF, VT, FF, CR, NEL, LS and PS.
    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}
