import CambiumRecords

/// What a parent has deleted, seen by the save of a child.
struct DeletionsAbove: ContextAccess {
    let context: ManagedObjectContext

    /// Lets those objects of a child go that its ``parent`` has deleted and of which nothing is to be
    /// saved but links: these are cleared, as when a deletion is merged. What is left is an error of
    /// the save.
    func merge() throws {
        guard let parent else { return }
        context.processChanges(propagatesDeletes: true)
        let linked = changes.updated.filter { object in
            object.lifecycle == .updated && (!object.hasUnsavedChanges || object.isOnlyUnlinked)
        }
        if linked.isEmpty { return }
        parent.processPendingChanges()
        var lost: [ManagedObject] = []
        for group in Dictionary(grouping: linked, by: { $0.entityDescription.rootIndex }) {
            let present = Set(
                try parent.fetching.presentObjects(group.value.map(\.key), root: group.key).map(
                    \.key))
            lost += group.value.filter { object in
                !present.contains(object.key)
                    && parent.replacements.replacement(of: RowIdentity(object)) == nil
            }
        }
        if lost.isEmpty { return }
        let farEnds = FarEndsByEntity(in: context)
        let changed = rowMerging.withoutUndoing {
            for object in lost.sorted(by: { $0.key < $1.key }) {
                deferredMerges.lose(object, farEnds)
            }
        }
        family.notify([], of: changed)
        context.processChanges(propagatesDeletes: true)
    }
}

extension ManagedObject {
    /// Whether nothing was done to the object but that links to others were taken away, as a delete
    /// of these does: no loss, should the object be gone.
    fileprivate final var isOnlyUnlinked: Bool {
        let isCleared = settableChangedSlots.slots.allSatisfy { slot in
            entityDescription.attributes[slot] == nil && record?.hasValue(slot) != true
        }
        return isCleared && extras?.links.values.allSatisfy { $0.added.isEmpty } != false
    }
}
