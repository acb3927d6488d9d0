/// The ids of changed objects, by kind: what may cross isolations.
public struct ChangedObjectIDs: Sendable, Hashable {
    /// Those that are new.
    public private(set) var inserted: Set<ObjectID> = []
    /// Those that were changed.
    public private(set) var updated: Set<ObjectID> = []
    /// Those that were deleted.
    public private(set) var deleted: Set<ObjectID> = []
    /// Those that got other values from the store: in a save, derived ones; in a merge, those of the
    /// context's objects that have their values, which may be among the ``updated`` ones, too.
    public private(set) var refreshed: Set<ObjectID> = []
    /// Those whose rows were found missing.
    public private(set) var invalidated: Set<ObjectID> = []
    /// Whether the context has forgotten all its objects.
    public private(set) var invalidatedAll = false

    init(_ changes: ObjectsDidChange) {
        inserted = Set(changes.inserted.map(\.objectID))
        updated = Set(changes.updated.map(\.objectID))
        deleted = Set(changes.deleted.map(\.ownObjectID))
        refreshed = Set(changes.refreshed.map(\.objectID))
        invalidated = Set(changes.invalidated.map(\.objectID))
        invalidatedAll = changes.invalidatedAll
    }

    /// What several saves came to: the last one decides of what kind an object is.
    ///
    /// - Parameter refreshed: The objects of the context that has merged them which have other
    ///   values now. Those that others have changed are among the updated ones, too.
    init(_ changeSets: [ChangeSet], refreshed merged: [ObjectID] = []) {
        for changes in changeSets {
            for id in changes.insertedObjectIDs {
                deleted.remove(id)
                inserted.insert(id)
            }
            for id in changes.updatedObjectIDs.keys where !inserted.contains(id) {
                updated.insert(id)
            }
            for id in changes.refreshedObjectIDs.keys where !inserted.contains(id) {
                refreshed.insert(id)
            }
            for id in changes.deletedObjectIDs {
                let wasNew = inserted.remove(id) != nil
                updated.remove(id)
                refreshed.remove(id)
                if !wasNew { deleted.insert(id) }
            }
        }
        refreshed.subtract(updated)
        refreshed.formUnion(merged.filter { !inserted.contains($0) && !deleted.contains($0) })
    }
}
