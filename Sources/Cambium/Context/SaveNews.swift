/// What has to be told when a save is over.
struct SaveNews {
    /// The objects to which the merge policy gave other values.
    private(set) var resolved: [ManagedObject] = []
    private var forwarded: [ManagedObject] = []
    /// What was saved, for those who are told of objects.
    private var savedObjects: SavedObjects?

    /// Called before the context takes the outcome over.
    init(of context: ManagedObjectContext) {
        if context.observations?.wantsSaves == true { savedObjects = SavedObjects(of: context) }
    }

    /// Adds what one store has committed.
    mutating func add(_ adoption: SaveAdoption) {
        resolved += adoption.resolved
        forwarded += adoption.forwarded
        if let changeSet = adoption.changeSet { savedObjects?.add(changeSet) }
    }

    /// Tells observers what was saved.
    func tell(_ context: ManagedObjectContext) {
        guard var savedObjects else { return }
        savedObjects.leaveOut(forwarded)
        context.post(.didSave, savedObjects)
        context.post(.didSaveObjectIDs, ChangedObjectIDs(savedObjects.changeSets))
    }

    /// Lets the undo manager forget the objects that others stand for now: there is nothing of them
    /// to be taken back.
    func tell(_ undoManager: ContextUndoManager?) {
        if !forwarded.isEmpty { undoManager?.forget(forwarded) }
    }
}
