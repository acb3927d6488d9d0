/// One value out of those of all objects of a group, or of all that a request finds:
/// `Product.price.sum`. See ``FetchRequest/select(_:)``.
public struct AggregateKey<Root: ManagedObject, Value: AttributeValue>: ResultColumn {
    /// What is computed.
    public let resultExpression: ResultExpression
    /// The objects that it names.
    public let objects: [ObjectID]

    fileprivate init(_ function: AggregateFunction, _ key: some KeyExpression) {
        resultExpression = ResultExpression(function, of: key.expression)
        objects = key.objects
    }

    /// The value; nil of no values, and where a sum is too great for its type.
    public func output(of value: PropertyValue) throws -> Value? {
        try Value.read(value, of: resultExpression)
    }

    /// The results with the least value first.
    public var ascending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: false)
    }

    /// The results with the greatest value first.
    public var descending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: true)
    }
}

/// How many objects of a group there are: `Product.objectID.count`, or how many have a value:
/// `Product.salePrice.count`.
public struct CountKey<Root: ManagedObject>: ResultColumn {
    /// What is counted.
    public let resultExpression: ResultExpression
    /// The objects that it names.
    public let objects: [ObjectID]

    init(_ expression: ModelExpression, objects: [ObjectID] = []) {
        resultExpression = ResultExpression(.count, of: expression)
        self.objects = objects
    }

    /// The number.
    public func output(of value: PropertyValue) throws -> Int {
        try Int.read(value, of: resultExpression) ?? 0
    }

    /// The results with the least number first.
    public var ascending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: false)
    }

    /// The results with the greatest number first.
    public var descending: ResultOrder<Root> {
        ResultOrder(resultExpression, isDescending: true)
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

extension KeyExpression where Value: Numeric {
    /// The mean; nil of none.
    public var average: AggregateKey<Root, Double> { AggregateKey(.average, self) }
}

extension KeyExpression where Value: BinaryInteger {
    /// The sum; 0 of none, nil where 64 bits do not hold it.
    public var sum: AggregateKey<Root, Int> { AggregateKey(.sum, self) }
}

extension KeyExpression where Value: BinaryFloatingPoint {
    /// The sum; 0 of none.
    public var sum: AggregateKey<Root, Value> { AggregateKey(.sum, self) }
}

extension KeyExpression where Value == Decimal {
    /// The sum; 0 of none, nil where it is too great.
    public var sum: AggregateKey<Root, Decimal> { AggregateKey(.sum, self) }
}
