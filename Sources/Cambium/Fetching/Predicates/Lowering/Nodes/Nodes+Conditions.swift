// Logic and comparisons.

extension PredicateExpressions.Conjunction: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.and([left, right]))
    }
}

extension PredicateExpressions.Disjunction: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.or([left, right]))
    }
}

extension PredicateExpressions.Negation: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        .value(.not(try lowering.value(wrapped)))
    }
}

extension PredicateExpressions.Equal: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(left.isEqual(to: right))
    }
}

extension PredicateExpressions.NotEqual: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.comparison(left, .notEqual, right, []))
    }
}

extension PredicateExpressions.Comparison: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        let relation: ComparisonOperator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default:
                throw UnsupportedPredicateError(
                    part: "\(op)", reason: "this comparison is not known",
                    remedy: "Write it with <, <=, > or >=")
            }
        return .value(.comparison(left, relation, right, []))
    }
}

extension ModelExpression {
    /// Returns the comparison: equal, or both nil. It simplifies the conditional that optional
    /// chaining makes of a condition, as in `a?.isB == true`.
    fileprivate func isEqual(to other: ModelExpression) -> ModelExpression {
        if case .conditional(let test, let condition, .literal(.null)) = self,
            case .literal(.bool(let wanted)) = other
        {
            return .and([test, wanted ? condition : .not(condition)])
        }
        return .comparison(self, .equal, other, [])
    }
}

// Optionals. A path through a missing object is nil, and a computation from nil is nil. Most of
// these nodes need no translation for that reason.

extension PredicateExpressions.ForcedUnwrap: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.meaning(inner)
    }
}

extension PredicateExpressions.NilCoalesce: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        if case .literal(let constant) = left { return .value(constant == .null ? right : left) }
        // A condition with optional chaining is nil only if its object is nil.
        if case .conditional(let test, let condition, .literal(.null)) = left {
            switch right {
            case .literal(.bool(false)): return .value(.and([test, condition]))
            case .literal(.bool(true)): return .value(.or([.not(test), condition]))
            default: break
            }
        }
        return .value(left.otherwise(right))
    }
}

extension PredicateExpressions.OptionalFlatMap: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let meaning = try lowering.meaning(wrapped)
        let shadowed = lowering.meanings.updateValue(meaning, forKey: variable.key)
        defer { lowering.meanings[variable.key] = shadowed }
        let result = try lowering.meaning(transform)
        guard case .value(let value) = result, let source = meaning.value,
            !value.isNil(where: source)
        else { return result }
        return .value(
            .conditional(
                .comparison(source, .notEqual, .literal(.null), []), then: value,
                otherwise: .literal(.null)))
    }
}

extension ModelExpression {
    /// Returns whether this expression is certainly nil if another value is nil.
    fileprivate func isNil(where source: ModelExpression) -> Bool {
        if self == source { return true }
        switch self {
        case .keyPath(let root, let names):
            guard case .keyPath(root, let start) = source else { return false }
            return names.starts(with: start)
        case .arithmetic(let left, _, let right):
            return left.isNil(where: source) || right.isNil(where: source)
        case .function(_, let operands):
            return operands.contains { $0.isNil(where: source) }
        default:
            return false
        }
    }
}

// To-many relationships, captured lists, ranges and strings.

extension PredicateExpressions.SequenceContains: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let collection = try lowering.meaning(sequence)
        let element = try lowering.value(element)
        switch collection {
        case .list(let values):
            return .value(.comparison(element, .in, .list(values), []))
        case .members(let members):
            guard members.condition != nil else {
                return .value(.comparison(element, .in, members.path, []))
            }
            let member = ModelExpression.keyPath(root: .variable(members.variable), names: [])
            let count = members.count(where: .comparison(member, .equal, element, []))
            return .value(.comparison(count, .greater, .literal(.int(0)), []))
        case .range: return .value(collection.contains(element))
        case .value(let text):
            return .value(.comparison(text, .contains, element, []))
        case .object, .composite:
            throw PredicateLowering.noCollection(collection, sequence)
        }
    }
}

