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
