/// Arithmetic on exact numbers of any scale, the same for memory and for the store's functions.
/// Results are exact up to 38 digits and rounded beyond; what is too great or too small is nil.
package enum DecimalFunctions {
    static func calculate(
        _ left: Decimal, _ operation: ArithmeticOperator, _ right: Decimal
    ) -> Decimal? {
        let result: Decimal
        switch operation {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply:
            // The library traps where a product has too many places.
            guard left.exponent + right.exponent >= -127 || left == 0 || right == 0 else {
                return nil
            }
            result = left * right
        case .divide:
            guard right != 0 else { return nil }
            result = left / right
        case .power, .bitwiseAnd, .bitwiseOr: return nil
        }
        return result.isFinite ? result : nil
    }

    /// The sum, in the order of the numbers, so that rounding does not depend on the order of rows.
    static func sum(_ values: [Decimal]) -> Decimal? {
        var sum = Decimal(0)
        for value in values.sorted() {
            guard let next = calculate(sum, .add, value) else { return nil }
            sum = next
        }
        return sum
    }

    /// The mean; nil of none.
    static func average(_ values: [Decimal]) -> Decimal? {
        sum(values).flatMap { calculate($0, .divide, Decimal(values.count)) }
    }

    package static func double(_ value: Decimal) -> Double {
        Double(value.description) ?? .nan
    }
}
