/// A pattern of MATCHES, or of an attribute. It matches whole strings, by Unicode scalars.
///
/// The syntax is the part of ICU's that the standard library's `Regex` supports. As in predicates
/// on Apple's platforms, `.` matches line ends too, and `^` and `$` match at each line.
package final class RegularExpression: Sendable {
    package let pattern: String
    let program: PatternProgram

    /// Whether matching takes time that is linear in the text. Such patterns have no
    /// back-references, no look-around and no atomic groups. All others have a step budget.
    package var isLinear: Bool { program.isLinear }

    /// The maximum length of a pattern in bytes.
    static let maximumLength = 4096
    /// The maximum depth of groups and classes, so that a pattern does not overflow the stack.
    static let maximumDepth = 20

    /// Reads a pattern.
    ///
    /// - Throws: ``PatternSyntaxError`` if it is not a pattern, or too large.
    package init(
        _ pattern: String, _ options: ComparisonOptions = []
    ) throws(PatternSyntaxError) {
        self.pattern = pattern
        guard pattern.utf8.count <= Self.maximumLength else {
            throw PatternSyntaxError(
                "it is longer than \(Self.maximumLength) bytes, which are the most")
        }
        let isCaseless = options.contains(.caseInsensitive)
        let folded = pattern.folded(options.intersection(.diacriticInsensitive))
        let parsed = try PatternParser.parse(folded, isCaseless: isCaseless)
        program = try PatternCompiler.program(of: parsed)
    }
}

/// The reason why a text is not a regular expression, or is not supported.
package struct PatternSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistake, in words.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An error that is thrown if matching a text with a regular expression takes too many steps.
///
/// Patterns with back-references, look-around, atomic groups or `\X` may take a million steps and a
/// hundred more for each scalar of the text. All others match in time that is linear in the text,
/// and may take a hundred million.
public struct PatternLimitError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The regular expression.
    public let pattern: String
    /// The number of steps after which the match ended.
    public let steps: Int

    /// The pattern, the number of steps, and a remedy.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String {
        "Matching the regular expression '\(pattern)' stopped after \(steps) steps."
    }

    package var remedy: String {
        "Write it without back-references, look-around and large repetitions, or shorten the text."
    }
}

/// A part of a regular expression.
///
/// A match only tests whether a whole text matches. Greedy and reluctant repetitions therefore
/// differ only in the order of the search, and groups are numbered only for back-references.
indirect enum PatternNode: Sendable {
    /// The empty pattern, which matches an empty text.
    case empty
    /// A single scalar.
    case scalar(ScalarSet)
    /// A condition on the position. It consumes no text.
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repetition(PatternNode, minimum: Int, maximum: Int?, PatternRepetition)
    /// A group that a back-reference may name.
    case capture(Int, PatternNode)
    /// A group that keeps its first match, even if the rest of the pattern does not match after it.
    case atomic(PatternNode)
    case lookahead(PatternNode, isNegated: Bool)
    /// The text that a group has matched.
    case reference(Int)
    /// A user-perceived character: `\X`.
    case grapheme
}

/// The number of occurrences that a repetition prefers if several are possible.
enum PatternRepetition: Sendable {
    /// As many occurrences as possible.
    case greedy
    /// As few occurrences as possible.
    case reluctant
    /// As many occurrences as possible, without backtracking.
    case possessive
}

/// A condition on a position in a text.
enum PatternAssertion: Sendable {
    /// `\A`, and `^` if it does not match at lines.
    case start
    /// `\z`, and `$` if it does not match at lines.
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
    /// The line ends, or all other scalars.
    case lineEnd(isNegated: Bool)
    case only(Unicode.Scalar)
    /// The scalars with this lower-case form.
    case caseless(String)
    /// A class of the standard library's regular expressions, such as `[a-z&&[^b]]` or `\p{Greek}`,
    /// with the options before it.
    case spelt(String)

    /// Whether a scalar ends a line: LF, VT, FF, CR, NEL, LS and PS.
    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// A regular expression as steps of a machine. The machine starts with the first step.
struct PatternProgram: Sendable {
    enum Step: Sendable {
        /// Consumes a scalar of the set with that number.
        case scalar(Int)
        /// Continues at both steps, at the first one first.
        case split(Int, Int)
        case jump(Int)
        case assert(PatternAssertion)
        /// As an assertion that the next scalar is not of the set with that number.
        case notBefore(Int)
        /// The end of the pattern, or of a part that is tried as a whole.
        case end

