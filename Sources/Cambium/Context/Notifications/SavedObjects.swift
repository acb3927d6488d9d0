/// What a save wrote, by kind. An object that was inserted and deleted again is not there.
public struct SavedObjects {
    /// The objects that are new.
    public private(set) var inserted: Set<ManagedObject>
    /// The objects that were changed, also those that were set to equal values only.
    public private(set) var updated: Set<ManagedObject>
    /// The objects that were deleted.
    public private(set) var deleted: Set<ManagedObject>
    /// What another context's ``ManagedObjectContext/mergeChanges(from:)`` takes: one for each
    /// store that was written.
    public private(set) var changeSets: [ChangeSet] = []

    /// Called before the context takes the outcome over.
    init(_ changes: PendingChanges) {
        inserted = Set(changes.inserted)
        updated = Set(changes.updated)
        deleted = Set(changes.deleted)
    }

    mutating func add(_ changeSet: ChangeSet) {
        changeSets.append(changeSet)
    }

    /// Leaves out objects that were not saved after all: new ones that a merge policy has given up
    /// for others, those of a store that could not commit.
    mutating func leaveOut(_ objects: some Sequence<ManagedObject>) {
        inserted.subtract(objects)
        updated.subtract(objects)
        deleted.subtract(objects)
    }
}
