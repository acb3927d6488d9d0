import CambiumRecords

/// What changed in a context, as its controllers and observers receive it.
///
/// Several saves of other contexts may be told at once; then an object can be named more than once,
/// and is as it was left by the last of them.
struct ObjectChanges {
    /// An object that was changed.
    struct Update {
        let object: ManagedObject
        /// The slots that may have other values now; nil means any.
        let slots: SlotSet?
        /// Whether a relationship changed that is kept elsewhere than in the object's row.
        let changesLinks: Bool
    }

    /// A row that another context inserted or changed and that this context has no object for.
    struct UnregisteredRow {
        /// The number of the row's entity.
        let entity: Int
        let key: Int64
        /// The row, where it came along.
        var placed: PlacedRecord?
        /// The slots that were set; nil for a new row.
        var slots: SlotSet?
    }

    var inserted: [ManagedObject] = []
    var updated: [Update] = []
    var deleted: [ManagedObject] = []
    /// Rows of the entities that the context's observers watch.
    var unregistered: [UnregisteredRow] = []
    /// The objects among the updated ones whose values were dropped, since the row did not come
    /// along.
    var emptied: [ManagedObject] = []
    /// The rows that others deleted and that this context has no objects for.
    var lostRows: [(entity: Int, key: Int64)] = []
    /// Whether these are all changes; if not, anything may have changed.
    var isComplete = true

    /// The changed objects that have their values.
    var refreshedObjects: [ManagedObject] {
        updated.map(\.object).filter { $0.record != nil }
    }

    /// Whether an object that is there is among those that changed, as far as all of them are named.
    func mayConcern(_ object: ManagedObject) -> Bool {
        !isComplete || updated.contains { $0.object === object }
            || inserted.contains { $0 === object }
    }

    var isEmpty: Bool {
        isComplete && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && unregistered.isEmpty
            && lostRows.isEmpty
    }
}

extension ObjectChanges {
    /// Tells those who observe the objects: anything about them may have changed.
    func notifyObjects() {
        for object in inserted { object.notifyOfChanges() }
        for update in updated { update.object.notifyOfChanges() }
        for object in deleted { object.notifyOfChanges() }
    }
}
