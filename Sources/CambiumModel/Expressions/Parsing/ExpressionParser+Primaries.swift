extension ExpressionParser {
    func parsePrimary() throws(ExpressionDiagnostic) -> ParsedExpression {
        let token = current
        switch token.kind {
        case .number(let digits):
            advance()
            return try node(.number(digits), at: token.offset)
        case .string(let contents):
            advance()
            return try node(.literal(.string(contents)), at: token.offset)
        case .placeholder(let format):
            return try parseArgument(format)
        case .variable(let name):
            advance()
            return try parsePath(root: .variable(name), names: [], at: token.offset)
        case .operation(let name):
            return try parseFunction(named: String(name.dropFirst()))
        case .word:
            return try parseWord()
        case .symbol("("):
            return try parseBrackets()
        case .symbol("{"):
            return try parseList()
        case .symbol, .end, .invalid:
            throw unexpected("a value")
        }
    }

    private func parseBrackets() throws(ExpressionDiagnostic) -> ParsedExpression {
        try expect("(")
        try enter()
        defer { leave() }
        let first = try parseDisjunction()
        guard isAt(",") else {
            try expect(")")
            return first
        }
        throw unexpected("')'", hint: "a list is written {a, b}")
    }

    private func parseList() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        try expect("{")
        try enter()
        defer { leave() }
        var elements: [ParsedExpression] = []
        if !isAt("}") {
            repeat { elements.append(try parseSum()) } while skip(",")
        }
        guard skip("}") else { throw unexpected("',' or '}'") }
        return try node(.list(elements), at: offset)
    }

    // MARK: Words

    private static let notSupported = [
        "FETCH":
            "run the request first and supply its result as a parameter, or write SUBQUERY over a "
            + "relationship",
        "BLOCK": "write the condition itself, so that the store can find what meets it",
        "BLOCKPREDICATE": "write the condition itself, so that the store can find what meets it",
    ]
    private static let values: [String: Value] = [
        "NIL": .null, "NULL": .null, "TRUE": .bool(true), "YES": .bool(true),
        "TRUEPREDICATE": .bool(true), "FALSE": .bool(false), "NO": .bool(false),
        "FALSEPREDICATE": .bool(false),
    ]
    /// Words that have a meaning of their own, and are names only after a `#` or a point.
    static let constants = Set(values.keys).union(["SELF"])
    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "IN", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "BETWEEN", "ANY", "ALL", "SOME", "NONE",
    ]

    private func parseWord() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        let isCall = isNext("(")
        guard case .word(let text, _) = current.kind else { throw unexpected("a value") }
        if let word = keyword {
            if let value = Self.values[word] {
                advance()
                return try node(.literal(value), at: offset)
            }
            if word == "SELF" {
                advance()
                return try parsePath(root: .subject, names: [], at: offset)
            }
            if isCall, let call = try parseCall(word) { return call }
            if Self.reserved.contains(word) {
                throw ExpressionDiagnostic(
                    offset: offset, message: "expected a value, found the keyword " + word,
                    hint: "a property of that name is written #" + word.lowercased())
            }
        }
        if isCall || isNext(":") { return try parseFunction(named: text) }
        advance()
        return try parsePath(
            root: .subject, names: [.init(text: text, offset: offset)], at: offset)
    }

    /// Reads a call of a keyword; nil if the word is not such a keyword.
    private func parseCall(
        _ word: String
    ) throws(ExpressionDiagnostic) -> ParsedExpression? {
        switch word {
        case "SUBQUERY": return try parseSubquery()
        case "TERNARY": return try parseConditional()
        case "CAST": return try parseCast()
        case "FUNCTION": return try parseMethod()
        default:
            guard let hint = Self.notSupported[word] else { return nil }
            throw ExpressionDiagnostic(
                offset: current.offset, message: "'" + word + "()' is not supported", hint: hint)
        }
    }

    private func isNext(_ symbol: String) -> Bool {
        following.isSymbol(symbol)
    }

    // MARK: Arguments

    private func parseArgument(
        _ format: String
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        let argument = try takeArgument()
        if format == "K" {
            return try parsePath(
                root: .subject, names: try names(of: argument, at: offset), at: offset)
        }
        switch argument {
        case .value(let value):
            return try node(.literal(value), at: offset)
        case .list(let values):
            return try node(
                .list(values.map { ParsedExpression(.literal($0), at: offset) }), at: offset)
        case .object(let entity, let key):
            return try node(.object(entity: entity, key: key), at: offset)
        case .objects(let entity, let keys):
            return try node(
                .list(
                    keys.map { ParsedExpression(.object(entity: entity, key: $0), at: offset) }),
                at: offset)
        }
    }

    private func takeArgument() throws(ExpressionDiagnostic) -> FormatArgument {
        guard let arguments else {
            throw ExpressionDiagnostic(
                offset: current.offset,
                message:
                    "\(current.description) is a placeholder for an argument, and there are none here",
                hint: "write the value itself, or a parameter such as $name")
        }
        guard argumentCount < arguments.count else {
            throw ExpressionDiagnostic(
                offset: current.offset, message: "there is no argument for \(current.description)")
        }
        argumentCount += 1
        advance()
        return arguments[argumentCount - 1]
    }

    private func names(
        of argument: FormatArgument, at offset: Int
    ) throws(ExpressionDiagnostic) -> [ParsedExpression.Name] {
        guard case .value(.string(let path)) = argument, !path.isEmpty else {
            throw ExpressionDiagnostic(
                offset: offset, message: "the argument of %K must be a key path")
        }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map {
            ParsedExpression.Name(text: String($0), offset: offset)
        }
        return names[0].text.uppercased() == "SELF" ? Array(names.dropFirst()) : names
    }

    // MARK: Key paths

    /// Reads the steps of a path after its first; `@sum` and its like may stand last or before the
    /// property that they are about.
    private func parsePath(
        root: PathRoot, names first: [ParsedExpression.Name], at offset: Int
    ) throws(ExpressionDiagnostic) -> ParsedExpression {
        var names = first
        while skip(".") {
            let stepOffset = current.offset
            guard names.count < ExpressionChecker.maximumPathLength else {
                throw ExpressionDiagnostic(
                    offset: stepOffset,
                    message: "a path has at most \(ExpressionChecker.maximumPathLength) names")
            }
            switch current.kind {
            case .word(let text, _), .operation(let text):
                names.append(.init(text: text, offset: stepOffset))
                advance()
            case .placeholder("K"):
                names += try self.names(of: try takeArgument(), at: stepOffset)
            default:
                throw unexpected("a name after '.'")
            }
        }
        if isAt("[") {
            try parseSubscript()
            return try node(
                .aggregate(.count, try node(.path(root, names), at: offset)), at: offset)
        }
        let operations = names.filter { $0.text.hasPrefix("@") }
        guard let operation = operations.first else {
            return try node(.path(root, names), at: offset)
        }
        let function = try aggregate(operation)
        guard operations.count == 1 else {
            throw ExpressionDiagnostic(
                offset: operations[1].offset, message: "a path can have one @ operation only")
        }
        names.removeAll { $0.text.hasPrefix("@") }
        return try node(
            .aggregate(function, try node(.path(root, names), at: offset)), at: operation.offset)
    }

    /// Reads `[SIZE]`, the number of elements, and rejects other subscripts.
    private func parseSubscript() throws(ExpressionDiagnostic) {
        let offset = current.offset
        advance()
        guard keyword == "SIZE" else {
            throw ExpressionDiagnostic(
                offset: offset, message: "elements cannot be reached by their position",
                hint: "use ANY, SUBQUERY, @min or @max over an attribute; [SIZE] is their number")
        }
        advance()
        try expect("]")
    }

    func aggregate(
        _ name: ParsedExpression.Name
    ) throws(ExpressionDiagnostic) -> AggregateFunction {
        if let function = AggregateFunction(rawValue: name.text.lowercased()) { return function }
        let known = AggregateFunction.allCases.map { $0.rawValue }
        throw ExpressionDiagnostic(
            offset: name.offset, message: "'\(name.text)' is not supported",
            hint: suggestion(for: name.text, among: known)
                ?? "there are \(known.joined(separator: ", "))")
    }
}

