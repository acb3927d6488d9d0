import CambiumRecords

/// The part of a context that records its unsaved changes, for the current event and for earlier
/// events.
///
/// The lists are in the order of the changes. The lifecycle of an object is authoritative; a list
/// may contain objects with another lifecycle, until ``settle()`` removes them.
///
/// Invariants: while the lists are not stale, each has the objects of its lifecycle, once. The
/// noted objects are the objects with the flag for it, once.
final class PendingChanges {
    // Safety: here and below, an access calls nothing that could access the same variable again.
    @exclusivity(unchecked) var inserted: [ManagedObject] = []
    @exclusivity(unchecked) var updated: [ManagedObject] = []
    @exclusivity(unchecked) var deleted: [ManagedObject] = []
    /// Unchanged objects that take part in the conflict detection of the next save.
    var locked: [ManagedObject] = []
    /// Whether an object in a list has moved on.
    @exclusivity(unchecked) var areStale = false
    /// Whether an object in the list of changed ones has no changes any more.
    @exclusivity(unchecked) var updatedHoldsClean = false
    /// The number of objects that were ever inserted.
    @exclusivity(unchecked) private(set) var insertionCount = 0
    /// Deleted objects with delete rules that were not applied yet.
    @exclusivity(unchecked) var unpropagated: [ManagedObject] = []
    /// Deleted objects that others have referenced meanwhile, so that a save was rejected.
    var refusedDeletions: [ManagedObject] = []

    // MARK: The event

    /// Objects changed since changes were last processed.
    @exclusivity(unchecked) var noted: [ManagedObject] = []
    /// The numbers of objects that were inserted and deleted before the current event.
    @exclusivity(unchecked) private(set) var insertedBeforeEvent = 0
    @exclusivity(unchecked) private(set) var deletedBeforeEvent = 0
    /// Objects that an undo restored in the current event.
    var revivedInEvent: [ManagedObject] = []
    /// Objects that were refreshed in the current event and kept their changes.
    var refreshedInEvent: [ManagedObject] = []
    /// Objects that turned out to have no row in the current event.
    var invalidatedInEvent: [ManagedObject] = []
    /// The objects that were changed and processed during a merge. These changes cannot be undone.
    /// Nil outside of a merge.
    var processedInMerge: [ManagedObject]?
    /// The objects that were changed in the current round of a save and are processed already.
    var processedInRound: [ManagedObject] = []

    // MARK: Asking

    /// Whether there is anything to save.
    var isEmpty: Bool {
        !inserted.contains { $0.lifecycle == .inserted }
            && !updated.contains { $0.lifecycle == .updated }
            && !deleted.contains { $0.lifecycle == .deleted }
    }

    /// Whether changes were made since they were last processed.
    var needProcessing: Bool { !noted.isEmpty || !unpropagated.isEmpty || areStale }

    /// The new and the restored objects of the current event.
    var insertedInEvent: [ManagedObject] {
        inserted.dropFirst(insertedBeforeEvent) + revivedInEvent
    }

    /// The objects that the current event has deleted.
    var deletedInEvent: ArraySlice<ManagedObject> { deleted.dropFirst(deletedBeforeEvent) }

    /// Whether an unchanged object takes part in the conflict detection of the next save.
    func isLocked(_ object: ManagedObject) -> Bool { locked.contains { $0 === object } }

    // MARK: Changing

    /// Adds an object that is new.
    @inline(__always)
    func insert(_ object: ManagedObject) {
        insertionCount &+= 1
        inserted.append(object)
        noted.append(object)
    }

    /// Adds an object that has changes now.
    func update(_ object: ManagedObject) {
        // An object that was refreshed is still in the list, and must not be in it twice.
        if updatedHoldsClean {
            updated.removeAll { $0.lifecycle == .clean }
            updatedHoldsClean = false
        }
        object.lifecycle = .updated
        updated.append(object)
    }

