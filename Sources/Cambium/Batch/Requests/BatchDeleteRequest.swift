/// Deletes all objects that match a condition, directly in the store, without a context.
///
/// ```swift
/// let request = BatchDeleteRequest<Product>().filter(Product.stock == 0)
/// let result = try context.execute(request)
/// ```
///
/// The delete rules are applied as for objects: cascades delete more objects, and links of other
/// objects are cleared. If a relationship has the rule deny, or another object requires a deleted
/// one, the operation throws a ``ValidationError`` with the object and the relationship, and
/// nothing is deleted. If an optional relationship without inverse references a deleted object, the
/// link is cleared. (Core Data's batch delete ignores deny.) No hook of the objects is called.
public struct BatchDeleteRequest<Entity: ManagedObject>: Sendable {
    enum Selection: Sendable {
        case matching(FetchRequest<Entity>)
        case ids([ObjectID])
    }

    private(set) var selection: Selection
    /// The content of the result. Default: the count.
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

    /// Returns the request with one more condition that must be true too. If the objects are given
    /// by their identities, the condition is ignored.
    public func filter(_ condition: Condition<Entity>) -> Self {
        guard case .matching(let objects) = selection else { return self }
        var request = self
        request.selection = .matching(objects.filter(condition))
        return request
    }
}

/// The receivers of a batch operation's changes.
public enum BatchMerging: Sendable, Hashable {
    /// The contexts of the coordinator and their controllers, as they are notified of a save. The
    /// notification contains up to 10,000 changed rows; other rows are read when they are needed.
    /// If more than 100,000 rows changed, the contexts read everything again.
    case contexts
    /// No receivers: neither the contexts nor the coordinator's row cache are notified. A refreshed
    /// object may still show the row cache's values, and the save of an object that was read before
    /// conflicts with the operation. This ends with
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)`` or a fetch of the rows.
    /// Use it for objects that no context uses.
    case none
}

/// The result of a batch operation.
public struct BatchResult: Sendable {
    /// The number of objects that the operation inserted, updated or deleted.
    ///
    /// - An insertion counts the inserted objects, and the existing objects that it updated because
    ///   they have the same unique values.
    /// - An update counts the objects that matched the condition.
    /// - A deletion counts the objects that matched the condition. It does not count other objects
    ///   that delete rules deleted.
    public internal(set) var count = 0
    /// The identities of the counted objects, in the order of the input or of their keys. The array
    /// is empty unless the request asks for ``BatchResultType/objectIDs``.
    public internal(set) var objectIDs: [ObjectID] = []
    /// All objects that the operation changed, including those that delete rules or derived
    /// attributes have changed. Pass them to
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``. Empty unless the request
    /// has the result type ``BatchResultType/objectIDs``.
    public internal(set) var changes = RemoteChanges()
}

extension RemoteChanges {
    /// All changes of a batch operation; objects with recomputed derived values count as updated.
    init(_ changes: BatchChanges) {
        self.init()
        for entity in changes.allEntities {
            func ids(_ keys: [Int64]) -> [ObjectID] {
                keys.map { ObjectID(entity.entity, key: $0, store: changes.store) }
            }
            inserted += ids(entity.inserted.map { $0.key })
            updated += ids((entity.updated + entity.refreshed).map { $0.key })
            deleted += ids(entity.deleted)
        }
    }
}
