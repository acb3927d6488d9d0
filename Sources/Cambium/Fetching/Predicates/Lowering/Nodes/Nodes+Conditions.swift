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
    /// Equal, or both nil. What optional chaining has made of a condition, `a?.isB == true`, is
    /// taken apart again.
    fileprivate func isEqual(to other: ModelExpression) -> ModelExpression {
        if case .conditional(let test, let condition, .literal(.null)) = self,
            case .literal(.bool(let wanted)) = other
        {
            return .and([test, wanted ? condition : .not(condition)])
        }
        return .comparison(self, .equal, other, [])
    }
}
