extension TypedExpression {
    /// The least and the greatest whole number, or number of units of a decimal one, that it can
    /// be; nil where 64 bits may not be enough, or nothing tells.
    ///
    /// What is bounded needs no test for overflow, which keeps its SQL flat.
    package var bounds: ClosedRange<Int64>? {
        switch self {
        case .literal(let value, let type):
            type.scale.flatMap { Self.units(value, scale: $0) }.map { $0...$0 }
        case .attribute(_, let attribute, _):
            attribute.derivation == nil ? attribute.type.narrowIntegers : nil
        case .arithmetic(let left, let operation, let right, let type):
            type.scale.flatMap { Self.bounds(left, operation, right, scale: $0) }
        case .convert(let operand, let type):
            type.scale.flatMap { operand.bounds(rescaledTo: $0) }
        case .function(let function, let operands, _):
            function.descriptor.bounds(operands)
        case .conditional(_, let first, let second):
            first.bounds.flatMap { one in second.bounds.map { one.hull(with: $0) } }
        case .aggregate(.count, _, _):
            // A database has at most so many bytes.
            0...(1 << 48)
        case .aggregate(.minimum, _, let element), .aggregate(.maximum, _, let element):
            element.bounds
        case .parameter, .object, .and, .or, .not, .comparison, .among, .amongList, .text, .exists,
            .aggregate:
            nil
        }
    }

    /// The bounds in units of a greater scale.
    package func bounds(rescaledTo scale: Int) -> ClosedRange<Int64>? {
        guard let bounds, let own = type.scale else { return nil }
        guard scale > own else { return bounds }
        let factor = DecimalStorage.powerOfTen(scale - own)
        return Self.corners(bounds, .multiply, factor...factor)
    }

    private static func units(_ value: Value, scale: Int) -> Int64? {
        switch value {
        case .int(let value): DecimalStorage.units(of: Decimal(value), scale: scale)
        case .decimal(let value): DecimalStorage.units(of: value, scale: scale)
        default: nil
        }
    }

    private static func bounds(
        _ left: TypedExpression, _ operation: ArithmeticOperator, _ right: TypedExpression,
        scale: Int
    ) -> ClosedRange<Int64>? {
        switch operation {
        case .add, .subtract:
            guard let one = left.bounds(rescaledTo: scale),
                let other = right.bounds(rescaledTo: scale)
            else { return nil }
            return corners(one, operation, other)
        case .multiply, .divide, .bitwiseAnd, .bitwiseOr, .power:
            guard let one = left.bounds, let other = right.bounds else { return nil }
            switch operation {
            case .multiply: return corners(one, .multiply, other)
            case .divide: return corners(one.hull(with: 0...0), .multiply, -1...1)
            case .bitwiseAnd where one.lowerBound >= 0 && other.lowerBound >= 0:
                return 0...min(one.upperBound, other.upperBound)
            case .bitwiseOr where one.lowerBound >= 0 && other.lowerBound >= 0:
                return corners(0...one.upperBound, .add, 0...other.upperBound)
            default: return nil
            }
        }
    }

    /// What integers can be without their signs.
    static func magnitudes(of bounds: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        corners(bounds.hull(with: 0...0), .multiply, -1...1)
    }

    /// The least and the greatest result where an operation is monotonous in both operands.
    private static func corners(
        _ left: ClosedRange<Int64>, _ operation: ArithmeticOperator, _ right: ClosedRange<Int64>
    ) -> ClosedRange<Int64>? {
        var result: ClosedRange<Int64>?
        for one in [left.lowerBound, left.upperBound] {
            for other in [right.lowerBound, right.upperBound] {
                guard let corner = NumberFunctions.integer(one, operation, other) else {
                    return nil
                }
                result = result?.hull(with: corner...corner) ?? corner...corner
            }
        }
        return result
    }
}

extension ClosedRange<Int64> {
    /// The least range that contains both.
    func hull(with other: ClosedRange<Int64>) -> ClosedRange<Int64> {
        Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
