/// A value of an object for conditions: a ``Key``, or a value computed from keys, such as
/// `Product.price * 2`, `Product.title.length` or `Category.products.price.sum`.
///
/// Keys and computed values have the same operators and functions. They can be compared with
/// constants and with each other.
///
/// ## Topics
///
/// ### Comparisons with values
///
/// - ``==(_:_:)-(_,Self.Value?)``
/// - ``!=(_:_:)-(_,Self.Value?)``
/// - ``<(_:_:)-(_,Self.Value)``
/// - ``<=(_:_:)-(_,Self.Value)``
/// - ``>(_:_:)-(_,Self.Value)``
/// - ``>=(_:_:)-(_,Self.Value)``
/// - ``between(_:)-(ClosedRange<Self.Value>)``
/// - ``between(_:)-(Range<Self.Value>)``
/// - ``in(_:)``
///
/// ### Comparisons with other values of the object
///
/// - ``==(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``!=(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``<(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``<=(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``>(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``>=(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
///
/// ### Conditions on strings
///
/// - ``contains(_:_:)-(String,_)``
/// - ``hasPrefix(_:_:)-(String,_)``
/// - ``hasSuffix(_:_:)-(String,_)``
/// - ``isEqual(to:_:)-(String,_)``
/// - ``contains(_:_:)-(KeyExpression<Self.Root,String>,_)``
/// - ``hasPrefix(_:_:)-(KeyExpression<Self.Root,String>,_)``
/// - ``hasSuffix(_:_:)-(KeyExpression<Self.Root,String>,_)``
/// - ``isEqual(to:_:)-(KeyExpression<Self.Root,String>,_)``
/// - ``like(_:_:)``
/// - ``matches(_:_:)``
///
/// ### Conditions from Booleans
///
/// - ``&&(_:_:)-(_,Other)``
/// - ``&&(_:_:)-(_,Condition<Self.Root>)``
/// - ``&&(_:_:)-(_,Self)``
/// - ``||(_:_:)-(_,Other)``
/// - ``||(_:_:)-(_,Condition<Self.Root>)``
/// - ``||(_:_:)-(_,Self)``
/// - ``!(_:)``
///
/// ### Orders
///
/// - ``ascending``
/// - ``descending``
/// - ``ascending(_:)``
/// - ``descending(_:)``
///
/// ### Aggregates and result columns
///
/// - ``count``
/// - ``sum``
/// - ``average``
/// - ``min``
/// - ``max``
/// - ``required``
///
/// ### Computed numbers
///
/// - ``+(_:_:)-(_,Self.Value)``
/// - ``+(_:_:)-(Self.Value,_)``
/// - ``+(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``-(_:_:)-1ghzz``
/// - ``-(_:_:)-hky0``
/// - ``-(_:_:)-7kt6n``
/// - ``*(_:_:)-(_,Self.Value)``
/// - ``*(_:_:)-(_,Self)``
/// - ``*(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``*(_:_:)->ComputedKey<Self.Root,Decimal>``
/// - ``/(_:_:)-(_,Self.Value)``
/// - ``/(_:_:)-(_,Self)``
/// - ``/(_:_:)-(_,KeyExpression<Self.Root,Self.Value>)``
/// - ``%(_:_:)``
/// - ``magnitude``
/// - ``rounded(_:)``
/// - ``squareRoot()``
///
/// ### Computed strings
///
/// - ``+(_:_:)-(_,String)``
/// - ``+(_:_:)-(String,_)``
/// - ``+(_:_:)-(_,KeyExpression<Self.Root,String>)``
/// - ``lowercased()``
/// - ``uppercased()``
/// - ``canonical()``
/// - ``trimmed()``
/// - ``prefix(_:)``
/// - ``suffix(_:)``
/// - ``substring(from:length:)``
/// - ``replacing(_:with:)``
/// - ``firstIndex(of:)``
/// - ``length-2if5v``
///
/// ### Computed dates and lengths of data
///
/// - ``+(_:_:)->ComputedKey<Self.Root,Date>``
/// - ``-(_:_:)-2o162``
/// - ``-(_:_:)-bw31``
/// - ``length-67g2i``
///
/// ### Requirements
///
/// - ``Root``
/// - ``Value``
/// - ``expression``
/// - ``objects``
public protocol KeyExpression<Root, Value>: Sendable {
    /// The class of the objects that have the value.
    associatedtype Root: ManagedObject
    /// The type of the value, without the optional. Every value can be nil: it is nil if a path
    /// passes through a missing object.
    associatedtype Value: AttributeValue
    /// The tree that is lowered to SQL and evaluated in memory.
    var expression: ModelExpression { get }
    /// The objects that the expression names. A request checks that they belong to its stores.
    var objects: [ObjectID] { get }
}