        // The steps below are only in programs that are not linear.

        /// Notes the place in a register.
        case note(register: Int)
        /// Leaves a loop if its turn has consumed nothing.
        case leave(to: Int, unlessAfter: Int)
        /// Ends a group, given the first of its registers. The match begins at the position in the
        /// group's third register and ends here.
        case capture(Int)
        /// Consumes the text that a group has matched, given the first of its registers.
        case reference(Int)
        case grapheme
        /// Tries the steps behind this one as a whole and continues at a step.
        case atomic(next: Int)
        case lookahead(isNegated: Bool, next: Int)
    }

    /// The start and the end of a group's last match, and the start of the current one.
    static let registersOfGroup = 3

    var steps: [Step] = []
    var sets: [ScalarSet] = []
    /// The number of recorded positions.
    var registerCount = 0
    var isLinear = true
    /// Whether a step depends on more than the next scalar.
    var hasAssertions = false
    var looksAtWords = false
    var looksAtGraphemes = false
}

/// Makes programs of regular expressions.
struct PatternCompiler {
    /// The maximum number of steps of a program. Counted repetitions are expanded.
    static let maximumSteps = 32_768

    private var program = PatternProgram()
    private var numbers: [ScalarSet: Int] = [:]
    private let hasReferences: Bool

    /// - Throws: ``PatternSyntaxError`` if the repetitions make the program too large.
    static func program(
        of pattern: PatternParser.Parsed
    ) throws(PatternSyntaxError) -> PatternProgram {
        var compiler = PatternCompiler(hasReferences: pattern.hasReferences)
        compiler.program.isLinear = !pattern.node.needsSearch
        // Loops get more.
        compiler.program.registerCount =
            pattern.hasReferences ? PatternProgram.registersOfGroup * (pattern.groupCount + 1) : 0
        try compiler.write(pattern.node)
        try compiler.append(.end)
        return compiler.program
    }

    private var place: Int { program.steps.count }

    private mutating func append(_ step: PatternProgram.Step) throws(PatternSyntaxError) {
        guard program.steps.count < Self.maximumSteps else {
            throw PatternSyntaxError(
                "its repetitions are too large: they take more than \(Self.maximumSteps) steps")
        }
        program.steps.append(step)
    }

    private mutating func number(of set: ScalarSet) -> Int {
        if let known = numbers[set] { return known }
        program.sets.append(set)
        numbers[set] = program.sets.count - 1
        return program.sets.count - 1
    }

    private mutating func write(_ node: PatternNode) throws(PatternSyntaxError) {
        switch node {
        case .empty: break
        case .scalar(let set): try append(.scalar(number(of: set)))
        case .assertion(let assertion): try write(assertion)
        case .sequence(let parts):
            for part in parts { try write(part) }
        case .choice(let parts): try write(choice: parts)
        case .repetition(let body, let minimum, let maximum, let kind):
            try write(body, minimum, maximum, kind)
        case .capture(let group, let body):
            let register = PatternProgram.registersOfGroup * group
            if hasReferences { try append(.note(register: register + 2)) }
            try write(body)
            if hasReferences { try append(.capture(register)) }
        case .atomic(let body):
            try write(whole: body) { .atomic(next: $0) }
        case .lookahead(let body, let isNegated):
            try write(whole: body) { .lookahead(isNegated: isNegated, next: $0) }
        case .reference(let group):
            try append(.reference(PatternProgram.registersOfGroup * group))
        case .grapheme:
            program.looksAtGraphemes = true
            try append(.grapheme)
        }
    }

    private mutating func write(_ assertion: PatternAssertion) throws(PatternSyntaxError) {
        program.hasAssertions = true
        switch assertion {
        case .notBefore(let set):
            try append(.notBefore(number(of: set)))
            return
        case .wordBoundary: program.looksAtWords = true
        case .graphemeBoundary: program.looksAtGraphemes = true
        default: break
        }
        try append(.assert(assertion))
    }

    private mutating func write(
        whole body: PatternNode, _ step: (_ next: Int) -> PatternProgram.Step
    ) throws(PatternSyntaxError) {
        let start = place
        try append(.jump(0))
        try write(body)
        try append(.end)
        program.steps[start] = step(place)
    }

