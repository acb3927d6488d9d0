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