extension Key: KeyExpression {
    /// An empty array: a path names no object.
    public var objects: [ObjectID] { [] }
}

/// A value that is computed for each object, with the same result in the store and in memory.
/// Overflow, division by zero and a computation from nil yield nil.
public struct ComputedKey<Root: ManagedObject, Value: AttributeValue>: KeyExpression {
    /// The tree that is lowered to SQL and evaluated in memory.
    public let expression: ModelExpression
    /// The objects that the expression names.
    public let objects: [ObjectID]

    /// Creates a value from a tree. It is checked against the model when it is used.
    public init(_ expression: ModelExpression) {
        self.init(expression, objects: [])
    }

    init(_ expression: ModelExpression, objects: [ObjectID]) {
        self.expression = expression.limited
        self.objects = objects
    }
}

// Comparisons with constants and with each other. A path may pass through a missing object, so
// every value can be compared with nil.

extension KeyExpression {
    func compared(_ relation: ComparisonOperator, _ value: Value?) -> Condition<Root> {
        let constant = value?.attributeValue ?? .null
        return compared(relation, .literal(constant))
    }

    func compared(
        _ relation: ComparisonOperator, _ other: ModelExpression, _ options: ComparisonOptions = []
    ) -> Condition<Root> {
        Condition(.comparison(expression, relation, other, options), objects: objects)
    }

    func compared<Other: KeyExpression>(
        _ relation: ComparisonOperator, _ other: Other, _ options: ComparisonOptions = []
    ) -> Condition<Root> where Other.Root == Root {
        Condition(
            .comparison(expression, relation, other.expression, options),
            objects: objects + other.objects)
    }

    /// Equal, or both nil.
    public static func == (key: Self, value: Value?) -> Condition<Root> {
        key.compared(.equal, value)
    }

    /// Returns the condition that the values are not equal. It is true if exactly one of them is
    /// nil.
    public static func != (key: Self, value: Value?) -> Condition<Root> {
        key.compared(.notEqual, value)
    }

    /// Equal to another value of the object, or both nil.
    public static func == (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.equal, other)
    }

    /// Different from another value of the object.
    public static func != (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.notEqual, other)
    }

    /// Returns the condition that the value is one of these values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        compared(.in, .list(values.map { .literal($0.attributeValue) }))
    }
}

extension KeyExpression where Value: Comparable {
    /// Returns the condition that the property is less than a value. It is false for nil.
    public static func < (key: Self, value: Value) -> Condition<Root> {
        key.compared(.less, value)
    }

    /// Returns the condition that the property is at most a value. It is false for nil.
    public static func <= (key: Self, value: Value) -> Condition<Root> {
        key.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False for nil.
    public static func > (key: Self, value: Value) -> Condition<Root> {
        key.compared(.greater, value)
    }

    /// Returns the condition that the property is at least a value. It is false for nil.
    public static func >= (key: Self, value: Value) -> Condition<Root> {
        key.compared(.greaterOrEqual, value)
    }

    /// Returns the condition that the property is less than another value of the object. It is
    /// false if one of them is nil.
    public static func < (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.less, other)
    }