extension ExpressionParser {
    /// Whether a word at the start of a path has another meaning.
    static func isKeyword(_ name: String) -> Bool {
        let word = name.uppercased()
        return reserved.contains(word) || constants.contains(word)
    }
}

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
    func parseFunction(named first: String) throws(ExpressionDiagnostic)
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
            hint: suggestion(for: name, among: known.ordered(by: <)))
    }

    private func parseOperands() throws(ExpressionDiagnostic) -> [ParsedExpression] {
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
    func parseCast() throws(ExpressionDiagnostic) -> ParsedExpression {
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
    func parseMethod() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        guard operands.count == 2, case .literal(.string(let name)) = operands[1].kind,
            let function = ModelFunction.byMethod[name.lowercased()]
        else {
            let known = ModelFunction.byName.keys.ordered(by: <).joined(separator: ", ")
            throw ExpressionDiagnostic(
                offset: operands.count > 1 ? operands[1].offset : offset,
                message: "FUNCTION() calls methods of objects, which a store does not have",
                hint: "the functions are \(known)")
        }
        return try node(.function(function, [operands[0]]), at: offset)
    }

    func parseConditional() throws(ExpressionDiagnostic) -> ParsedExpression {
        let offset = current.offset
        advance()
        let operands = try parseOperands()
        try require(3, operands, of: "TERNARY", at: offset)
        return try node(.conditional(operands[0], operands[1], operands[2]), at: offset)
    }

    /// Reads `SUBQUERY(collection, $variable, condition)` and its suffix. The suffix is `.@count`,
    /// or an aggregate of an attribute: `.@min.price` or `.price.@min`.
    func parseSubquery() throws(ExpressionDiagnostic) -> ParsedExpression {
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
