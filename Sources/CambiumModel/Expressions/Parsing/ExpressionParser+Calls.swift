extension ExpressionParser {
    /// Functions by all their spellings, with the number of their arguments.
    private static let functions: [String: (function: ModelFunction, count: Int)] = [
        "now": (.now, 0), "length": (.length, 1), "uppercase": (.uppercase, 1),
        "lowercase": (.lowercase, 1), "canonical": (.canonical, 1), "abs": (.abs, 1),
        "ceiling": (.ceiling, 1), "floor": (.floor, 1), "trunc": (.trunc, 1), "sqrt": (.sqrt, 1),
        "modulus:by": (.modulus, 2), "string": (.string, 1),
    ]

    private static let operations: [String: ArithmeticOperator] = [
        "add:to": .add, "from:subtract": .subtract, "multiply:by": .multiply,
        "divide:by": .divide, "raise:topower": .power, "bitwiseand:with": .bitwiseAnd,
        "bitwiseor:with": .bitwiseOr,
    ]

    private static let aggregates: [String: AggregateFunction] = [
        "count": .count, "sum": .sum, "average": .average, "avg": .average, "min": .minimum,
        "max": .maximum,
    ]

    /// Reads `name(a)`, `name:(a)` and `name:second:(a, b)`.
    mutating func parseFunction(named first: String) throws(ExpressionDiagnostic)
        -> ParsedExpression
    {
        let offset = current.offset
        var name = first.lowercased()
        advance()
        while skip(":") {
            if case .word(let part, _) = current.kind {
                name += ":" + part.lowercased()
                advance()
            }
        }
        let operands = try parseOperands()
        if name == "noindex", operands.count == 1 { return operands[0] }
        if let known = Self.functions[name] {
            try require(known.count, operands, of: name, at: offset)
            return try node(.function(known.function, operands), at: offset)
        }
        if let operation = Self.operations[name] {
            try require(2, operands, of: name, at: offset)
            return try node(.arithmetic(operands[0], operation, operands[1]), at: offset)
        }
        if let function = Self.aggregates[name] {
            try require(1, operands, of: name, at: offset)
            return try node(.aggregate(function, operands[0]), at: offset)
        }
        let known = Array(Self.functions.keys) + Self.operations.keys + Self.aggregates.keys
        throw ExpressionDiagnostic(
            offset: offset, message: "there is no function '\(first)'",
            hint: nearestName(to: name, among: known.sorted()).map { "did you mean '\($0)'?" })
    }

    private mutating func parseOperands() throws(ExpressionDiagnostic) -> [ParsedExpression] {
        try expect("(")
        try enter()
        defer { leave() }
        var operands: [ParsedExpression] = []
        if !isAt(")") {
            repeat { operands.append(try parseDisjunction()) } while skip(",")
        }
        guard skip(")") else { throw unexpected("',' or ')'") }
        return operands
    }

    private func require(
        _ count: Int, _ operands: [ParsedExpression], of name: String, at offset: Int
    ) throws(ExpressionDiagnostic) {
        guard operands.count != count else { return }
        throw ExpressionDiagnostic(
            offset: offset,
            message: "'\(name)' takes \(count) argument\(count == 1 ? "" : "s"), "
                + "not \(operands.count)")
    }

    mutating func parseConditional() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        try require(3, operands, of: "TERNARY", at: offset)
        return try node(.conditional(operands[0], operands[1], operands[2]), at: offset)
    }

    /// Reads `SUBQUERY(collection, $variable, condition).@count`.
    mutating func parseSubquery() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        try expect("(")
        try enter()
        defer { leave() }
        let collection = try parseSum()
        try expect(",")
        guard case .variable(let variable) = current.kind else {
            throw unexpected("a variable such as $x")
        }
        advance()
        try expect(",")
        let condition = try parseDisjunction()
        try expect(")")
        let subquery = try node(
            .subquery(collection, variable: variable, condition: condition), at: offset)
        guard skip(".") else { return subquery }
        guard case .operation(let text) = current.kind else { throw unexpected("@count") }
        let name = ParsedExpression.Name(text: text, offset: current.offset)
        let function = try aggregate(name)
        guard function == .count else {
            throw ExpressionDiagnostic(
                offset: name.offset, message: "only @count can follow a SUBQUERY")
        }
        advance()
        return try node(.aggregate(.count, subquery), at: offset)
    }
}
