/// What a save wrote, by kind. An object that was inserted and deleted again is not there.
public struct SavedObjects {
    /// The objects that are new.
    public let inserted: Set<ManagedObject>
    /// The objects that were changed, also those that were set to equal values only.
    public let updated: Set<ManagedObject>
    /// The objects that were deleted.
    public let deleted: Set<ManagedObject>
    /// What another context's ``ManagedObjectContext/mergeChanges(from:)`` takes.
    public internal(set) var changeSet: ChangeSet?

    /// Called before the context takes the outcome over.
    init(of context: ManagedObjectContext) {
        inserted = Set(context.inserted)
        updated = Set(context.updated)
        deleted = Set(context.deleted)
    }
}
