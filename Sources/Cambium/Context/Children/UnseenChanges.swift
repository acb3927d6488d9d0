import CambiumRecords

/// What other contexts have saved, and the parent has merged, since a child read what it saves now:
/// what the child has not seen, its changes must not be laid over. The parent's objects rest on
/// what the child had read from then on, and the parent's save sees the conflict.
struct UnseenChanges {
    private struct Change {
        let target: ManagedObject
        /// The row as the child had read it.
        let base: PlacedRecord
        /// What the child has changed, and others too.
        var slots = SlotSet()
    }

    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    private var changes: [Change] = []

    init(of child: ManagedObjectContext, in parent: ManagedObjectContext) {
        self.child = child
        self.parent = parent
    }

    /// Looks at an object before the child's changes come to the parent's.
    ///
    /// - Parameter slots: What the child has changed; nil where it rests on the whole object: it
    ///   deletes the object, or has locked it.
    mutating func look(at object: ManagedObject, _ slots: SlotSet?, _ target: ManagedObject) {
        guard target.lifecycle == .clean || target.lifecycle == .updated,
            target.entityDescription === object.entityDescription, target.key == object.key,
            let base = object.readRow, let now = target.readRow, let shown = target.record,
            child.family.hasOthersVersion(object, now.record.version)
        else { return }
        var change = Change(target: target, base: base)
        if let slots {
            let entity = target.entityDescription
            slots.forEach { slot in
                let kind = entity.shape.kinds[slot]
                if entity.layout.slots[slot].isStored,
                    !base.record.isEqual(slot, kind, to: now.record),
                    !base.record.isEqual(slot, kind, to: shown)
                {
                    change.slots.insert(slot)
                }
            }
            if change.slots.isEmpty { return }
        }
        changes.append(change)
    }

    /// Lets the parent's objects, which have the child's changes now, rest on what the child read.
    func apply() {
        for change in changes { apply(change) }
    }

    private func apply(_ change: Change) {
        let target = change.target
        guard let now = target.readRow else { return }
        let shape = target.entityDescription.shape
        let version = change.base.record.version
        func former(_ placed: PlacedRecord) -> PlacedRecord {
            var copy = parent.state.draftWriter.copy(placed.record, shape)
            change.slots.forEach { slot in
                parent.state.draftWriter.copySlot(slot, from: change.base.record, to: &copy, shape)
            }
            copy.record.version = version
            return withExtendedLifetime(placed) { copy }
        }
        let base = former(now)
        if target.flags.contains(.isDraft), let extras = target.extras {
            extras.snapshot = base
            target.record?.version = version
            // An undo brings back what the child had read, and then what other contexts have saved.
            if case .copy(let placed) = extras.eventBase {
                extras.eventBase = .copy(former(placed))
            }
        } else {
            target.placed = base
        }
        if target.lifecycle != .deleted {
            parent.deferredMerges.postpone(target)
        } else if target.extras?.deferred != .deletion {
            target.ownExtras.deferred = .change
        }
    }
}

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
                deferredMerges.mergeDeletion(of: object, farEnds)
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
