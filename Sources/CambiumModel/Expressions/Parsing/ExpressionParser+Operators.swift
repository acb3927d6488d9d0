extension ExpressionParser {
    // MARK: Logic

    mutating func parseDisjunction() throws(ExpressionDiagnostic) -> ParsedExpression {
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

    private mutating func parseConjunction() throws(ExpressionDiagnostic) -> ParsedExpression {
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

    private mutating func parseNegation() throws(ExpressionDiagnostic) -> ParsedExpression {
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

    private mutating func parseComparison() throws(ExpressionDiagnostic) -> ParsedExpression {
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

    private mutating func parseRelation(
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

    private mutating func parseOptions() throws(ExpressionDiagnostic) -> ComparisonOptions {
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
                    offset: current.offset, message: "'\(letter)' is no option of a comparison",
                    hint: "c ignores case, d accents, n says that the strings are normalized")
            }
        }
        advance()
        try expect("]")
        return options
    }

    // MARK: Arithmetic

    mutating func parseSum() throws(ExpressionDiagnostic) -> ParsedExpression {
        try parseOperations(.sum)
    }

    /// Reads operations of a level, whose operands bind tighter.
    private mutating func parseOperations(
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

    private mutating func parseOperand(
        _ level: ModelExpression.Level
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        try level == .power ? parseSign() : parseOperations(level.next)
    }

    private mutating func parseSign() throws(ExpressionDiagnostic) -> ParsedExpression {
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
