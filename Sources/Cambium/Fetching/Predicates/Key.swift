/// An attribute of an entity, for predicates and orders: `Product.price`, or through a to-one
/// relationship `Product.category.name`.
///
/// The compiler checks the name, and the type of the value that it is compared with.
public struct Key<Root: ManagedObject, Value: AttributeValue>: Sendable {
    /// The names of the path from the object to the attribute.
    public let path: [String]

    /// Creates the key of an attribute. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// Creates the key of a part of a composite value, by the names of its path. Called by
    /// generated code.
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
    /// The class at the start of the path: it has the relationship itself, or references an object
    /// that has it.
    associatedtype Root: ManagedObject
    /// The names of the path from the object to the relationship.
    var path: [String] { get }
}

extension ToOneKey: RelationshipKey {}
extension ToManyKey: RelationshipKey {}

/// A to-one relationship, for predicates. Its members are the keys of the destination:
/// `Product.category.name`.
///
/// ## Topics
///
/// ### Conditions
///
/// - ``==(_:_:)-(_,Destination?)``
/// - ``!=(_:_:)-(_,Destination?)``
/// - ``in(_:)-(Sequence<Destination>)``
///
/// ### Conditions with identities
///
/// - ``==(_:_:)-(_,ObjectID)``
/// - ``!=(_:_:)-(_,ObjectID)``
/// - ``in(_:)-(Sequence<ObjectID>)``
/// - ``objectID``
///
/// ### Comparisons with other relationships
///
/// - ``==(_:_:)-(_,ToOneKey<Root,Destination>)``
/// - ``!=(_:_:)-(_,ToOneKey<Root,Destination>)``
///
/// ### Properties of the destination
///
/// - ``subscript(dynamicMember:)->Key<Root,Value>``
/// - ``subscript(dynamicMember:)->ToOneKey<Root,Further>``
/// - ``subscript(dynamicMember:)->ToManyKey<Root,Further>``
/// - ``subscript(dynamicMember:)->OpaqueKey<Root,Value>``
///
/// ### Path
///
/// - ``path``
@dynamicMemberLookup
public struct ToOneKey<Root: ManagedObject, Destination: ManagedObject>: Sendable {
    /// The names of the path from the object to the relationship.
    public let path: [String]

    /// Creates the key of a relationship. Called by generated code.
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

/// A to-many relationship, for predicates: `Category.products.count > 3`,
/// `Category.products.any(Product.price < 5)`, `Category.products.price.sum > 100`.
///
/// ## Topics
///
/// ### Conditions
///
/// - ``any(_:)``
/// - ``all(_:)``
/// - ``none(_:)``
/// - ``contains(_:)-(Destination)``
/// - ``contains(_:)-(ObjectID)``
/// - ``isEmpty``
///
/// ### Aggregates
///
/// - ``count``
/// - ``filter(_:)``
/// - ``subscript(dynamicMember:)``
///
/// ### Path
///
/// - ``path``
@dynamicMemberLookup
public struct ToManyKey<Root: ManagedObject, Destination: ManagedObject>: Sendable {
    /// The names of the path from the object to the relationship.
    public let path: [String]

    /// Creates the key of a relationship. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    init(path: [String]) {
        self.path = path
    }

    var expression: ModelExpression { .keyPath(root: .subject, names: path) }
}

/// A key of an attribute of any kind: a ``Key`` for conditions and orders, an ``OpaqueKey``, or a
/// ``TransientKey``.
public protocol AttributeKey<Root, Value>: Sendable {
    /// The class at the start of the path: it has the attribute itself, or references an object
    /// that has it.
    associatedtype Root: ManagedObject
    /// The type of the values.
    associatedtype Value
    /// The names of the path from the object to the attribute.
    var path: [String] { get }
}

extension Key: AttributeKey {}

/// An attribute with values that the store cannot read: a `codable` type, or data that may be
/// stored in a file. A condition can only test whether it has a value:
///
/// ```swift
/// let request = Product.fetchRequest().filter(Product.photo != nil)
/// ```
public struct OpaqueKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names of the path from the object to the attribute.
    public let path: [String]

    /// Creates the key of an attribute. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// Creates the key of a part of a composite value, by the names of its path. Called by
    /// generated code.
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

/// A property that is not in the store. A request cannot filter or sort by it.
public struct TransientKey<Root: ManagedObject, Value>: AttributeKey {
    /// The names of the path from the object to the property.
    public let path: [String]

    /// Creates the key of a property. Called by generated code.
    @_spi(Generated)
    public init(_ name: String) {
        path = [name]
    }

    /// Creates the key of a part of a composite value, by the names of its path. Called by
    /// generated code.
    @_spi(Generated)
    public init(part path: [String]) {
        self.path = path
    }
}

extension ToOneKey {
    /// An attribute of the destination that can only be compared with nil.
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

/// An attribute of all members of a to-many relationship: `Category.products.price`. It is not a
/// value by itself: `sum`, `average`, `min` and `max` are, and `contains` is a condition.
public struct MemberKey<Root: ManagedObject, Value: AttributeValue>: Sendable {
    let expression: ModelExpression
    var objects: [ObjectID] = []

    fileprivate func aggregate<Result>(
        _ function: AggregateFunction
    ) -> ComputedKey<Root, Result> {
        ComputedKey(.aggregate(function, expression), objects: objects)
    }

    /// The number of members that have a value.
    public var count: ComputedKey<Root, Int> { aggregate(.count) }
}

extension MemberKey where Value: Comparable {
    /// The least value, or nil if there are none.
    public var min: ComputedKey<Root, Value> { aggregate(.minimum) }
    /// The greatest value, or nil if there are none.
    public var max: ComputedKey<Root, Value> { aggregate(.maximum) }
}

extension MemberKey where Value: AdditiveAttribute {
    /// The sum; 0 if there are no values, nil if it overflows.
    public var sum: ComputedKey<Root, Value.Sum> { aggregate(.sum) }
    /// The mean (of durations in seconds), or nil if there are no values.
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

    /// The number of members that meet the condition.
    public var count: ComputedKey<Root, Int> {
        ComputedKey(.aggregate(.count, subquery([])), objects: condition.objects)
    }

    /// Returns the members that also meet another condition.
    public func filter(_ further: Condition<Destination>) -> MembersKey {
        MembersKey(path: path, condition: condition && further)
    }

    /// An attribute of the members that meet the condition.
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

    /// Whether there are no objects.
    public var isEmpty: Condition<Root> { count == 0 }

    /// An attribute of the members, for `sum` and other aggregates.
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

    /// Whether every object meets the condition; true if there are none.
    public func all(_ condition: Condition<Destination>) -> Condition<Root> {
        none(!condition)
    }
}
