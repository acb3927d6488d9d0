extension PatternParser {
    /// What follows an opening bracket, up to the closing one.
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

    /// `(?i)`, for what follows in the group around, or `(?i:…)`.
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

    /// The rest of a group, whose options end with it.
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

    /// Whether a repetition stands behind the curly bracket that was taken.
    func isAmount() throws(PatternSyntaxError) -> Bool {
        var parser = self
        return try parser.bounds() != nil
    }

    private mutating func amount() throws(PatternSyntaxError) -> (minimum: Int, maximum: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        // What is no amount stands for itself: `{`, `{a}`.
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
