/// An attribute of an entity, as predicates and orders name it: `Product.price`, or through a
/// to-one relationship `Product.category.name`.
///
/// The compiler checks the name and the type of what it is compared with.
public struct Key<Root: ManagedObject, Value: AttributeValue>: Sendable {
    /// The names from the object to the attribute.
    public let path: [String]

    /// The key of an attribute. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }

    /// The path as a tree.
    public var expression: ModelExpression { .keyPath(root: .subject, names: path) }
}

/// A key of a relationship: a ``ToOneKey`` or a ``ToManyKey``, for
/// ``FetchRequest/prefetching(_:)``.
public protocol RelationshipKey<Root>: Sendable {
    /// The class of the objects that have the relationship, or lead to it.
    associatedtype Root: ManagedObject
    /// The names from the object to the relationship.
    var path: [String] { get }
}

extension ToOneKey: RelationshipKey {}
extension ToManyKey: RelationshipKey {}

/// A to-one relationship, as predicates name it. Its members are the keys of the destination:
/// `Product.category.name`.
@dynamicMemberLookup
public struct ToOneKey<Root: ManagedObject, Destination: ManagedObject>: Sendable {
    /// The names from the object to the relationship.
    public let path: [String]

    /// The key of a relationship. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    init(path: [String]) {
        self.path = path
    }

    var expression: ModelExpression { .keyPath(root: .subject, names: path) }

    /// An attribute of the destination.
    public subscript<Value>(
        dynamicMember key: KeyPath<Destination.Type, Key<Destination, Value>>
    ) -> Key<Root, Value> {
        Key(part: path + Destination.self[keyPath: key].path)
    }

    /// A to-one relationship of the destination.
    public subscript<Further>(
        dynamicMember key: KeyPath<Destination.Type, ToOneKey<Destination, Further>>
    ) -> ToOneKey<Root, Further> {
        ToOneKey<Root, Further>(path: path + Destination.self[keyPath: key].path)
    }

    /// A to-many relationship of the destination.
    public subscript<Further>(
        dynamicMember key: KeyPath<Destination.Type, ToManyKey<Destination, Further>>
    ) -> ToManyKey<Root, Further> {
        ToManyKey<Root, Further>(path: path + Destination.self[keyPath: key].path)
    }
}

/// A to-many relationship, as predicates name it: `Category.products.count > 3`,
/// `Category.products.any(Product.price < 5)`, `Category.products.price.sum > 100`.
@dynamicMemberLookup
public struct ToManyKey<Root: ManagedObject, Destination: ManagedObject>: Sendable {
    /// The names from the object to the relationship.
    public let path: [String]

    /// The key of a relationship. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    init(path: [String]) {
        self.path = path
    }

    var expression: ModelExpression { .keyPath(root: .subject, names: path) }
}

/// A key of an attribute, whatever can be asked of the attribute: a ``Key``, which is for
/// conditions and orders, an ``OpaqueKey``, or a ``TransientKey``.
public protocol AttributeKey<Root, Value>: Sendable {
    /// The class of the objects that have the attribute, or lead to it.
    associatedtype Root: ManagedObject
    /// The type of the values.
    associatedtype Value
    /// The names from the object to the attribute.
    var path: [String] { get }
}

extension Key: AttributeKey {}

/// An attribute whose values the store cannot look into: those of a `codable` type, and data that
/// may lie in a file. All that can be asked is whether there is one:
///
/// ```swift
/// let request = Product.fetchRequest().filter(Product.photo != nil)
/// ```
public struct OpaqueKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names from the object to the attribute.
    public let path: [String]

    /// The key of an attribute. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }

    /// There is no value.
    public static func == (key: OpaqueKey, nothing: Never?) -> Condition<Root> {
        .isNil(_path: key.path)
    }

    /// There is a value.
    public static func != (key: OpaqueKey, nothing: Never?) -> Condition<Root> {
        !.isNil(_path: key.path)
    }
}

/// A property that is not in the store: nothing can be found or sorted by it.
public struct TransientKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names from the object to the property.
    public let path: [String]

    /// The key of a property. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// The key of a part of a composite value, by the names on the way to it. Called by generated
    /// code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }
}

extension ToOneKey {
    /// An attribute of the destination that can be compared with nil only.
    public subscript<Value>(
        dynamicMember key: KeyPath<Destination.Type, OpaqueKey<Destination, Value>>
    ) -> OpaqueKey<Root, Value> {
        OpaqueKey(part: path + Destination.self[keyPath: key].path)
    }
}

extension Condition {
    /// The property at a path is nil. Called by generated code.
    @_spi(Generated)
    public static func isNil(_path path: [String]) -> Condition {
        Condition(
            .comparison(.keyPath(root: .subject, names: path), .equal, .literal(.null), []))
    }
}

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
