/// Reads the text of an expression, in the grammar of predicate formats.
///
/// From the loosest to the tightest binding: OR, AND, NOT, comparisons, `+ - & |`, `* /`, `**`.
/// Keywords are read in any case. A name that is also a keyword is written `#name`.
package struct ExpressionParser {
    /// How deep operands may nest in a text.
    private static let maximumDepth = ModelExpression.maximumDepth / 2
    /// How deep brackets, signs and calls may nest, each of which takes the parser several steps.
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
    /// - Parameter arguments: What stands for `%@` and its like, in order; nil where the text must
    ///   not have any.
    package static func parse(
        _ text: String, arguments: [FormatArgument]? = nil
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        var parser = ExpressionParser(text, arguments)
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

    /// What was probably meant where an operator is missing.
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

    mutating func advance() {
        current = following
        following = lexer.next()
    }

    func isAt(_ symbol: String) -> Bool {
        current.isSymbol(symbol)
    }

    /// The word here in upper case, unless it is written as a name.
    var keyword: String? {
        if case .word(let text, isEscaped: false) = current.kind { return text.uppercased() }
        return nil
    }

    mutating func skip(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(ExpressionDiagnostic) {
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
    func node(
        _ kind: ParsedExpression.Kind, at offset: Int
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        let node = ParsedExpression(kind, at: offset)
        guard node.depth <= Self.maximumDepth else { throw tooDeep(at: offset) }
        return node
    }

    /// Goes one level down, for brackets, unary operators and arguments.
    mutating func enter() throws(ExpressionDiagnostic) {
        nesting += 1
        guard nesting <= Self.maximumNesting else { throw tooDeep(at: current.offset) }
    }

    mutating func leave() {
        nesting -= 1
    }

    private func tooDeep(at offset: Int) -> ExpressionDiagnostic {
        ExpressionDiagnostic(
            offset: offset, message: "the expression nests too deeply")
    }
}
