// Optionals. A path that leads through a missing object is nil, and so is what is computed from
// nil, so that most of them need nothing.

extension PredicateExpressions.ForcedUnwrap: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.meaning(inner)
    }
}

extension PredicateExpressions.NilCoalesce: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        if case .literal(let constant) = left { return .value(constant == .null ? right : left) }
        // What optional chaining has made of a condition is never nil where there is a value.
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
    /// Whether it is surely nil where another value is.
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
