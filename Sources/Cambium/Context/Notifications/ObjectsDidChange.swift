/// What changed in a context since changes were last processed, by kind; an object is of one kind.
///
/// An object that was inserted and deleted in between is not there.
public struct ObjectsDidChange {
    /// The objects that are new, here or because another context's save was merged.
    public private(set) var inserted: Set<ManagedObject> = []
    /// The objects that were changed here.
    public private(set) var updated: Set<ManagedObject> = []
    /// The objects that were deleted, here or by another context whose save was merged.
    public private(set) var deleted: Set<ManagedObject> = []
    /// The objects that got values from the store: they were refreshed, rolled back, or changed by
    /// another context whose save was merged.
    public private(set) var refreshed: Set<ManagedObject> = []
    /// The objects whose rows were found missing.
    public private(set) var invalidated: Set<ManagedObject> = []
    /// Whether the context has forgotten all its objects.
    public private(set) var invalidatedAll = false

    /// Whether nothing changed.
    public var isEmpty: Bool {
        !invalidatedAll
            && [inserted, updated, deleted, refreshed, invalidated].allSatisfy(\.isEmpty)
    }

    private init() {}

    /// What a reset leaves.
    static var allInvalidated: ObjectsDidChange {
        var changes = ObjectsDidChange()
        changes.invalidatedAll = true
        return changes
    }

    init(_ event: Event) {
        for object in event.changed {
            let isNew = event.isNew(object)
            switch object.lifecycle {
            case .clean, .inserted, .updated:
                if isNew {
                    inserted.insert(object)
                } else if object.lifecycle == .clean || event.isRefreshed(object) {
                    refreshed.insert(object)
                } else {
                    updated.insert(object)
                }
            case .deleted, .discarded, .gone:
                if event.isInvalid(object) {
                    invalidated.insert(object)
                } else if event.isLeaving(object), !isNew {
                    deleted.insert(object)
                }
            }
        }
    }

    /// What a merge changed. Objects are made for new rows; of others only those are told of that
    /// the context has.
    init(merged changes: ObjectChanges, into context: ManagedObjectContext) {
        let new = changes.unregistered.filter { $0.slots == nil }.map {
            context.faulting.registerFresh(entity: $0.entity, key: $0.key, placed: $0.placed)
        }
        inserted = Set(changes.inserted + new)
        refreshed = Set(changes.refreshedObjects).subtracting(inserted)
        deleted = Set(changes.deleted)
        inserted.subtract(deleted)
        refreshed.subtract(deleted)
    }
}
