/// What has to be told when a save is over.
struct SaveNotice {
    /// The objects that were saved: lists that the context has, which are not copied so.
    private(set) var saved: [[ManagedObject]]
    /// The objects to which the save gave other values: the merge policy, or the parent of a child.
    private(set) var resolved: [ManagedObject] = []
    /// What was saved.
    private(set) var changeSets: [ChangeSet] = []
    /// What kept some of several stores from saving.
    private(set) var failure: IncompleteSaveError?
    private var replaced: [ManagedObject] = []
    /// What was saved, for observers of objects.
    private var savedObjects: SavedObjects?

    /// Called before the context takes the outcome over.
    init(of context: ManagedObjectContext) {
        let changes = context.changes
        saved = [changes.inserted, changes.updated, changes.deleted]
        if context.observers.wantsSaves { savedObjects = SavedObjects(changes) }
    }

    /// Adds what one store has committed.
    mutating func add(_ completion: SaveCompletion) {
        resolved += completion.resolved
        replaced += completion.replaced
        if let changeSet = completion.changeSet { changeSets.append(changeSet) }
    }

    /// Adds that not all stores have committed.
    ///
    /// - Parameter pending: The objects that are still to be saved.
    mutating func add(_ failure: IncompleteSaveError, pending: [ManagedObject]) {
        self.failure = failure
        let pending = Set(pending)
        saved = saved.map { list in list.filter { !pending.contains($0) } }
        savedObjects?.leaveOut(pending)
    }

    /// Adds what a parent has taken in.
    mutating func add(_ changeSets: [ChangeSet], resolved: [ManagedObject]) {
        self.changeSets += changeSets
        self.resolved += resolved
    }

    /// Tells observers what was saved.
    func notify(_ observers: ObserverHub) {
        guard var savedObjects else { return }
        for changeSet in changeSets { savedObjects.add(changeSet) }
        savedObjects.leaveOut(replaced)
        observers.post(.didSave, savedObjects)
        observers.post(.didSaveObjectIDs, ChangedObjectIDs(savedObjects.changeSets))
    }

    /// Lets the undo manager forget the objects that others stand for now: there is nothing of them
    /// to be taken back.
    func notify(_ undoManager: ContextUndoManager?) {
        if !replaced.isEmpty { undoManager?.forget(replaced) }
    }
}
