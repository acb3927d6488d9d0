@_spi(_Unicode) import Swift

/// Matches texts with one regular expression.
///
/// It belongs to one isolation, because it caches results about scalars and states.
package final class PatternMatcher {
    private let expression: RegularExpression
    private let isCancelled: () -> Bool
    private var membership: ScalarMembership
    private var automaton: PatternAutomaton

    /// - Parameter isCancelled: Whether the result is no longer wanted. It is called only if a text
    ///   takes long.
    package init(
        _ expression: RegularExpression, isCancelled: @escaping () -> Bool = { false }
    ) {
        self.expression = expression
        self.isCancelled = isCancelled
        membership = ScalarMembership(expression.program.sets)
        automaton = PatternAutomaton(expression.program)
    }

    /// Returns whether a whole text matches.
    ///
    /// - Throws: ``PatternLimitError`` if it takes too many steps; a `CancellationError` if it was
    ///   cancelled.
    /// - Complexity: If the expression is linear, at most O(length of the text × length of the
    ///   pattern), mostly O(length of the text). Otherwise at most the number of steps in the
    ///   budget.
    package func matches(_ text: String) throws -> Bool {
        var budget = PatternBudget(expression, text, isCancelled: isCancelled)
        guard expression.isLinear else {
            return try PatternSearch.matches(text, expression, &membership, &budget)
        }
        return try automaton.matches(text, expression.program, &membership, &budget)
    }
}

/// The progress of one match, and its limits.
struct PatternBudget {
    private let pattern: String
    /// The maximum number of steps of the match.
    let limit: Int
    private let isCancelled: () -> Bool
    private var steps = 0
    private var nextQuestion: Int

    /// This number of steps takes about a tenth of a millisecond. Short matches do not check for
    /// cancellation, so that a program can save while its task is being cancelled.
    private static let questionDistance = 20_000

    /// - Parameter text: The text to match.
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
    /// - Throws: ``PatternLimitError`` if there are too many; a `CancellationError` if the match
    ///   was cancelled.
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

    /// The error for a match that took too many steps.
    var exceeded: PatternLimitError {
        PatternLimitError(pattern: pattern, steps: min(steps, limit))
    }
}

/// A text during a match: its scalars, and the starts of its words and characters.
struct PatternText {
    let scalars: [Unicode.Scalar]

    /// Whether each position, from 0 to the number of scalars, is a boundary; empty if the pattern
    /// does not use them.
    private let wordBoundaries: [Bool]
    private let graphemeBoundaries: [Bool]

    init(_ text: String, for program: PatternProgram) {
        scalars = Array(text.unicodeScalars)
        wordBoundaries =
            program.looksAtWords ? Self.boundaries(of: text) { text._wordIndex(after: $0) } : []
        graphemeBoundaries =
            program.looksAtGraphemes ? Self.boundaries(of: text) { text.index(after: $0) } : []
    }

    private static func boundaries(
        of text: String, _ next: (String.Index) -> String.Index
    ) -> [Bool] {
        var result: [Bool] = []
        var boundary = text.startIndex
        for index in text.unicodeScalars.indices {
            result.append(index == boundary)
            if index == boundary { boundary = next(boundary) }
        }
        return result + [true]
    }

    /// Returns the surroundings of a position, from 0 to the number of scalars.
    func place(at place: Int) -> PatternPlace {
        var result = PatternPlace(place < scalars.count ? scalars[place] : nil)
        if place == 0 {
            result.insert(.start)
        } else if ScalarSet.isLineEnd(scalars[place - 1]) {
            result.insert(.behindLineEnd)
        }
        if place == scalars.count - 1 { result.insert(.beforeLast) }
        if !wordBoundaries.isEmpty, wordBoundaries[place] { result.insert(.wordBoundary) }
        if !graphemeBoundaries.isEmpty, graphemeBoundaries[place] {
            result.insert(.graphemeBoundary)
        }
        return result
    }

    /// Returns the end of the character at a position.
    func graphemeEnd(from place: Int) -> Int {
        graphemeBoundaries[(place + 1)...].firstIndex(of: true) ?? scalars.count
    }
}

