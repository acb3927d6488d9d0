// Comparisons with values and with each other. A path may lead through a missing object, so that
// everything can be compared with nil.

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

    /// The complement of equal: true of a value and nil.
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

    /// One of the values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        compared(.in, .list(values.map { .literal($0.attributeValue) }))
    }
}

extension KeyExpression where Value: Comparable {
    /// Less than the value. False of nil.
    public static func < (key: Self, value: Value) -> Condition<Root> {
        key.compared(.less, value)
    }

    /// At most the value. False of nil.
    public static func <= (key: Self, value: Value) -> Condition<Root> {
        key.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False of nil.
    public static func > (key: Self, value: Value) -> Condition<Root> {
        key.compared(.greater, value)
    }

    /// At least the value. False of nil.
    public static func >= (key: Self, value: Value) -> Condition<Root> {
        key.compared(.greaterOrEqual, value)
    }

    /// Less than another value of the object. False where one is nil.
    public static func < (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.less, other)
    }

    /// At most another value of the object. False where one is nil.
    public static func <= (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.lessOrEqual, other)
    }

    /// Greater than another value of the object. False where one is nil.
    public static func > (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.greater, other)
    }

    /// At least another value of the object. False where one is nil.
    public static func >= (key: Self, other: some KeyExpression<Root, Value>) -> Condition<Root> {
        key.compared(.greaterOrEqual, other)
    }

    /// In the range, whose bounds belong to it. False of nil.
    public func between(_ range: ClosedRange<Value>) -> Condition<Root> {
        Condition(
            .between(
                expression, lower: .literal(range.lowerBound.attributeValue),
                upper: .literal(range.upperBound.attributeValue)),
            objects: objects)
    }

    /// In the range, whose upper bound does not belong to it. False of nil.
    public func between(_ range: Range<Value>) -> Condition<Root> {
        self >= range.lowerBound && self < range.upperBound
    }
}
