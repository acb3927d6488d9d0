/// What a save wrote, by kind. An object that was inserted and deleted again is not there.
public struct SavedObjects {
    /// The objects that are new.
    public private(set) var inserted: Set<ManagedObject>
    /// The objects that were changed, also those that were set to equal values only.
    public let updated: Set<ManagedObject>
    /// The objects that were deleted.
    public let deleted: Set<ManagedObject>
    /// What another context's ``ManagedObjectContext/mergeChanges(from:)`` takes: one for each
    /// store that was written.
    public private(set) var changeSets: [ChangeSet] = []

    /// Called before the context takes the outcome over.
    init(of context: ManagedObjectContext) {
        inserted = Set(context.inserted)
        updated = Set(context.updated)
        deleted = Set(context.deleted)
    }

    mutating func add(_ changeSet: ChangeSet) {
        changeSets.append(changeSet)
    }

    /// Leaves out new objects that a merge policy has given up for others.
    mutating func leaveOut(_ objects: [ManagedObject]) {
        inserted.subtract(objects)
    }
}
