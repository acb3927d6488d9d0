/// An attribute of all members of a to-many relationship: `Category.products.price`. It is no value
/// by itself: `sum`, `average`, `min` and `max` are, and `contains` is a condition.
public struct MemberKey<Root: ManagedObject, Value: AttributeValue>: Sendable {
    let expression: ModelExpression
    var objects: [ObjectID] = []

    fileprivate func aggregate<Result>(
        _ function: AggregateFunction
    ) -> ComputedKey<Root, Result> {
        ComputedKey(.aggregate(function, expression), objects: objects)
    }

    /// How many members have a value.
    public var count: ComputedKey<Root, Int> { aggregate(.count) }
}

extension MemberKey where Value: Comparable {
    /// The least value; nil of none.
    public var min: ComputedKey<Root, Value> { aggregate(.minimum) }
    /// The greatest value; nil of none.
    public var max: ComputedKey<Root, Value> { aggregate(.maximum) }
}

extension MemberKey where Value: AdditiveAttribute {
    /// The sum; 0 of none, nil where it is too great.
    public var sum: ComputedKey<Root, Value.Sum> { aggregate(.sum) }
    /// The mean, of durations in seconds; nil of none.
    public var average: ComputedKey<Root, Double> { aggregate(.average) }
}

/// The members of a to-many relationship that meet a condition:
/// `Category.products.filter(Product.stock == 0).count`.
@dynamicMemberLookup
public struct MembersKey<Root: ManagedObject, Destination: ManagedObject>: Sendable {
    fileprivate let path: [String]
    fileprivate let condition: Condition<Destination>

    private var variable: String { "element\(path.count)" }

    fileprivate func subquery(_ names: [String]) -> ModelExpression {
        .subquery(
            .keyPath(root: .subject, names: path + names), variable: variable,
            condition: condition.expression.rebased(onto: .variable(variable)))
    }

    /// How many there are.
    public var count: ComputedKey<Root, Int> {
        ComputedKey(.aggregate(.count, subquery([])), objects: condition.objects)
    }

    /// Those that meet one more condition.
    public func filter(_ further: Condition<Destination>) -> MembersKey {
        MembersKey(path: path, condition: condition && further)
    }

    /// An attribute of theirs.
    public subscript<Value>(
        dynamicMember key: KeyPath<Destination.Type, Key<Destination, Value>>
    ) -> MemberKey<Root, Value> {
        MemberKey(
            expression: subquery(Destination.self[keyPath: key].path),
            objects: condition.objects)
    }
}

extension ToManyKey {
    /// The number of objects.
    public var count: ComputedKey<Root, Int> { ComputedKey(.aggregate(.count, expression)) }

    /// Whether there is none.
    public var isEmpty: Condition<Root> { count == 0 }

    /// An attribute of the members, for `sum` and its like.
    public subscript<Value>(
        dynamicMember key: KeyPath<Destination.Type, Key<Destination, Value>>
    ) -> MemberKey<Root, Value> {
        MemberKey(
            expression: .keyPath(
                root: .subject, names: path + Destination.self[keyPath: key].path))
    }

    /// The members that meet a condition, for `count` and other aggregates.
    public func filter(_ condition: Condition<Destination>) -> MembersKey<Root, Destination> {
        MembersKey(path: path, condition: condition)
    }

    /// Whether at least one object meets the condition.
    public func any(_ condition: Condition<Destination>) -> Condition<Root> {
        filter(condition).count > 0
    }

    /// Whether no object meets the condition.
    public func none(_ condition: Condition<Destination>) -> Condition<Root> {
        filter(condition).count == 0
    }

    /// Whether every object meets the condition; true of none.
    public func all(_ condition: Condition<Destination>) -> Condition<Root> {
        none(!condition)
    }
}
