/// One value out of those of all objects of a group, or of all that a request finds:
/// `Product.price.sum`. See ``FetchRequest/select(_:)``.
public struct AggregateKey<Root: ManagedObject, Value: AttributeValue>: AggregateColumn {
    /// The type of the value.
    public typealias Compared = Value

    /// What is computed.
    public let resultExpression: ResultExpression
    private let objects: [ObjectID]

    fileprivate init(_ function: AggregateFunction, _ key: some KeyExpression) {
        resultExpression = ResultExpression(function, of: key.expression)
        objects = key.objects
    }

    /// The value; nil of no values, and where a sum is too great for its type.
    public var reading: ColumnReading<Value?> { .optional(resultExpression, objects) }
}

/// How many objects of a group there are: `Product.objectID.count`, or how many have a value:
/// `Product.salePrice.count`.
public struct CountKey<Root: ManagedObject>: AggregateColumn {
    /// A number.
    public typealias Compared = Int

    /// What is counted.
    public let resultExpression: ResultExpression
    private let objects: [ObjectID]

    init(_ expression: ModelExpression, objects: [ObjectID] = []) {
        resultExpression = ResultExpression(.count, of: expression)
        self.objects = objects
    }

    /// The number.
    public var reading: ColumnReading<Int> {
        ColumnReading(objects: objects) { [resultExpression] value in
            try Int.read(value, of: resultExpression) ?? 0
        }
    }
}

extension KeyExpression {
    /// How many objects have a value.
    public var count: CountKey<Root> { CountKey(expression, objects: objects) }
}

extension KeyExpression where Value: Comparable {
    /// The least value; nil of none.
    public var min: AggregateKey<Root, Value> { AggregateKey(.minimum, self) }
    /// The greatest value; nil of none.
    public var max: AggregateKey<Root, Value> { AggregateKey(.maximum, self) }
}

extension KeyExpression where Value: AdditiveAttribute {
    /// The sum; 0 of none, nil where it is too great.
    public var sum: AggregateKey<Root, Value.Sum> { AggregateKey(.sum, self) }
    /// The mean, of durations in seconds; nil of none.
    public var average: AggregateKey<Root, Double> { AggregateKey(.average, self) }
}

/// One value out of those of many objects: an ``AggregateKey`` or a ``CountKey``. Both can be
/// compared with constants, for ``ResultRequest/having(_:)``, and ordered by.
public protocol AggregateColumn<Root, Compared>: ResultColumn, ResultOrdering {
    /// The type of the constants that it is compared with.
    associatedtype Compared: AttributeValue
}

extension AggregateColumn {
    /// The results with the least value first.
    public var ascending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: false, objects: reading.objects)
    }

    /// The results with the greatest value first.
    public var descending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: true, objects: reading.objects)
    }

    /// The least value first.
    public var resultOrder: ResultOrder<Root> { ascending }

    private func compared(
        _ relation: ComparisonOperator, _ value: Compared?
    ) -> GroupCondition<Root> {
        GroupCondition(
            test: .comparison(resultExpression, relation, value?.attributeValue ?? .null),
            objects: reading.objects)
    }

    /// Equal, or both nil.
    public static func == (column: Self, value: Compared?) -> GroupCondition<Root> {
        column.compared(.equal, value)
    }

    /// The complement of equal.
    public static func != (column: Self, value: Compared?) -> GroupCondition<Root> {
        column.compared(.notEqual, value)
    }

    /// Less than the value. False of nil.
    public static func < (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.less, value)
    }

    /// At most the value. False of nil.
    public static func <= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.lessOrEqual, value)
    }

    /// Greater than the value. False of nil.
    public static func > (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greater, value)
    }

    /// At least the value. False of nil.
    public static func >= (column: Self, value: Compared) -> GroupCondition<Root> {
        column.compared(.greaterOrEqual, value)
    }
}

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
