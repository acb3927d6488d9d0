/// Reads the text of an expression, in the grammar of predicate formats.
///
/// From the loosest to the tightest binding: OR, AND, NOT, comparisons, `+ - & |`, `* /`, `**`.
/// Keywords are read in any case. A name that is also a keyword is written `#name`.
package final class ExpressionParser {
    /// The maximum depth of operands in a text.
    private static let maximumDepth = ModelExpression.maximumDepth / 2
    /// The maximum depth of brackets, signs and calls. The parser takes several steps for each
    /// level.
    static let maximumNesting = 20

    /// Words are read when they are needed, so that a mistake in the first of a million is found
    /// at once.
    private var lexer: ExpressionLexer
    private(set) var current: ExpressionToken
    private(set) var following: ExpressionToken
    var nesting = 0
    var arguments: [FormatArgument]?
    var argumentCount = 0

    /// Parses a text.
    ///
    /// - Parameter arguments: The values for `%@` and the like, in order; nil allows none.
    package static func parse(
        _ text: String, arguments: [FormatArgument]? = nil
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        let parser = ExpressionParser(text, arguments)
        let expression = try parser.parseDisjunction()
        guard case .end = parser.current.kind else {
            throw parser.unexpected("an operator or the end", hint: parser.endHint)
        }
        if let arguments, arguments.count > parser.argumentCount {
            throw ExpressionDiagnostic(
                offset: parser.current.offset,
                message:
                    "\(arguments.count) arguments for \(parser.argumentCount) placeholders")
        }
        return expression
    }

    private init(_ text: String, _ arguments: [FormatArgument]?) {
        lexer = ExpressionLexer(text)
        current = lexer.next()
        following = lexer.next()
        self.arguments = arguments
    }

    // MARK: Words

    /// The probable intention if an operator is missing.
    private var endHint: String? {
        switch current.kind {
        case .symbol(":="): "variables cannot be assigned; write the value in their place"
        case .word where keyword == "IS": "write == nil or != nil"  // SQL's word
        case .word(let text, isEscaped: false):
            nearestName(to: text, among: Self.operators).map { "did you mean \($0)?" }
        default: nil
        }
    }

    private static let operators = [
        "AND", "OR", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN",
    ]

    @inline(never)
    func advance() {
        current = following
        following = lexer.next()
    }

    @inline(never)
    func isAt(_ symbol: String) -> Bool {
        current.isSymbol(symbol)
    }

    /// The word here in upper case, unless it is written as a name.
    var keyword: String? {
        if case .word(let text, isEscaped: false) = current.kind { return text.uppercased() }
        return nil
    }

    func skip(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    func expect(_ symbol: String) throws(ExpressionDiagnostic) {
        guard skip(symbol) else { throw unexpected("'\(symbol)'") }
    }

    func unexpected(_ expected: String, hint: String? = nil) -> ExpressionDiagnostic {
        if case .invalid(let mistake) = current.kind { return mistake }
        return ExpressionDiagnostic(
            offset: current.offset, message: "expected \(expected), found \(current.description)",
            hint: hint)
    }

    // MARK: Limits

    /// Makes a node, unless the tree would become too deep.
    @inline(never)
    func node(
        _ kind: ParsedExpression.Kind, at offset: Int
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        let node = ParsedExpression(kind, at: offset)
        guard node.depth <= Self.maximumDepth else { throw tooDeep(at: offset) }
        return node
    }

    /// Enters a level of nesting, for brackets, unary operators and arguments.
    func enter() throws(ExpressionDiagnostic) {
        nesting += 1
        guard nesting <= Self.maximumNesting else { throw tooDeep(at: current.offset) }
    }

    func leave() {
        nesting -= 1
    }

    private func tooDeep(at offset: Int) -> ExpressionDiagnostic {
        ExpressionDiagnostic(
            offset: offset, message: "the expression nests too deeply")
    }
}

extension ExpressionParser {
    // MARK: Logic

    func parseDisjunction() throws(ExpressionDiagnostic) -> ParsedExpression {
        let first = try parseConjunction()
        guard isAt("||") || keyword == "OR" else { return first }
        let offset = current.offset
        var operands = [first]
        while isAt("||") || keyword == "OR" {
            advance()
            operands.append(try parseConjunction())
        }
        return try node(.or(operands), at: offset)
    }

    private func parseConjunction() throws(ExpressionDiagnostic) -> ParsedExpression {
        let first = try parseNegation()
        guard isAt("&&") || keyword == "AND" else { return first }
        let offset = current.offset
        var operands = [first]
        while isAt("&&") || keyword == "AND" {
            advance()
            operands.append(try parseNegation())
        }
        return try node(.and(operands), at: offset)
    }

    private func parseNegation() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        guard isAt("!") || keyword == "NOT" else { return try parseComparison() }
        advance()
        try enter()
        defer { leave() }
        return try node(.not(try parseNegation()), at: offset)
    }

    // MARK: Comparisons

    private static let quantifiers: [String: Quantifier] = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    private func parseComparison() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        if let quantifier = keyword.flatMap({ Self.quantifiers[$0] }) {
            advance()
            try enter()
            defer { leave() }
            let comparison = try parseComparison()
            switch comparison.kind {
            case .comparison, .between:
                return try node(.quantified(quantifier, comparison), at: offset)
            default:
                throw ExpressionDiagnostic(
                    offset: offset, message: "\(quantifier.rawValue) needs a comparison")
            }
        }
        let left = try parseSum()
        return try parseRelation(of: left) ?? left
    }

    private static let relations: [String: ComparisonOperator] = [
        "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less,
        "<=": .lessOrEqual, "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual,
        "=>": .greaterOrEqual, "IN": .in, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith,
        "CONTAINS": .contains, "LIKE": .like, "MATCHES": .matches,
    ]

    private var relation: ComparisonOperator? {
        if case .symbol(let symbol) = current.kind { return Self.relations[symbol] }
        return keyword.flatMap { Self.relations[$0] }
    }

    private func parseRelation(
        of left: ParsedExpression
    ) throws(ExpressionDiagnostic) -> ParsedExpression? {
        let offset = current.offset
        let word = keyword
        if word == "BETWEEN" {
            advance()
            return try node(.between(left, try parseSum()), at: offset)
        }
        let isNegated = word == "NOT"  // `x NOT IN y`
        if isNegated { advance() }
        guard let relation, !isNegated || keyword != nil else {
            if isNegated { throw unexpected("IN, CONTAINS, LIKE or another comparison") }
            return nil
        }
        advance()
        let options = try parseOptions()
        let comparison = try node(
            .comparison(left, relation, try parseSum(), options), at: offset)
        return isNegated ? try node(.not(comparison), at: offset) : comparison
    }

    private func parseOptions() throws(ExpressionDiagnostic) -> ComparisonOptions {
        guard skip("[") else { return [] }
        guard case .word(let letters, _) = current.kind else { throw unexpected("c, d or n") }
        var options: ComparisonOptions = []
        for letter in letters.lowercased() {
            switch letter {
            case "c": options.insert(.caseInsensitive)
            case "d": options.insert(.diacriticInsensitive)
            case "n": options.insert(.normalized)
            default:
                throw ExpressionDiagnostic(
                    offset: current.offset, message: "'\(letter)' is not an option of a comparison",
                    hint: "c ignores case, d accents, n means that the strings are normalized")
            }
        }
        advance()
        try expect("]")
        return options
    }

    // MARK: Arithmetic

    func parseSum() throws(ExpressionDiagnostic) -> ParsedExpression {
        try parseOperations(.sum)
    }

    /// Reads operations of a level. Their operands bind tighter.
    private func parseOperations(
        _ level: ModelExpression.Level
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        var left = try parseOperand(level)
        while case .symbol(let symbol) = current.kind,
            let operation = ArithmeticOperator(rawValue: symbol), operation.level == level
        {
            let offset = current.offset
            advance()
            left = try node(.arithmetic(left, operation, try parseOperand(level)), at: offset)
        }
        return left
    }

    private func parseOperand(
        _ level: ModelExpression.Level
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        try level == .power ? parseSign() : parseOperations(level.next)
    }

    private func parseSign() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        guard skip("-") else { return try parsePrimary() }
        if case .number(let digits) = current.kind {
            advance()
            return try node(.number("-" + digits), at: offset)
        }
        try enter()
        defer { leave() }
        let operand = try parseSign()
        return try node(
            .arithmetic(ParsedExpression(.number("0"), at: offset), .subtract, operand), at: offset)
    }
}
