// Arithmetic. It is exact for whole and decimal numbers; overflow and division by zero yield nil.
// The quotient of two decimals is a floating-point number, that of whole numbers a whole one.

extension KeyExpression {
    func combined<Result>(
        _ operation: ArithmeticOperator, _ value: some AttributeValue
    ) -> ComputedKey<Root, Result> {
        ComputedKey(
            .arithmetic(expression, operation, .literal(value.attributeValue)), objects: objects)
    }

    func combined<Other: KeyExpression, Result>(
        _ operation: ArithmeticOperator, _ other: Other
    ) -> ComputedKey<Root, Result> where Other.Root == Root {
        ComputedKey(
            .arithmetic(expression, operation, other.expression), objects: objects + other.objects)
    }

    func combined<Result>(
        _ operation: ArithmeticOperator, behind value: some AttributeValue
    ) -> ComputedKey<Root, Result> {
        ComputedKey(
            .arithmetic(.literal(value.attributeValue), operation, expression), objects: objects)
    }

    func applying<Result>(
        _ function: ModelFunction, _ operands: [ModelExpression] = []
    ) -> ComputedKey<Root, Result> {
        ComputedKey(.function(function, [expression] + operands), objects: objects)
    }
}

extension KeyExpression where Value: AdditiveArithmetic {
    /// The sum.
    public static func + (key: Self, value: Value) -> ComputedKey<Root, Value> {
        key.combined(.add, value)
    }

    /// The sum.
    public static func + (value: Value, key: Self) -> ComputedKey<Root, Value> {
        key.combined(.add, behind: value)
    }

    /// The sum.
    public static func + (
        key: Self, other: some KeyExpression<Root, Value>
    ) -> ComputedKey<Root, Value> {
        key.combined(.add, other)
    }

    /// The difference.
    public static func - (key: Self, value: Value) -> ComputedKey<Root, Value> {
        key.combined(.subtract, value)
    }

    /// The difference.
    public static func - (value: Value, key: Self) -> ComputedKey<Root, Value> {
        key.combined(.subtract, behind: value)
    }

    /// The difference.
    public static func - (
        key: Self, other: some KeyExpression<Root, Value>
    ) -> ComputedKey<Root, Value> {
        key.combined(.subtract, other)
    }
}

extension KeyExpression where Value: Numeric {
    /// The product.
    public static func * (key: Self, value: Value) -> ComputedKey<Root, Value> {
        key.combined(.multiply, value)
    }

    /// The product.
    public static func * (value: Value, key: Self) -> ComputedKey<Root, Value> {
        key.combined(.multiply, behind: value)
    }

    /// The product.
    public static func * (
        key: Self, other: some KeyExpression<Root, Value>
    ) -> ComputedKey<Root, Value> {
        key.combined(.multiply, other)
    }

    /// The quotient.
    public static func / (key: Self, value: Value) -> ComputedKey<Root, Value> {
        key.combined(.divide, value)
    }

    /// The quotient.
    public static func / (value: Value, key: Self) -> ComputedKey<Root, Value> {
        key.combined(.divide, behind: value)
    }

    /// The quotient.
    public static func / (
        key: Self, other: some KeyExpression<Root, Value>
    ) -> ComputedKey<Root, Value> {
        key.combined(.divide, other)
    }

    /// The number without its sign.
    public var magnitude: ComputedKey<Root, Value> {
        applying(.abs)
    }
}

extension KeyExpression where Value == Decimal {
    /// The product with a whole number, such as a price times how many.
    public static func * <Other: KeyExpression>(
        key: Self, other: Other
    ) -> ComputedKey<Root, Decimal> where Other.Root == Root, Other.Value: BinaryInteger {
        key.combined(.multiply, other)
    }
}

extension KeyExpression where Value: BinaryInteger {
    /// The remainder of a division.
    public static func % (key: Self, divisor: Value) -> ComputedKey<Root, Value> {
        key.applying(.modulus, [.literal(divisor.attributeValue)])
    }
}

extension KeyExpression where Value: BinaryFloatingPoint {
    /// The nearest whole number in a direction: `.up`, `.down` or `.towardZero`; any other rule
    /// counts as `.towardZero`.
    public func rounded(_ rule: FloatingPointRoundingRule) -> ComputedKey<Root, Value> {
        let function: ModelFunction =
            switch rule {
            case .up: .ceiling
            case .down: .floor
            default: .trunc
            }
        return applying(function)
    }

    /// The square root; nil of a negative number.
    public func squareRoot() -> ComputedKey<Root, Value> {
        applying(.sqrt)
    }
}

extension KeyExpression where Value == Date {
    /// The moment that many seconds later.
    public static func + (key: Self, seconds: Double) -> ComputedKey<Root, Date> {
        key.combined(.add, seconds)
    }

    /// The moment that many seconds earlier.
    public static func - (key: Self, seconds: Double) -> ComputedKey<Root, Date> {
        key.combined(.subtract, seconds)
    }

    /// The seconds since another moment of the object.
    public static func - (
        key: Self, other: some KeyExpression<Root, Date>
    ) -> ComputedKey<Root, Double> {
        key.combined(.subtract, other)
    }
}
