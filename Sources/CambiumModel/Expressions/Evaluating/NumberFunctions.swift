#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Arithmetic with SQLite's semantics. If an operation has no result, the value is nil.
package enum NumberFunctions {
    static func integer(_ left: Int64, _ operation: ArithmeticOperator, _ right: Int64) -> Int64? {
        switch operation {
        case .add: return whole(left.addingReportingOverflow(right))
        case .subtract: return whole(left.subtractingReportingOverflow(right))
        case .multiply: return whole(left.multipliedReportingOverflow(by: right))
        case .divide: return right == 0 ? nil : whole(left.dividedReportingOverflow(by: right))
        case .bitwiseAnd: return left & right
        case .bitwiseOr: return left | right
        case .power: return nil
        }
    }

    /// The two outermost integers count as overflow, because SQLite's conversion of greater numbers
    /// yields them.
    private static func whole(_ result: (partialValue: Int64, overflow: Bool)) -> Int64? {
        result.overflow || result.partialValue == .max || result.partialValue == .min
            ? nil : result.partialValue
    }

    static func double(_ left: Double, _ operation: ArithmeticOperator, _ right: Double) -> Double?
    {
        let result: Double
        switch operation {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply: result = left * right
        case .divide:
            guard right != 0 else { return nil }
            result = left / right
        case .power: result = pow(left, right)
        case .bitwiseAnd, .bitwiseOr: return nil
        }
        return result.isNaN ? nil : result
    }

    static func modulus(_ left: Int64, _ right: Int64) -> Int64? {
        if right == 0 { return nil }
        return right == -1 ? 0 : left % right
    }

    /// The units of an exact number at a greater scale.
    static func rescaled(_ units: Int64, by places: Int) -> Int64? {
        places == 0 ? units : integer(units, .multiply, DecimalStorage.powerOfTen(places))
    }

    static func double(units: Int64, scale: Int) -> Double {
        Double(units) / Double(DecimalStorage.powerOfTen(scale))
    }

    /// An exact sum in two halves. SQL can add it without overflow too.
    struct IntegerSum {
        private var high: Int64 = 0
        private var low: Int64 = 0

        mutating func add(_ value: Int64) {
            high += value >> 32
            low += value & 0xFFFF_FFFF
        }

        var value: Int64? {
            let upper = (high + (low >> 32)).multipliedReportingOverflow(by: 1 << 32)
            return upper.overflow
                ? nil : integer(upper.partialValue, .add, low & 0xFFFF_FFFF)
        }
    }
}

/// Arithmetic on exact numbers of any scale, the same for memory and for the store's functions.
/// Results are exact up to 38 digits and rounded beyond. Results that are too great or too small
/// are nil.
package enum DecimalFunctions {
    static func calculate(
        _ left: Decimal, _ operation: ArithmeticOperator, _ right: Decimal
    ) -> Decimal? {
        let result: Decimal
        switch operation {
        case .add: result = left + right
        case .subtract: result = left - right
        case .multiply:
            // The library traps if a product has too many decimal places.
            guard left.exponent + right.exponent >= -127 || left == 0 || right == 0 else {
                return nil
            }
            result = left * right
        case .divide:
            guard right != 0 else { return nil }
            result = left / right
        case .power, .bitwiseAnd, .bitwiseOr: return nil
        }
        return result.isFinite && OrderedDecimal.keeps(result) ? result : nil
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
