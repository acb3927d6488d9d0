/// A condition over groups of objects: `Product.price.sum > 100 && Product.objectID.count >= 3`.
///
/// ``ResultRequest/having(_:)`` takes it. A condition over single objects belongs into the
/// request's filter, which comes before they are grouped.
public struct GroupCondition<Root: ManagedObject>: Sendable {
    let test: GroupTest
    let objects: [ObjectID]

    /// Both are true.
    public static func && (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .and([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// At least one is true.
    public static func || (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .or([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// The condition is false.
    public static prefix func ! (condition: GroupCondition) -> GroupCondition {
        GroupCondition(test: .not(condition.test), objects: condition.objects)
    }
}

extension AggregateKey {
    private func compared(
        _ relation: ComparisonOperator, _ value: Value?
    ) -> GroupCondition<Root> {
        GroupCondition(
            test: .comparison(resultExpression, relation, value?.attributeValue ?? .null),
            objects: objects)
    }

    /// Equal, or both nil.
    public static func == (key: AggregateKey, value: Value?) -> GroupCondition<Root> {
        key.compared(.equal, value)
    }

    /// The complement of equal.
    public static func != (key: AggregateKey, value: Value?) -> GroupCondition<Root> {
        key.compared(.notEqual, value)
    }

    /// Less than the value. False of nil.
    public static func < (key: AggregateKey, value: Value) -> GroupCondition<Root> {
        key.compared(.less, value)
    }

    /// At most the value. False of nil.
    public static func <= (key: AggregateKey, value: Value) -> GroupCondition<Root> {
        key.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False of nil.
    public static func > (key: AggregateKey, value: Value) -> GroupCondition<Root> {
        key.compared(.greater, value)
    }

    /// At least the value. False of nil.
    public static func >= (key: AggregateKey, value: Value) -> GroupCondition<Root> {
        key.compared(.greaterOrEqual, value)
    }
}

extension CountKey {
    private func compared(_ relation: ComparisonOperator, _ number: Int) -> GroupCondition<Root> {
        GroupCondition(
            test: .comparison(resultExpression, relation, .int(Int64(number))), objects: objects)
    }

    /// As many.
    public static func == (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.equal, number)
    }

    /// More or fewer.
    public static func != (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.notEqual, number)
    }

    /// Fewer.
    public static func < (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.less, number)
    }

    /// At most as many.
    public static func <= (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.lessOrEqual, number)
    }

    /// More.
    public static func > (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.greater, number)
    }

    /// At least as many.
    public static func >= (key: CountKey, number: Int) -> GroupCondition<Root> {
        key.compared(.greaterOrEqual, number)
    }
}
