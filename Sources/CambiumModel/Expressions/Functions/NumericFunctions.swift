extension FunctionDescriptor {
    static let abs = FunctionDescriptor(
        spelling: .call("abs"), arguments: ["x"], isInSQLite: { $0 != .anyDecimal },
        bounds: { $0[0].bounds.flatMap { TypedExpression.magnitudes(of: $0) } },
        typed: { operands in
            operands[0].type.isNumber ? .function(.abs, operands, operands[0].type) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .double(let number): return .double(Swift.abs(number))
            case .decimal(let number) where arguments.type == .anyDecimal:
                return .decimal(Swift.abs(number))
            default:
                let units = arguments.type.units(of: arguments.first)
                return arguments.type.value(ofUnits: units == .min ? nil : units.map(Swift.abs))
            }
        })

    static let ceiling = rounding(.ceiling, .up)
    static let floor = rounding(.floor, .down)
    static let trunc = rounding(.trunc, .towardZero)

    static let sqrt = FunctionDescriptor(
        spelling: .call("sqrt"), arguments: ["x"], parameterTypes: [.double], isCalledBySQL: true,
        typed: { operands in
            operands[0].floating.map { .function(.sqrt, [$0], .double) }
        },
        value: { arguments in
            guard case .double(let number) = arguments.first, number >= 0 else { return .null }
            return .double(number.squareRoot())
        })

    static let modulus = FunctionDescriptor(
        spelling: .call("modulus:by"), arguments: ["a", "b"],
        parameterTypes: [.integer, .integer], isInSQLite: { _ in true },
        bounds: { $0[0].bounds?.hull(with: 0...0) },
        typed: { operands in
            operands.allSatisfy { $0.type == .integer }
                ? .function(.modulus, operands, .integer) : nil
        },
        value: { arguments in
            guard case .int(let number) = arguments.first, case .int(let divisor) = arguments.second
            else { return .null }
            return NumberFunctions.modulus(number, divisor).map { .int($0) } ?? .null
        })
}
