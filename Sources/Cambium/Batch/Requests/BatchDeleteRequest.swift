/// Deletes all objects that meet a condition straight in the store, without a context.
///
/// ```swift
/// let request = BatchDeleteRequest<Product>().filter(Product.stock == 0)
/// let result = try context.execute(request)
/// ```
///
/// The delete rules are followed, as they are for objects: cascades delete more, links of others
/// are cleared, and a relationship with the rule deny, or one that others require, ends the
/// operation with a ``ValidationError`` that names the object and the relationship; then nothing is
/// deleted. A relationship without inverse that references a deleted object is cleared where it is
/// optional. (Core Data's batch delete does not look at deny.) No hook of the objects is called.
public struct BatchDeleteRequest<Entity: ManagedObject>: Sendable {
    enum Selection: Sendable {
        case matching(FetchRequest<Entity>)
        case ids([ObjectID])
    }

    private(set) var selection: Selection
    /// What the result tells. Default: the count.
    public var resultType = BatchResultType.count

    /// A request for all objects of the class's entity and its sub-entities.
    public init() {
        selection = .matching(FetchRequest())
    }

    /// A request for all objects of an entity by its name, for classes that serve several.
    public init(entityName: String) {
        selection = .matching(FetchRequest(entityName: entityName))
    }

    /// A request for the objects that a fetch of the store would find: the condition, the order,
    /// the limit and the offset count.
    public init(_ objects: FetchRequest<Entity>) {
        selection = .matching(objects)
    }

    /// A request for objects by their identities. They may be of several entities of one hierarchy;
    /// one that was deleted already is skipped.
    public init(objectIDs: some Sequence<ObjectID>) {
        selection = .ids(Array(objectIDs))
    }

    /// The request with one more condition, which must be true too. Objects by their identities are
    /// not asked for a condition.
    public func filter(_ condition: Condition<Entity>) -> Self {
        guard case .matching(let objects) = selection else { return self }
        var request = self
        request.selection = .matching(objects.filter(condition))
        return request
    }
}