    /// Marks an object for deletion, or discards a new one.
    func delete(_ object: ManagedObject) {
        areStale = true
        if object.lifecycle == .inserted {
            object.lifecycle = .discarded
        } else {
            object.lifecycle = .deleted
            deleted.append(object)
        }
    }

    /// An object in the list of changed ones has no changes any more.
    func dropUpdated() {
        areStale = true
        updatedHoldsClean = true
    }

    /// Removes objects with another lifecycle from the lists.
    ///
    /// - Returns: The new objects that were deleted again.
    func settle() -> [ManagedObject] {
        guard areStale else { return [] }
        areStale = false
        updatedHoldsClean = false
        let discarded = inserted.filter { $0.lifecycle == .discarded }
        inserted.removeAll { $0.lifecycle != .inserted }
        updated.removeAll { $0.lifecycle != .updated }
        deleted.removeAll { $0.lifecycle != .deleted }
        return discarded
    }

    /// Ends the event of the changes.
    ///
    /// - Returns: The objects that it changed.
    func endEvent(isSaving: Bool) -> [ManagedObject] {
        let changed = noted
        noted = []
        if isSaving { processedInRound += changed }
        processedInMerge? += changed
        beginEvent()
        return changed
    }

    private func beginEvent() {
        insertedBeforeEvent = inserted.count
        deletedBeforeEvent = deleted.count
        revivedInEvent = []
        refreshedInEvent = []
        invalidatedInEvent = []
    }

    /// Empties the lists, when there are no changes any more.
    func removeAll() {
        set(inserted: [], updated: [], deleted: [])
    }

    /// Replaces all changes by these, as changes of earlier events.
    func set(inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject]) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        insertedBeforeEvent = inserted.count
        deletedBeforeEvent = deleted.count
        areStale = false
        updatedHoldsClean = false
    }

    /// Forgets everything.
    ///
    /// - Returns: The objects that it held. The caller releases them.
    func reset() -> [[ManagedObject]] {
        let lists = [
            inserted, updated, deleted, locked, noted, unpropagated, refusedDeletions,
            revivedInEvent, refreshedInEvent, invalidatedInEvent,
        ]
        removeAll()
        locked = []
        noted = []
        unpropagated = []
        refusedDeletions = []
        beginEvent()
        return lists
    }

    // MARK: Invariants

    /// The violated invariants; empty if all hold.
    func invariantFaults(_ registry: ObjectRegistry) -> [String] {
        var faults: [String] = []
        var byLifecycle = [Lifecycle: [ManagedObject]]()
        var believers: [ManagedObject] = []
        registry.forEach { object in
            byLifecycle[object.lifecycle, default: []].append(object)
            if object.flags.contains(.isNoted) { believers.append(object) }
        }
        func check(_ name: String, _ list: [ManagedObject], _ lifecycle: Lifecycle) {
            let listed = Set(list)
            if listed.count != list.count { faults.append("\(name) has an object twice: \(list)") }
            for object in list {
                if object.lifecycle != lifecycle {
                    if !areStale { faults.append("\(name) has \(object), which has moved on") }
                } else if registry[RowIdentity(object)] !== object {
                    faults.append("\(name) has \(object), unregistered")
                }
            }
            for object in byLifecycle[lifecycle] ?? [] where !listed.contains(object) {
                faults.append("\(name) lacks \(object)")
            }
        }
        check("inserted", inserted, .inserted)
        check("updated", updated, .updated)
        check("deleted", deleted, .deleted)
        if !areStale {
            faults += (byLifecycle[.discarded] ?? []).map { "\($0) is still registered" }
        }
        let known = Set(noted)
        if known.count != noted.count { faults.append("an object is noted twice") }
        faults += noted.filter { !$0.flags.contains(.isNoted) }
            .map { "\($0) is noted and does not know" }
        faults += believers.filter { !known.contains($0) }.map { "\($0) believes to be noted" }
        if insertedBeforeEvent > inserted.count { faults.append("insertions of the future") }
        if deletedBeforeEvent > deleted.count { faults.append("deletions of the future") }
        return faults
    }
}
