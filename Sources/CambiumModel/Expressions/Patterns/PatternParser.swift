/// Reads regular expressions.
///
/// It reads whole characters, not scalars: a repetition behind an `é` of two scalars repeats both.
struct PatternParser {
    /// The result of parsing.
    struct Parsed {
        let node: PatternNode
        let groupCount: Int
        let hasReferences: Bool
    }

    private var rest: Substring
    var options: PatternOptions
    private var depth = 0
    private(set) var groupCount = 0
    private var names: [String: Int] = [:]
    /// The names and number of the groups of the whole pattern; nil while they are found out.
    private let groups: (names: [String: Int], count: Int)?
    private var hasReferences = false

    /// - Throws: ``PatternSyntaxError`` if the text is not a regular expression.
    static func parse(
        _ pattern: String, isCaseless: Bool
    ) throws(PatternSyntaxError) -> Parsed {
        // A back-reference may name a group that follows: the first round finds the groups.
        var parser = PatternParser(pattern, isCaseless, groups: nil)
        let node = try parser.whole()
        guard parser.hasReferences else {
            return Parsed(node: node, groupCount: parser.groupCount, hasReferences: false)
        }
        var second = PatternParser(
            pattern, isCaseless, groups: (parser.names, parser.groupCount))
        return Parsed(
            node: try second.whole(), groupCount: parser.groupCount, hasReferences: true)
    }

    private init(
        _ pattern: String, _ isCaseless: Bool, groups: (names: [String: Int], count: Int)?
    ) {
        rest = pattern[...]
        options = PatternOptions(isCaseless: isCaseless)
        self.groups = groups
    }

    // MARK: Text

    var next: Character? { rest.first }

    mutating func take() -> Character? { rest.popFirst() }

    // Many places call these: inlined into each, they were a large part of the code.

    @inline(never)
    mutating func take(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        rest.removeFirst(text.count)
        return true
    }

    /// Takes the text up to an end, and the end itself. Returns nil if the end is missing.
    @inline(never)
    mutating func take(until end: String) -> String? {
        guard let range = rest.firstRange(of: end) else { return nil }
        defer { rest = rest[range.upperBound...] }
        return String(rest[..<range.lowerBound])
    }

    @inline(never)
    mutating func take(
        atMost count: Int = .max, where isWanted: (Character) -> Bool
    ) -> String {
        let found = rest.prefix(while: isWanted).prefix(count)
        rest.removeFirst(found.count)
        return String(found)
    }

    /// Reads one level of nesting.
    mutating func nested<Result>(
        _ read: (inout PatternParser) throws(PatternSyntaxError) -> Result
    ) throws(PatternSyntaxError) -> Result {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RegularExpression.maximumDepth else { throw Self.tooDeep }
        return try read(&self)
    }

    static let tooDeep = PatternSyntaxError(
        "it nests deeper than \(RegularExpression.maximumDepth) levels, which are the most")

    // MARK: Structure

    private mutating func whole() throws(PatternSyntaxError) -> PatternNode {
        let node = try choice()
        guard rest.isEmpty else { throw PatternSyntaxError("')' closes no group") }
        return node
    }

