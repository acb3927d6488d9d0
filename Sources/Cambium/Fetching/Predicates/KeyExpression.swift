/// A value of an object that a condition can look at: a ``Key``, or what is computed from keys,
/// such as `Product.price * 2`, `Product.title.length` or `Category.products.price.sum`.
///
/// What can be said of one can be said of the other: both are compared by the same operators and
/// functions, with values and with each other.
public protocol KeyExpression<Root, Value>: Sendable {
    /// The class of the objects that have the value.
    associatedtype Root: ManagedObject
    /// The type of the value, without the optional: everything can be nil, and is where a path
    /// leads through a missing object.
    associatedtype Value: AttributeValue
    /// The tree that is lowered to SQL and evaluated in memory.
    var expression: ModelExpression { get }
    /// The objects that it names, of which a request makes sure that they are of its stores.
    var objects: [ObjectID] { get }
}

extension Key: KeyExpression {
    /// None: a path names no object.
    public var objects: [ObjectID] { [] }
}

/// A value that is computed for each object, in the store as in memory. Overflow and division by
/// zero yield nil, and so does a computation from nil.
public struct ComputedKey<Root: ManagedObject, Value: AttributeValue>: KeyExpression {
    /// The tree that is lowered to SQL and evaluated in memory.
    public let expression: ModelExpression
    /// The objects that it names.
    public let objects: [ObjectID]

    /// Makes a value of a tree. It is checked against the model when it is used.
    public init(_ expression: ModelExpression) {
        self.init(expression, objects: [])
    }

    init(_ expression: ModelExpression, objects: [ObjectID]) {
        self.expression = expression.limited
        self.objects = objects
    }
}