    private mutating func write(choice parts: [PatternNode]) throws(PatternSyntaxError) {
        var ends: [Int] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let start = place
            if !isLast { try append(.jump(0)) }
            try write(part)
            guard !isLast else { continue }
            ends.append(place)
            try append(.jump(0))
            program.steps[start] = .split(start + 1, place)
        }
        for end in ends { program.steps[end] = .jump(place) }
    }

    // MARK: Repetitions

    private mutating func write(
        _ body: PatternNode, _ minimum: Int, _ maximum: Int?, _ kind: PatternRepetition
    ) throws(PatternSyntaxError) {
        if kind == .possessive {
            try write(possessive: body, minimum, maximum)
            return
        }
        for _ in 0..<minimum {
            let start = place
            try write(body)
            if place == start { return }  // nothing, however often
        }
        guard let maximum else {
            try write(loop: body, kind)
            return
        }
        var exits: [Int] = []
        for _ in minimum..<maximum {
            exits.append(place)
            try append(.jump(0))
            let start = place
            try write(body)
            if place == start { break }
        }
        for exit in exits { program.steps[exit] = Self.split(exit + 1, else: place, kind) }
    }

    private mutating func write(
        loop body: PatternNode, _ kind: PatternRepetition
    ) throws(PatternSyntaxError) {
        let start = place
        try append(.jump(0))
        // Only a search can loop forever. The automaton tracks visited steps.
        let register = !program.isLinear && body.mayBeEmpty ? program.registerCount : nil
        if let register {
            program.registerCount += 1
            try append(.note(register: register))
        }
        try write(body)
        let check = place
        if register != nil { try append(.jump(0)) }
        try append(.jump(start))
        if let register {
            program.steps[check] = .leave(to: place, unlessAfter: register)
        }
        program.steps[start] = Self.split(start + 1, else: place, kind)
    }

    private static func split(
        _ body: Int, else next: Int, _ kind: PatternRepetition
    ) -> PatternProgram.Step {
        kind == .reluctant ? .split(next, body) : .split(body, next)
    }

    /// Writes a possessive repetition. A repetition of single scalars takes all that exist. An
    /// automaton can check this: no further scalar follows, or the maximum is reached.
    private mutating func write(
        possessive body: PatternNode, _ minimum: Int, _ maximum: Int?
    ) throws(PatternSyntaxError) {
        guard case .scalar(let set) = body else {
            try write(.atomic(.repetition(body, minimum: minimum, maximum: maximum, .greedy)))
            return
        }
        let last = PatternNode.assertion(.notBefore(set))
        guard let maximum else {
            try write(body, minimum, nil, .greedy)
            try write(last)
            return
        }
        let all = PatternNode.repetition(body, minimum: maximum, maximum: maximum, .greedy)
        guard minimum < maximum else {
            try write(all)
            return
        }
        let fewer = PatternNode.repetition(
            body, minimum: minimum, maximum: maximum - 1, .greedy)
        try write(choice: [all, .sequence([fewer, last])])
    }
}

extension PatternNode {
    /// Whether an automaton cannot match it, so that ways have to be tried one after the other.
    fileprivate var needsSearch: Bool {
        switch self {
        case .empty, .scalar, .assertion: false
        case .sequence(let parts), .choice(let parts): parts.contains(where: { $0.needsSearch })
        case .repetition(.scalar, _, _, _): false
        case .repetition(let body, _, _, let kind): kind == .possessive || body.needsSearch
        case .capture(_, let body): body.needsSearch
        case .atomic, .lookahead, .reference, .grapheme: true
        }
    }

    /// Whether the pattern can match an empty text.
    fileprivate var mayBeEmpty: Bool {
        switch self {
        case .empty, .assertion, .lookahead, .reference: true
        case .scalar, .grapheme: false
        case .sequence(let parts): parts.allSatisfy { $0.mayBeEmpty }
        case .choice(let parts): parts.contains(where: { $0.mayBeEmpty })
        case .repetition(let body, let minimum, _, _): minimum == 0 || body.mayBeEmpty
        case .capture(_, let body), .atomic(let body): body.mayBeEmpty
        }
    }
}