    mutating func choice() throws(PatternSyntaxError) -> PatternNode {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(PatternSyntaxError) -> PatternNode {
        var parts: [PatternNode] = []
        while true {
            skipSpace()
            guard let next, next != "|", next != ")" else { break }
            if take("\\Q") {
                parts.append(literal(take(until: "\\E") ?? take(where: { _ in true })))
            } else if take("(?#") {
                guard take(until: ")") != nil else {
                    throw PatternSyntaxError("a comment has no end")
                }
            } else {
                let part = try element()
                parts.append(try repeated(part))
            }
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    /// Skips white space and comments if the options say that they are ignored.
    private mutating func skipSpace() {
        guard options.isSpaced else { return }
        while let next {
            if next == "#" {
                _ = take { !$0.isNewline }
            } else if !next.isPatternSpace {
                return
            }
            _ = take()
        }
    }

    private mutating func element() throws(PatternSyntaxError) -> PatternNode {
        guard let mark = take() else { return .empty }
        switch mark {
        case "(": return try nested { parser throws(PatternSyntaxError) in try parser.group() }
        case "[": return try customClass()
        case "\\": return try escape()
        case ".":
            return .scalar(options.matchesLineEnds ? .anything : .lineEnd(isNegated: true))
        case "^": return .assertion(options.matchesAtLines ? .lineStart : .start)
        case "$": return .assertion(options.matchesAtLines ? .lineEnd : .end)
        default:
            let isAmount = try mark == "{" ? self.isAmount() : "*+?".contains(mark)
            guard !isAmount else {
                throw PatternSyntaxError("there is nothing that '\(mark)' could repeat")
            }
            return literal(String(mark))
        }
    }

    func literal(_ text: String) -> PatternNode {
        let scalars = text.unicodeScalars.map { scalar -> PatternNode in
            .scalar(
                options.isCaseless && scalar.properties.isCased
                    ? .caseless(scalar.properties.lowercaseMapping) : .only(scalar))
        }
        return scalars.count == 1 ? scalars[0] : .sequence(scalars)
    }

    // MARK: Groups

    /// The number of a new group.
    mutating func makeGroup(named name: String? = nil) throws(PatternSyntaxError) -> Int {
        groupCount += 1
        if let name {
            guard names.updateValue(groupCount, forKey: name) == nil else {
                throw PatternSyntaxError("two groups are named '\(name)'")
            }
        }
        return groupCount
    }

    mutating func reference(to name: String) throws(PatternSyntaxError) -> PatternNode {
        hasReferences = true
        guard let groups else { return .reference(0) }
        let number = Int(name) ?? groups.names[name]
        guard let number, (1...max(1, groups.count)).contains(number), groups.count > 0 else {
            throw PatternSyntaxError("there is no group '\(name)'")
        }
        return .reference(number)
    }
}

extension Character {
    /// Whether the scalar is white space, which an option can make meaningless.
    var isPatternSpace: Bool {
        unicodeScalars.first?.properties.isPatternWhitespace ?? false
    }
}

extension PatternParser {
    /// Reads the rest of a group, after the opening bracket, with the closing one.
    mutating func group() throws(PatternSyntaxError) -> PatternNode {
        if take("*") { return try namedAssertion() }
        guard take("?") else {
            return try body(as: options.numbersNamesOnly ? nil : makeGroup())
        }
        if take(":") { return try body() }
        if take(">") { return .atomic(try body()) }
        if take("=") { return .lookahead(try body(), isNegated: false) }
        if take("!") { return .lookahead(try body(), isNegated: true) }
        if take("<=") || take("<!") { throw PatternSyntaxError("look-behind is not supported") }
        if take("P=") { return try reference(to: name(until: ")")) }
        if take("P<") || take("<") { return try body(as: makeGroup(named: name(until: ">"))) }
        if take("'") { return try body(as: makeGroup(named: name(until: "'"))) }
        return try optionGroup()
    }

    /// Reads `(?i)`, which affects the rest of the surrounding group, or `(?i:…)`.
    private mutating func optionGroup() throws(PatternSyntaxError) -> PatternNode {
        let outer = options
        let letters = take { !":)".contains($0) }
        guard options.apply(letters[...]) else {
            throw PatternSyntaxError("'(?\(letters.prefix(20))' is not supported")
        }
        if take(")") { return .empty }
        guard take(":") else { throw Self.unclosed }
        let node = try body()
        options = outer
        return node
    }

    /// `(*pla:…)` and the like.
    private mutating func namedAssertion() throws(PatternSyntaxError) -> PatternNode {
        let word = take { $0.isLetter || $0 == "_" }
        guard take(":") else { throw PatternSyntaxError("there is nothing that '*' could repeat") }
        switch word {
        case "pla", "positive_lookahead": return .lookahead(try body(), isNegated: false)
        case "nla", "negative_lookahead": return .lookahead(try body(), isNegated: true)
        case "atomic": return .atomic(try body())
        default: throw PatternSyntaxError("'(*\(word)' is not supported")
        }
    }

    /// Reads the rest of a group. Options set in the group end with it.
    private mutating func body(as number: Int? = nil) throws(PatternSyntaxError) -> PatternNode {
        let outer = options
        let node = try choice()
        options = outer
        guard take(")") else { throw Self.unclosed }
        if let number { return .capture(number, node) }
        // In brackets it can be repeated.
        return node.isRepeatable ? node : .sequence([node])
    }

    /// The name of a group, up to its end.
    func checked(_ name: String) throws(PatternSyntaxError) -> String {
        guard let first = name.first, !first.isNumber,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { throw PatternSyntaxError("'\(name.prefix(20))' cannot be the name of a group") }
        return name
    }

    private mutating func name(until end: String) throws(PatternSyntaxError) -> String {
        guard let name = take(until: end) else { throw Self.unclosed }
        return try checked(name)
    }

    private static let unclosed = PatternSyntaxError("a group has no ')'")

    // MARK: Repetitions

    /// A part with the repetition behind it, if any.
    mutating func repeated(_ part: PatternNode) throws(PatternSyntaxError) -> PatternNode {
        skipPatternSpace()
        guard let (minimum, maximum) = try amount() else { return part }
        guard part.isRepeatable else {
            throw PatternSyntaxError("an assertion cannot be repeated")
        }
        skipPatternSpace()
        var kind = PatternRepetition.greedy
        if take("+") {
            kind = .possessive
        } else if take("?") != options.isReluctant {
            kind = .reluctant
        }
        return .repetition(part, minimum: minimum, maximum: maximum, kind)
    }

    private mutating func skipPatternSpace() {
        if options.isSpaced { _ = take { $0.isPatternSpace } }
    }

    /// Returns whether a repetition follows the curly bracket that was taken.
    func isAmount() throws(PatternSyntaxError) -> Bool {
        var parser = self
        return try parser.bounds() != nil
    }

    private mutating func amount() throws(PatternSyntaxError) -> (minimum: Int, maximum: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        // A text that is not an amount is a literal: `{`, `{a}`.
        let start = self
        if take("{"), let bounds = try bounds() { return bounds }
        self = start
        return nil
    }

    /// The numbers behind a curly bracket, and the closing one.
    private mutating func bounds() throws(PatternSyntaxError) -> (minimum: Int, maximum: Int?)? {
        let first = digits()
        let isRange = take(",")
        let last = isRange ? digits() : first
        guard take("}"), !(first.isEmpty && last.isEmpty) else { return nil }
        guard let minimum = first.isEmpty ? 0 : Int(first) else { throw Self.tooLarge }
        if last.isEmpty { return (minimum, nil) }
        guard let maximum = Int(last) else { throw Self.tooLarge }
        guard minimum <= maximum else {
            throw PatternSyntaxError("a repetition has the bounds \(minimum) and \(maximum)")
        }
        return (minimum, maximum)
    }

    private static let tooLarge = PatternSyntaxError("a repetition is too large")

    /// Digits with spaces around them.
    private mutating func digits() -> String {
        _ = take { $0.isPatternSpace }
        let digits = take { $0.isASCII && $0.isNumber }
        _ = take { $0.isPatternSpace }
        return digits
    }
}

extension PatternNode {
    /// Whether a repetition may follow it.
    fileprivate var isRepeatable: Bool {
        switch self {
        case .empty, .assertion, .lookahead: false
        default: true
        }
    }
}