    /// Returns the condition that the property is at most another value of the object. It is false
    /// if one of them is nil.
    public static func <= (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.lessOrEqual, other)
    }

    /// Greater than another value of the object. False if one is nil.
    public static func > (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.greater, other)
    }

    /// Returns the condition that the property is at least another value of the object. It is false
    /// if one of them is nil.
    public static func >= (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.greaterOrEqual, other)
    }

    /// Returns the condition that the property is in the range, including both bounds. It is false
    /// for nil.
    public func between(_ range: ClosedRange<Value>) -> Condition<Root> {
        Condition(
            .between(
                expression, lower: .literal(range.lowerBound.attributeValue),
                upper: .literal(range.upperBound.attributeValue)),
            objects: objects)
    }

    /// Returns the condition that the property is in the range, excluding its upper bound. It is
    /// false for nil.
    public func between(_ range: Range<Value>) -> Condition<Root> {
        self >= range.lowerBound && self < range.upperBound
    }
}

// A Boolean is a condition by itself. Nil counts as false.

extension Condition {
    /// Creates the condition that a Boolean is true: `Condition(Product.isOnSale)`. `filter`, `&&`,
    /// `||` and `!` take the key itself. Nil counts as false.
    public init(_ key: some KeyExpression<Root, Bool>) {
        self = key.compared(.equal, true)
    }
}

extension KeyExpression where Value == Bool {
    /// The Boolean is not true: false or nil.
    public static prefix func ! (key: Self) -> Condition<Root> {
        !Condition(key)
    }

    /// Returns a condition that is true if both operands are true.
    public static func && (key: Self, condition: Condition<Root>) -> Condition<Root> {
        Condition(key) && condition
    }

    /// Returns a condition that is true if both operands are true.
    public static func && (condition: Condition<Root>, key: Self) -> Condition<Root> {
        condition && Condition(key)
    }

    /// Returns a condition that is true if both operands are true.
    public static func && <Other: KeyExpression<Root, Bool>>(
        key: Self, other: Other
    ) -> Condition<Root> {
        Condition(key) && Condition(other)
    }

    /// Returns a condition that is true if at least one operand is true.
    public static func || (key: Self, condition: Condition<Root>) -> Condition<Root> {
        Condition(key) || condition
    }

    /// Returns a condition that is true if at least one operand is true.
    public static func || (condition: Condition<Root>, key: Self) -> Condition<Root> {
        condition || Condition(key)
    }

    /// Returns a condition that is true if at least one operand is true.
    public static func || <Other: KeyExpression<Root, Bool>>(
        key: Self, other: Other
    ) -> Condition<Root> {
        Condition(key) || Condition(other)
    }
}

// Arithmetic. It is exact for integers and decimals; overflow and division by zero yield nil. The
// quotient of two decimals is a floating-point number, the quotient of integers an integer.

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
    /// The product with an integer, such as a price times a count.
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
    /// The number rounded to an integer: `.up`, `.down` or `.towardZero`; any other rule counts as
    /// `.towardZero`.
    public func rounded(_ rule: FloatingPointRoundingRule) -> ComputedKey<Root, Value> {
        let function: ModelFunction =
            switch rule {
            case .up: .ceiling
            case .down: .floor
            default: .trunc
            }
        return applying(function)
    }

    /// The square root, or nil for a negative number.
    public func squareRoot() -> ComputedKey<Root, Value> {
        applying(.sqrt)
    }
}

extension KeyExpression where Value == Date {
    /// The date that is this many seconds later.
    public static func + (key: Self, seconds: Double) -> ComputedKey<Root, Date> {
        key.combined(.add, seconds)
    }

    /// The date that is this many seconds earlier.
    public static func - (key: Self, seconds: Double) -> ComputedKey<Root, Date> {
        key.combined(.subtract, seconds)
    }

    /// The seconds since another date of the object.
    public static func - (
        key: Self, other: some KeyExpression<Root, Date>
    ) -> ComputedKey<Root, Double> {
        key.combined(.subtract, other)
    }
}