/// The surroundings of a position in a text. A step of a pattern depends on nothing else.
struct PatternPlace {
    /// A property of a position.
    enum Trait: UInt32 {
        case start = 0x0100_0000
        case behindLineEnd = 0x0200_0000
        case beforeLast = 0x0400_0000
        case wordBoundary = 0x0800_0000
        case graphemeBoundary = 0x1000_0000
    }

    /// The next scalar, or a number that none has, and the traits.
    private(set) var bits: UInt32

    init(_ next: Unicode.Scalar?) {
        bits = next?.value ?? 0x00FF_FFFF
    }

    /// The scalar behind the place; nil at the end.
    var next: Unicode.Scalar? { Unicode.Scalar(bits & 0x00FF_FFFF) }

    mutating func insert(_ trait: Trait) {
        bits |= trait.rawValue
    }

    private func has(_ trait: Trait) -> Bool {
        bits & trait.rawValue != 0
    }

    /// Returns whether an assertion is true, except `notBefore`, which is a step of its own.
    func holds(_ assertion: PatternAssertion) -> Bool {
        switch assertion {
        case .start: has(.start)
        case .end: next == nil
        case .endOrLastLineEnd:
            next.map { has(.beforeLast) && ScalarSet.isLineEnd($0) } ?? true
        case .lineStart: has(.start) || has(.behindLineEnd)
        case .lineEnd: next.map(ScalarSet.isLineEnd) ?? true
        case .wordBoundary(let isNegated): has(.wordBoundary) != isNegated
        case .graphemeBoundary(let isNegated): has(.graphemeBoundary) != isNegated
        case .notBefore: false
        }
    }
}

/// Returns whether a scalar is in a set of a program.
///
/// Answers of the standard library are cached for each scalar.
struct ScalarMembership {
    private enum Test {
        case anything
        case lineEnd(isNegated: Bool)
        case only(Unicode.Scalar)
        case caseless(String)
        /// A class, and the same class with regard to case if it ignores case.
        case regex(Regex<AnyRegexOutput>, withCase: Regex<AnyRegexOutput>?)
        case never
    }

    private let tests: [Test]
    private var known: [UInt64: Bool] = [:]
    /// More scalars than a text of people has.
    private static let maximumKnown = 10_000

    init(_ sets: [ScalarSet]) {
        tests = sets.map { set in
            switch set {
            case .anything: .anything
            case .lineEnd(let isNegated): .lineEnd(isNegated: isNegated)
            case .only(let scalar): .only(scalar)
            case .caseless(let mapping): .caseless(mapping)
            case .spelt(let text):
                // The parser has compiled it before.
                Self.regex(text).map { .regex($0, withCase: Self.regexWithCase(text)) } ?? .never
            }
        }
    }

    private static func regex(_ text: String) -> Regex<AnyRegexOutput>? {
        (try? Regex(text))?.matchingSemantics(.unicodeScalar)
    }

    private static func regexWithCase(_ text: String) -> Regex<AnyRegexOutput>? {
        guard text.hasPrefix("(?"), let end = text.firstIndex(of: ")") else { return nil }
        return regex("\(text[...end])(?-i)\(text[end...].dropFirst())")
    }

    mutating func contains(_ scalar: Unicode.Scalar, in set: Int) -> Bool {
        switch tests[set] {
        case .anything: return true
        case .lineEnd(let isNegated): return ScalarSet.isLineEnd(scalar) != isNegated
        case .only(let wanted): return scalar == wanted
        case .caseless(let mapping): return scalar.properties.lowercaseMapping == mapping
        case .never: return false
        case .regex(let regex, let withCase):
            let key = UInt64(set) << 32 | UInt64(scalar.value)
            if let known = known[key] { return known }
            // With ignored case, the standard library takes "@" for a letter, whose other case is "`".
            let test = scalar == "`" ? withCase ?? regex : regex
            let result = (try? test.wholeMatch(in: String(Character(scalar)))) != nil
            if known.count >= Self.maximumKnown { known.removeAll() }
            known[key] = result
            return result
        }
    }
}
