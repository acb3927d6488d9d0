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
