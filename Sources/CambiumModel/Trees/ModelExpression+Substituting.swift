extension ModelExpression {
    /// The same expression with arguments in place of its parameters, single values or lists.
    /// Parameters without an argument stay.
    package func substituting(_ arguments: [String: FormatArgument]) -> ModelExpression {
        guard !arguments.isEmpty else { return self }
        return transformed { expression in
            switch expression {
            case .parameter(let name):
                switch arguments[name] {
                case .value(let value): .literal(value)
                case .list(let values): .list(values.map { .literal($0) })
                case .object(_, let key): .literal(.int(key))
                case .objects(_, let keys): .list(keys.map { .literal(.int($0)) })
                case nil: nil
                }
            case .between(let operand, .parameter(let lower), .parameter(let upper))
            where lower == upper:
                if case .list(let values) = arguments[lower], values.count == 2 {
                    .between(
                        operand.substituting(arguments), lower: .literal(values[0]),
                        upper: .literal(values[1]))
                } else {
                    nil
                }
            default: nil
            }
        }
    }

    /// The tree in which a function has replaced parts, from the root downwards; the operands of
    /// what it leaves (nil) are looked at in turn.
    package func transformed(_ replace: (ModelExpression) -> ModelExpression?) -> ModelExpression {
        if let replacement = replace(self) { return replacement }
        func new(_ operand: ModelExpression) -> ModelExpression { operand.transformed(replace) }
        switch self {
        case .literal, .keyPath, .parameter, .refused: return self
        case .list(let operands): return .list(operands.map(new))
        case .and(let operands): return .and(operands.map(new))
        case .or(let operands): return .or(operands.map(new))
        case .not(let operand): return .not(new(operand))
        case .comparison(let left, let relation, let right, let options):
            return .comparison(new(left), relation, new(right), options)
        case .between(let operand, let lower, let upper):
            return .between(new(operand), lower: new(lower), upper: new(upper))
        case .quantified(let quantifier, let comparison):
            return .quantified(quantifier, new(comparison))
        case .arithmetic(let left, let operation, let right):
            return .arithmetic(new(left), operation, new(right))
        case .function(let function, let operands):
            return .function(function, operands.map(new))
        case .aggregate(let function, let operand): return .aggregate(function, new(operand))
        case .subquery(let path, let variable, let condition):
            return .subquery(new(path), variable: variable, condition: new(condition))
        case .conditional(let condition, let first, let second):
            return .conditional(new(condition), then: new(first), otherwise: new(second))
        }
    }

    /// Looks at all parts, the whole first.
    package func visit(_ body: (ModelExpression) -> Void) {
        body(self)
        for operand in operands { operand.visit(body) }
    }

    /// The operands of the node itself.
    package var operands: [ModelExpression] {
        switch self {
        case .literal, .keyPath, .parameter, .refused: []
        case .list(let operands), .and(let operands), .or(let operands),
            .function(_, let operands):
            operands
        case .not(let operand), .quantified(_, let operand), .aggregate(_, let operand): [operand]
        case .comparison(let left, _, let right, _), .arithmetic(let left, _, let right),
            .subquery(let left, _, let right):
            [left, right]
        case .between(let one, let two, let three), .conditional(let one, let two, let three):
            [one, two, three]
        }
    }
}
