// Constants, variables, arithmetic and choices.

extension PredicateExpressions.Value: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        try lowering.captured(value)
    }
}

extension PredicateExpressions.NilLiteral: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        .value(.literal(.null))
    }
}

extension PredicateExpressions.Variable: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        guard let meaning = lowering.meanings[key] else {
            throw UnsupportedPredicateError(
                part: "a variable of \(Output.self)",
                reason: "it stands for nothing where it is used",
                remedy: "Use the variables of the predicate's own closures")
        }
        return meaning
    }
}

extension PredicateExpressions.Arithmetic: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        let operation: ArithmeticOperator =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default:
                throw UnsupportedPredicateError(
                    part: "\(op)", reason: "this operation is not known",
                    remedy: "Write it with +, -, * or /")
            }
        return .value(.arithmetic(left, operation, right))
    }
}

extension PredicateExpressions.UnaryMinus: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        .value(.arithmetic(.literal(.int(0)), .subtract, try lowering.value(wrapped)))
    }
}

extension PredicateExpressions.FloatDivision: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.arithmetic(left, .divide, right))
    }
}

extension PredicateExpressions.IntDivision: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.arithmetic(left, .divide, right))
    }
}

extension PredicateExpressions.IntRemainder: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let (left, right) = try lowering.values(lhs, rhs)
        return .value(.function(.modulus, [left, right]))
    }
}

extension PredicateExpressions.Conditional: LowerableNode {
    func lower(_ lowering: inout PredicateLowering) throws -> PredicateMeaning {
        let test = try lowering.value(test)
        let (first, second) = try lowering.values(trueBranch, falseBranch)
        return .value(.conditional(test, then: first, otherwise: second))
    }
}
