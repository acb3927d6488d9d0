extension ParsedExpression {
    /// A tree that code put together, as if it had been parsed, so that there is one checker.
    ///
    /// Trees that code builds may be deeper than those of the parser; ``ExpressionChecker`` refuses
    /// too deep ones.
    init(_ expression: ModelExpression, substituting values: [String: Value]) {
        let kind = Kind(expression, 0) {
            ParsedExpression($0, substituting: values)
        } value: {
            values[$0]
        }
        self.init(kind, at: 0)
    }

    /// The same with numbers in the place of offsets.
    init(
        _ expression: ModelExpression, substituting values: [String: Value],
        places: inout TreePlaces
    ) {
        self = places.entering(expression) { places, number in
            let kind = Kind(expression, number) {
                ParsedExpression($0, substituting: values, places: &places)
            } value: {
                values[$0]
            }
            return ParsedExpression(kind, at: number)
        }
    }
}

extension ParsedExpression.Kind {
    /// - Parameters:
    ///   - place: Where it is.
    ///   - parsed: Makes its operands.
    ///   - value: The value of a parameter.
    fileprivate init(
        _ expression: ModelExpression, _ place: Int,
        parsed: (ModelExpression) -> ParsedExpression, value: (String) -> Value?
    ) {
        self =
            switch expression {
            case .literal(let value): .literal(value)
            case .refused(let reason): .refused(reason)
            case .parameter(let name):
                value(name).map { .literal($0) } ?? .path(.variable(name), [])
            case .keyPath(let root, let names):
                .path(root, names.map { ParsedExpression.Name(text: $0, offset: place) })
            case .list(let elements): .list(elements.map(parsed))
            case .and(let operands): .and(operands.map(parsed))
            case .or(let operands): .or(operands.map(parsed))
            case .not(let operand): .not(parsed(operand))
            case .comparison(let left, let relation, let right, let options):
                .comparison(parsed(left), relation, parsed(right), options)
            case .between(let operand, .parameter(let lower), .parameter(let upper))
            where lower == upper && value(lower) == nil:
                .between(parsed(operand), parsed(.parameter(lower)))
            case .between(let operand, let lower, let upper):
                .between(
                    parsed(operand),
                    ParsedExpression(.list([parsed(lower), parsed(upper)]), at: place))
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
    }
}
