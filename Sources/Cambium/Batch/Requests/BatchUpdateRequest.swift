/// Sets properties of all objects that meet a condition straight in the store, without a context.
///
/// ```swift
/// let request = BatchUpdateRequest<Product>()
///     .filter(Product.stock == 0)
///     .set(Product.salePrice, to: nil)
///     .set(Product.price, to: Product.price * 2)
/// let result = try context.execute(request)
/// ```
///
/// All values are computed before the first is written, from what the store has; unsaved changes of
/// contexts do not count. The version of each row that meets the condition rises, so a context that
/// has changed such an object meets a conflict when it saves.
///
/// All limits and rules of the model hold, those too that only the program can check, and so do
/// unique constraints; a row that breaks one ends the operation with an error that names it, and
/// nothing is changed. No hook of the objects is called, and no check of the program's own is run.
///
/// What is computed for a decimal attribute is rounded to its scale, halves away from zero.
///
/// Attributes can be set, and to-one relationships whose key this side keeps. What is derived or
/// transient cannot: the compiler refuses it, or executing the request does, by name.
///
/// ## Topics
/// - Which objects: ``filter(_:)``, ``init(_:)``
/// - Setting: `set(_:to:)` with a value, an object or an expression; ``set(_:toResultOf:)``
/// - Setting by name: ``setValue(_:forKey:)``, ``setResult(of:forKey:)``
/// - Options: ``resultType``
public struct BatchUpdateRequest<Entity: ManagedObject>: Sendable {
    /// Which objects: the condition, whether sub-entities count, and perhaps an order and a limit.
    public var objects: FetchRequest<Entity>
    /// What the result tells. Default: the count.
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

    /// The request with one more condition, which must be true too.
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

/// What a batch update sets a property to.
struct BatchAssignment: Sendable {
    enum Value: Sendable {
        case constant(CambiumModel.Value)
        /// JSON, where the value can be encoded.
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
