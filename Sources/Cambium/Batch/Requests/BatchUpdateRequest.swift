/// Sets properties of all objects that match a condition, directly in the store, without a context.
///
/// ```swift
/// let request = BatchUpdateRequest<Product>()
///     .filter(Product.stock == 0)
///     .set(Product.salePrice, to: nil)
///     .set(Product.price, to: Product.price * 2)
/// let result = try context.execute(request)
/// ```
///
/// All values are computed before the first is written, from the values in the store; unsaved
/// changes of contexts are not considered. The version of each matching row increases. If a context
/// has changed such an object, its save has a conflict.
///
/// All limits, rules and unique constraints of the model apply, including rules that only the
/// program can check. If a row violates one of them, the operation throws an error that names the
/// violated limit, rule or constraint, and nothing is changed. No hook of the objects is called,
/// and no validation of the program runs.
///
/// The result for a decimal attribute is rounded to its scale, halves away from zero.
///
/// You can set attributes, and to-one relationships if this side keeps the key. Derived and
/// transient properties cannot be set: the compiler rejects such an assignment. If the request has
/// the property by name, its execution throws an error.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init()``
/// - ``init(entityName:)``
/// - ``init(_:)``
///
/// ### Filters
///
/// - ``filter(_:)``
/// - ``objects``
///
/// ### Setting
///
/// - ``set(_:to:)-(Key<Entity,Value>,Value?)``
/// - ``set(_:to:)-(_,KeyExpression)``
/// - ``set(_:toResultOf:)``
/// - ``set(_:to:)-(_,ModelExpression)``
/// - ``set(_:to:)-(_,Destination)``
/// - ``set(_:to:)-(_,ObjectID?)``
/// - ``set(_:to:)-(_,Data?)``
/// - ``set(_:to:)-(OpaqueKey<Entity,Value>,_)``
///
/// ### Setting by name
///
/// - ``setValue(_:forKey:)``
/// - ``setResult(of:forKey:)-(String,_)``
/// - ``setResult(of:forKey:)-(ModelExpression,_)``
///
/// ### Options
///
/// - ``resultType``
public struct BatchUpdateRequest<Entity: ManagedObject>: Sendable {
    /// The objects: the condition, whether sub-entities are included, and perhaps an order and a
    /// limit.
    public var objects: FetchRequest<Entity>
    /// The content of the result. Default: the count.
    public var resultType = BatchResultType.count

    private(set) var assignments: [BatchAssignment] = []

    /// A request for all objects of the class's entity and its sub-entities.
    public init() {
        objects = FetchRequest()
    }

    /// A request for all objects of an entity by its name, for classes that serve several.
    public init(entityName: String) {
        objects = FetchRequest(entityName: entityName)
    }

    /// A request for the objects that a fetch of the store would find.
    public init(_ objects: FetchRequest<Entity>) {
        self.objects = objects
    }

    /// Returns the request with one more condition that must be true too.
    public func filter(_ condition: Condition<Entity>) -> Self {
        var request = self
        request.objects = objects.filter(condition)
        return request
    }

    func assigning(_ path: [String], _ value: BatchAssignment.Value) -> Self {
        var request = self
        request.assignments.append(
            BatchAssignment(name: path.joined(separator: "."), value: value))
        return request
    }
}

/// An assignment of a batch update.
struct BatchAssignment: Sendable {
    enum Value: Sendable {
        case constant(CambiumModel.Value)
        /// JSON; nil if the value cannot be encoded.
        case json(String?)
        /// An expression, and the objects that it names.
        case expression(ModelExpression, [ObjectID])
        /// An expression in the grammar of predicate formats.
        case text(String)
        case object(ObjectID?)
    }

    /// The name of the property; of a part of a composite value, with dots.
    let name: String
    let value: Value
}

extension BatchUpdateRequest {
    // MARK: Constants

    /// Returns the request with an attribute set to a value, or to nil. If a required attribute is
    /// set to nil, the request fails.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to value: Value?
    ) -> Self {
        assigning(key.path, .constant(value?.attributeValue ?? .null))
    }

    /// Returns the request with a codable attribute set to a value, or to nil.
    public func set<Value: Codable & Sendable>(
        _ key: OpaqueKey<Entity, Value>, to value: Value?
    ) -> Self {
        guard let value else { return assigning(key.path, .constant(.null)) }
        let json = try? JSONCodec().json(of: value)
        return assigning(key.path, .json(json.map { String(decoding: $0, as: UTF8.self) }))
    }

    /// Returns the request with a data attribute set to a value, or to nil. The data may be in a
    /// separate file. The value is written once for each object.
    public func set(_ key: OpaqueKey<Entity, Data>, to value: Data?) -> Self {
        assigning(key.path, .constant(value.map { .data($0) } ?? .null))
    }

    /// Unavailable: a transient attribute is not in the store.
    @available(*, unavailable, message: "A transient attribute is not in the store.")
    public func set<Value>(_ key: TransientKey<Entity, Value>, to value: Value?) -> Self { self }

    // MARK: Relationships

    /// Returns the request with a to-one relationship set to an object, or to nil. In a one-to-one,
    /// the side without the key cannot be set.
    public func set<Destination: ManagedObject>(
        _ key: ToOneKey<Entity, Destination>, to object: ObjectID?
    ) -> Self {
        assigning(key.path, .object(object))
    }

    /// Returns the request with a to-one relationship set to a saved object.
    public func set<Destination: ManagedObject>(
        _ key: ToOneKey<Entity, Destination>, to object: Destination
    ) -> Self {
        assigning(key.path, .object(object.objectID))
    }

    // MARK: Expressions

    /// Returns the request with an attribute set to another one, or to an expression of others:
    /// `set(Product.price, to: Product.price * 2)`. It is computed for each object, from the values
    /// before the operation, and may read related objects. If the result is nil, the attribute has
    /// no value afterwards; if the attribute is required, the request fails.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to expression: some KeyExpression<Entity, Value>
    ) -> Self {
        assigning(key.path, .expression(expression.expression, expression.objects))
    }

    /// Returns the request with an attribute set to the result of an expression tree for each
    /// object. It is checked against the model when the request is executed.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, to expression: ModelExpression
    ) -> Self {
        assigning(key.path, .expression(expression, []))
    }

    /// Returns the request with an attribute set to the result of an expression for each object,
    /// written in the grammar of predicate formats: `"price * 2"`. It is parsed and checked against
    /// the model when the request is executed.
    public func set<Value: AttributeValue>(
        _ key: Key<Entity, Value>, toResultOf expression: String
    ) -> Self {
        assigning(key.path, .text(expression))
    }

    // MARK: By name

    /// Returns the request with a property, by its name, set to a value, for generic code. A to-one
    /// relationship takes the ``ObjectID/key`` of the object that it references, as an `.int`.
    public func setValue(_ value: CambiumModel.Value, forKey name: String) -> Self {
        assigning([name], .constant(value))
    }

    /// Returns the request with an attribute, by its name, set to the result of an expression.
    public func setResult(of expression: ModelExpression, forKey name: String) -> Self {
        assigning([name], .expression(expression, []))
    }

    /// Returns the request with an attribute, by its name, set to the result of an expression in
    /// the grammar of predicate formats.
    public func setResult(of expression: String, forKey name: String) -> Self {
        assigning([name], .text(expression))
    }
}
