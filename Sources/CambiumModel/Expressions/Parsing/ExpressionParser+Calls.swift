extension ExpressionParser {
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
        if let function = ModelFunction.byName[name] {
            try require(function.descriptor.arguments.count, operands, of: name, at: offset)
            return try node(.function(function, operands), at: offset)
        }
        if let operation = Self.operations[name] {
            try require(2, operands, of: name, at: offset)
            return try node(.arithmetic(operands[0], operation, operands[1]), at: offset)
        }
        if let function = Self.aggregates[name] {
            try require(1, operands, of: name, at: offset)
            return try node(.aggregate(function, operands[0]), at: offset)
        }
        let known = Array(ModelFunction.byName.keys) + Self.operations.keys + Self.aggregates.keys
        throw ExpressionDiagnostic(
            offset: offset, message: "there is no function '\(first)'",
            hint: nearestName(to: name, among: known.sorted()).map { "did you mean '\($0)'?" })
    }

    private mutating func parseOperands() throws(ExpressionDiagnostic) -> [ParsedExpression] {
        try expect("(")
        // Twice, because reading a call takes the stack that two brackets do.
        try enter()
        try enter()
        defer {
            leave()
            leave()
        }
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

    // MARK: Calls in capitals

    /// Reads `CAST(value, 'NSNumber')`.
    mutating func parseCast() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        try require(2, operands, of: "CAST", at: offset)
        guard case .literal(.string(let name)) = operands[1].kind,
            let function = ModelFunction.byCast[name.lowercased()]
        else {
            throw ExpressionDiagnostic(
                offset: operands[1].offset, message: "CAST does not know this type",
                hint: "write 'NSString', 'NSNumber' or 'NSDate'")
        }
        return try node(.function(function, [operands[0]]), at: offset)
    }

    /// Reads `FUNCTION(value, 'method')`.
    mutating func parseMethod() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        guard operands.count == 2, case .literal(.string(let name)) = operands[1].kind,
            let function = ModelFunction.byMethod[name.lowercased()]
        else {
            let known = ModelFunction.byName.keys.sorted().joined(separator: ", ")
            throw ExpressionDiagnostic(
                offset: operands.count > 1 ? operands[1].offset : offset,
                message: "FUNCTION() calls methods of objects, which a store does not have",
                hint: "the functions are \(known)")
        }
        return try node(.function(function, [operands[0]]), at: offset)
    }

    mutating func parseConditional() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        try require(3, operands, of: "TERNARY", at: offset)
        return try node(.conditional(operands[0], operands[1], operands[2]), at: offset)
    }

    /// Reads `SUBQUERY(collection, $variable, condition)` with what stands behind it: `.@count`, or
    /// an aggregate of an attribute, `.@min.price` or `.price.@min`.
    mutating func parseSubquery() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        try expect("(")
        // Twice, because checking one takes the stack that two brackets do.
        try enter()
        try enter()
        defer {
            leave()
            leave()
        }
        let collection = try parseSum()
        try expect(",")
        guard case .variable(let variable) = current.kind else {
            throw unexpected("a variable such as $x")
        }
        advance()
        try expect(",")
        let condition = try parseDisjunction()
        try expect(")")
        var names: [ParsedExpression.Name] = []
        var function: (AggregateFunction, offset: Int)?
        while skip(".") {
            let name: ParsedExpression.Name
            switch current.kind {
            case .word(let text, _): name = .init(text: text, offset: current.offset)
            case .operation(let text):
                guard function == nil else {
                    throw ExpressionDiagnostic(
                        offset: current.offset, message: "a path can have one @ operation only")
                }
                name = .init(text: text, offset: current.offset)
                function = (try aggregate(name), current.offset)
            default: throw unexpected("a name after '.'")
            }
            if !name.text.hasPrefix("@") { names.append(name) }
            advance()
        }
        let subquery = try node(
            .subquery(collection, variable: variable, condition: condition, value: names),
            at: offset)
        guard let function else { return subquery }
        return try node(.aggregate(function.0, subquery), at: function.offset)
    }
}
