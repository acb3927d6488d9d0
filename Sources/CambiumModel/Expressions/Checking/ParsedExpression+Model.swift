extension ParsedExpression {
    /// A tree that code put together, as if it had been parsed, so that there is one checker.
    ///
    /// Trees that code builds may be deeper than those of the parser; ``ExpressionChecker`` refuses
    /// too deep ones.
    init(_ expression: ModelExpression, substituting values: [String: Value]) {
        func parsed(_ expression: ModelExpression) -> ParsedExpression {
            ParsedExpression(expression, substituting: values)
        }
        let kind: Kind =
            switch expression {
            case .literal(let value): .literal(value)
            case .parameter(let name):
                values[name].map { .literal($0) } ?? .path(.variable(name), [])
            case .keyPath(let root, let names):
                .path(root, names.map { Name(text: $0, offset: 0) })
            case .list(let elements): .list(elements.map(parsed))
            case .and(let operands): .and(operands.map(parsed))
            case .or(let operands): .or(operands.map(parsed))
            case .not(let operand): .not(parsed(operand))
            case .comparison(let left, let relation, let right, let options):
                .comparison(parsed(left), relation, parsed(right), options)
            case .between(let operand, .parameter(let lower), .parameter(let upper))
            where lower == upper && values[lower] == nil:
                .between(parsed(operand), parsed(.parameter(lower)))
            case .between(let operand, let lower, let upper):
                .between(
                    parsed(operand),
                    ParsedExpression(.list([parsed(lower), parsed(upper)]), at: 0))
            case .quantified(let quantifier, let comparison):
                .quantified(quantifier, parsed(comparison))
            case .arithmetic(let left, let operation, let right):
                .arithmetic(parsed(left), operation, parsed(right))
            case .function(let function, let operands):
                .function(function, operands.map(parsed))
            case .aggregate(let function, let operand): .aggregate(function, parsed(operand))
            case .subquery(let collection, let variable, let condition):
                .subquery(
                    parsed(collection), variable: variable, condition: parsed(condition), value: [])
            case .conditional(let condition, let first, let second):
                .conditional(parsed(condition), parsed(first), parsed(second))
            }
        self.init(kind, at: 0)
    }
}
