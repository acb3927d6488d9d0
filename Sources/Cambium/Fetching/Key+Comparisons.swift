// Comparisons of keys with values. A path may lead through a missing object, so that every key can
// be compared with nil.

extension Key {
    private func compared(_ relation: ComparisonOperator, _ value: Value?) -> Condition<Root> {
        let constant = value?.attributeValue ?? .null
        return Condition(.comparison(expression, relation, .literal(constant), []))
    }

    /// Equal, or both nil.
    public static func == (key: Key, value: Value?) -> Condition<Root> {
        key.compared(.equal, value)
    }

    /// The complement of equal: true of a value and nil.
    public static func != (key: Key, value: Value?) -> Condition<Root> {
        key.compared(.notEqual, value)
    }

    /// One of the values.
    public func `in`(_ values: some Sequence<Value>) -> Condition<Root> {
        Condition(
            .comparison(
                expression, .in, .list(values.map { .literal($0.attributeValue) }), []))
    }

    /// Equal to the value of another attribute, or both nil.
    public static func == (key: Key, other: Key) -> Condition<Root> {
        Condition(.comparison(key.expression, .equal, other.expression, []))
    }

    /// Different from the value of another attribute.
    public static func != (key: Key, other: Key) -> Condition<Root> {
        Condition(.comparison(key.expression, .notEqual, other.expression, []))
    }
}

extension Key where Value: Comparable {
    /// Less than the value. False of nil.
    public static func < (key: Key, value: Value) -> Condition<Root> {
        key.compared(.less, value)
    }

    /// At most the value. False of nil.
    public static func <= (key: Key, value: Value) -> Condition<Root> {
        key.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False of nil.
    public static func > (key: Key, value: Value) -> Condition<Root> {
        key.compared(.greater, value)
    }

    /// At least the value. False of nil.
    public static func >= (key: Key, value: Value) -> Condition<Root> {
        key.compared(.greaterOrEqual, value)
    }

    /// Less than the value of another attribute. False where one is nil.
    public static func < (key: Key, other: Key) -> Condition<Root> {
        Condition(.comparison(key.expression, .less, other.expression, []))
    }

    /// Greater than the value of another attribute. False where one is nil.
    public static func > (key: Key, other: Key) -> Condition<Root> {
        Condition(.comparison(key.expression, .greater, other.expression, []))
    }

    /// In the range, whose bounds belong to it.
    public func between(_ range: ClosedRange<Value>) -> Condition<Root> {
        Condition(
            .between(
                expression, lower: .literal(range.lowerBound.attributeValue),
                upper: .literal(range.upperBound.attributeValue)))
    }
}

extension Key where Value == String {
    /// The text starts with the other.
    public func hasPrefix(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        Condition(.comparison(expression, .beginsWith, .literal(.string(text)), options))
    }

    /// The text ends with the other.
    public func hasSuffix(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        Condition(.comparison(expression, .endsWith, .literal(.string(text)), options))
    }

    /// The text contains the other.
    public func contains(_ text: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        Condition(.comparison(expression, .contains, .literal(.string(text)), options))
    }

    /// The whole text matches a pattern with `*` (any characters) and `?` (one character).
    public func like(_ pattern: String, _ options: ComparisonOptions = []) -> Condition<Root> {
        Condition(.comparison(expression, .like, .literal(.string(pattern)), options))
    }

    /// The text equals the other by the options, such as without regard to case.
    public func isEqual(to text: String, _ options: ComparisonOptions) -> Condition<Root> {
        Condition(.comparison(expression, .equal, .literal(.string(text)), options))
    }
}

extension ToOneKey {
    /// Leads to that object; to none, for nil.
    public static func == (key: ToOneKey, object: Destination?) -> Condition<Root> {
        key.compared(.equal, object?.objectID)
    }

    /// Does not lead to that object; to one, for nil.
    public static func != (key: ToOneKey, object: Destination?) -> Condition<Root> {
        key.compared(.notEqual, object?.objectID)
    }

    /// Leads to the object with that id.
    public static func == (key: ToOneKey, id: ObjectID) -> Condition<Root> {
        key.compared(.equal, id)
    }

    private func compared(_ relation: ComparisonOperator, _ id: ObjectID?) -> Condition<Root> {
        let constant = id.map { CambiumModel.Value.int($0.key) } ?? .null
        return Condition(.comparison(expression, relation, .literal(constant), []))
    }
}

extension ToManyKey {
    /// Has the object among its members.
    public func contains(_ object: Destination) -> Condition<Root> {
        Condition(
            .comparison(.literal(.int(object.objectID.key)), .in, expression, []))
    }
}

extension CountKey {
    /// Exactly so many.
    public static func == (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.equal, count)
    }

    /// Not so many.
    public static func != (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.notEqual, count)
    }

    /// Fewer.
    public static func < (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.less, count)
    }

    /// So many or fewer.
    public static func <= (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.lessOrEqual, count)
    }

    /// More.
    public static func > (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.greater, count)
    }

    /// So many or more.
    public static func >= (key: CountKey, count: Int) -> Condition<Root> {
        key.compared(.greaterOrEqual, count)
    }
}