extension PredicateExpressions.SequenceContainsWhere: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let collection = try lowering.meaning(sequence)
        return try lowering.quantified(collection, sequence, variable.key, test, isEvery: false)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let collection = try lowering.meaning(sequence)
        return try lowering.quantified(collection, sequence, variable.key, test, isEvery: true)
    }
}

extension PredicateExpressions.Filter: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let collection = try lowering.meaning(sequence)
        guard case .members(var members) = collection else {
            throw PredicateLowering.noCollection(collection, sequence)
        }
        lowering.meanings[variable.key] = members.member
        let test = try lowering.value(filter)
        members.condition = members.condition.map { .and([$0, test]) } ?? test
        return .members(members)
    }
}

extension PredicateExpressions.SequenceMaximum: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.constant(self)
    }
}

extension PredicateExpressions.SequenceMinimum: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.constant(self)
    }
}

extension PredicateExpressions.Range: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (from, to) = try lowering.values(lower, upper)
        return .range(lower: from, upper: to, includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (from, to) = try lowering.values(lower, upper)
        return .range(lower: from, upper: to, includesUpper: true)
    }
}

extension PredicateExpressions.RangeExpressionContains: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let bounds = try lowering.meaning(range)
        guard case .range = bounds else { throw PredicateLowering.noCollection(bounds, range) }
        return .value(bounds.contains(try lowering.value(element)))
    }
}

extension PredicateMeaning {
    /// Returns the condition that a range contains a value.
    fileprivate func contains(_ element: ModelExpression) -> ModelExpression {
        guard case .range(let lower, let upper, let includesUpper) = self else { return .or([]) }
        if let lower, let upper, includesUpper {
            return .between(element, lower: lower, upper: upper)
        }
        let from = lower.map { ModelExpression.comparison(element, .greaterOrEqual, $0, []) }
        let to = upper.map {
            ModelExpression.comparison(element, includesUpper ? .lessOrEqual : .less, $0, [])
        }
        return .and([from, to].compactMap(\.self))
    }
}

extension PredicateLowering {
    /// Returns the condition that some or all members meet a condition.
    fileprivate mutating func quantified(
        _ collection: PredicateMeaning, _ sequence: some PredicateExpression,
        _ variable: PredicateExpressions.VariableID, _ test: some PredicateExpression,
        isEvery: Bool
    ) throws -> PredicateMeaning {
        switch collection {
        case .members(let members):
            meanings[variable] = members.member
            let test = try value(test)
            let count = members.count(where: isEvery ? .not(test) : test)
            let relation: ComparisonOperator = isEvery ? .equal : .greater
            return .value(.comparison(count, relation, .literal(.int(0)), []))
        case .list(let values):
            // The test is repeated for each value of the list.
            let tests = try values.map { element in
                meanings[variable] = .value(element)
                return try value(test)
            }
            return .value(isEvery ? .and(tests) : .or(tests))
        case .value, .object, .composite, .range:
            throw Self.noCollection(collection, sequence)
        }
    }

    /// Evaluates a node that needs no object.
    fileprivate mutating func constant(_ node: some PredicateExpression) throws -> PredicateMeaning
    {
        guard let value = try? node.evaluate(PredicateBindings()) else {
            throw UnsupportedPredicateError(
                part: Self.name(of: node), reason: "only the store can compute it",
                remedy: "Compare with contains(where:) or allSatisfy, or use a condition of keys "
                    + "such as Category.products.price.max < 5")
        }
        return try captured(value)
    }

    static func noCollection(
        _ meaning: PredicateMeaning, _ node: some PredicateExpression
    ) -> UnsupportedPredicateError {
        UnsupportedPredicateError(
            part: name(of: node), reason: "\(meaning.description) has no members",
            remedy: "Use a to-many relationship, or a captured list or range")
    }
}
