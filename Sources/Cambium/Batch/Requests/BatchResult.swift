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
            inserted += ids(entity.inserted.map(\.key))
            updated += ids((entity.updated + entity.refreshed).map(\.key))
            deleted += ids(entity.deleted)
        }
    }
}
