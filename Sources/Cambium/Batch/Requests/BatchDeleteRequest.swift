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

/// Who is notified of a batch operation.
public enum BatchMerging: Sendable, Hashable {
    /// The contexts of the coordinator and their controllers, as they are notified of a save. Up to
    /// 10,000 changed rows come with it, others are read when they are needed; of more than 100,000
    /// rows the contexts are notified to read everything again.
    case contexts
    /// Nobody: neither the contexts nor the coordinator's row cache notice. A refreshed object
    /// still shows what the row cache has, and the save of an object that was read before conflicts
    /// with the operation, until
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)`` or a fetch of the rows
    /// repairs it. For work on objects that nobody looks at.
    case none
}

/// What a batch operation has done.
public struct BatchResult: Sendable {
    /// How many objects it concerned: those that were inserted, or updated in their place because
    /// they have the unique values; those that met the condition and were updated; those that met
    /// it and were deleted, without others that went with them.
    public internal(set) var count = 0
    /// The same objects, in the order of the input or of their keys. Empty unless the request asks
    /// for ``BatchResultType/objectIDs``.
    public internal(set) var objectIDs: [ObjectID] = []
    /// All objects that the operation changed, also those that delete rules, or attributes derived
    /// from others, reached: what
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)`` takes. Empty unless the
    /// request asks for ``BatchResultType/objectIDs``.
    public internal(set) var changes = RemoteChanges()
}

extension RemoteChanges {
    /// All changes of a batch operation; what was derived anew counts as updated.
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
