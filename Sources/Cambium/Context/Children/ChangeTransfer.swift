import CambiumRecords

/// Applies the changes of an object to another one: from a child's object to the parent's object,
/// or from a replaced object to its replacement.
///
/// All changes are made with the setters. These update the inverse relationships, and notify
/// observers and the undo manager as of any other change.
struct ChangeTransfer {
    private struct Step {
        let source: ManagedObject
        let target: ManagedObject
        /// The slots that were set.
        let slots: SlotSet
        /// Whether the target is to have no other links than the source.
        let replacesLinks: Bool
    }

    /// The context of the objects that are changed.
    private let context: ManagedObjectContext
    private var steps: [Step] = []

    init(to context: ManagedObjectContext) {
        self.context = context
    }

    mutating func add(
        _ source: ManagedObject, _ slots: SlotSet, to target: ManagedObject,
        replacesLinks: Bool = false
    ) {
        steps.append(
            Step(source: source, target: target, slots: slots, replacesLinks: replacesLinks))
    }

    func apply() {
        let lists = steps.map { formerMembers($0) }
        for step in steps { setValues(step) }
        for step in steps { setDestinations(step) }
        for step in steps { setLinks(step) }
        // Now that the members are known.
        for (step, members) in zip(steps, lists) { setOrders(step, members) }
    }

    private func setValues(_ step: Step) {
        guard let values = step.source.placed else { return }
        step.slots.forEach { slot in
            if step.source.entityDescription.attributes[slot] != nil {
                step.target.row.restore(slot, from: values)
            }
        }
    }

    private func setDestinations(_ step: Step) {
        guard let record = step.source.record else { return }
        for relationship in step.source.entityDescription.relationships {
            guard let slot = relationship.slot, step.slots.contains(slot) else { continue }
            var destination: ManagedObject?
            if record.hasValue(slot) {
                let entity = step.source.state.destinationEntity(of: relationship, in: record)
                destination = context.restoration.linkableObject(
                    LinkSet.Member(key: record.integer(slot), entity: entity))
            }
            step.target.setToOne(relationship.ordinal, destination)
        }
    }

    /// Sets the links that no slot holds: those of join tables, from the side that writes them, and
    /// transient ones.
    private func setLinks(_ step: Step) {
        for relationship in step.source.entityDescription.relationships
        where relationship.isTransient || (relationship.isJoinTable && relationship.ownsPairs) {
            let ordinal = relationship.ordinal
            let links = step.source.extras?.currentLinks(of: relationship)
            if step.replacesLinks { removeLinks(step, ordinal, beside: links) }
            guard let links, links.hasChanges else { continue }
            for key in links.removed.sorted() {
                let other = context.registry.registered(relationship, key)
                if let other, other.canBeRestored {
                    step.target.ownLinks.unlink(ordinal, from: other)
                }
            }
            for member in links.added.members {
                if let other = context.restoration.linkableObject(member) {
                    step.target.ownLinks.link(ordinal, to: other)
                }
            }
        }
    }

    private func removeLinks(_ step: Step, _ ordinal: Int, beside links: LinkSet?) {
        for member in step.target.ownLinks.linksToChange(ordinal).members
        where links?.contains(member.key) != true {
            if let other = step.target.object(for: member) {
                step.target.ownLinks.unlink(ordinal, from: other)
            }
        }
    }

    // MARK: Orders

    /// The members of the lists with a changed order, before anything is changed.
    private func formerMembers(_ step: Step) -> [Int: Set<Int64>] {
        var members = [Int: Set<Int64>]()
        for relationship in step.source.orderedRelationships {
            let links = step.target.ownLinks.linksToChange(relationship.ordinal)
            members[relationship.ordinal] = Set(links.members.map { $0.key })
        }
        return members
    }

    /// Applies the changes to the order of a list to the target's list.
    private func setOrders(_ step: Step, _ formerMembers: [Int: Set<Int64>]) {
        for relationship in step.source.orderedRelationships {
            let ordinal = relationship.ordinal
            guard let order = step.source.extras?.currentLinks(of: relationship)?.order else {
                continue
            }
            let keys = step.target.links(ordinal).members.map { $0.key }
            let present = Set(keys)
            let newcomers = Set(order.appended).subtracting(formerMembers[ordinal] ?? [])
            let wanted = order.applied(to: keys.filter { !newcomers.contains($0) })
                .filter(present.contains)
            guard wanted != keys else { continue }
            let ends = order.appended.filter {
                present.contains($0) && (newcomers.contains($0) || order.movedToEnd.contains($0))
            }
            if !ends.isEmpty { step.target.orderedLinks.moveToEnd(ends, ordinal) }
            let placed = order.placed.intersection(present)
            if !placed.isEmpty { step.target.orderedLinks.arrange(placed, in: wanted, ordinal) }
        }
    }
}

extension ManagedObject {
    /// The relationships with a changed order.
    fileprivate final var orderedRelationships: [RelationshipDescription] {
        guard let extras else { return [] }
        return entityDescription.relationships.filter { relationship in
            relationship.isOrdered && extras.currentLinks(of: relationship)?.order?.isEmpty == false
        }
    }

    /// The slots that were set since the object was read or saved, without derived slots.
    final var settableChangedSlots: SlotSet {
        tracking.noteQuietChanges()
        guard let extras else { return SlotSet() }
        return extras.changedSlots.subtracting(entityDescription.derivedSlots)
    }
}

/// Changes of other contexts that the parent has merged, and that the child has not seen when it
/// saves.
///
/// The child's changes must not overwrite them. The parent's objects get the row that the child has
/// read as their base, and the parent's save detects the conflict.
struct UnseenChanges {
    private struct Change {
        let target: ManagedObject
        /// The row as the child had read it.
        let base: PlacedRecord
        /// The slots that both the child and other contexts have changed.
        var slots = SlotSet()
    }

    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    private var changes: [Change] = []

    init(of child: ManagedObjectContext, in parent: ManagedObjectContext) {
        self.child = child
        self.parent = parent
    }

    /// Checks an object before the child's changes are applied to the parent's object.
    ///
    /// - Parameter slots: The slots that the child has changed. Nil if the change concerns the
    ///   complete object, because the child deletes or has locked it.
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

    /// Makes the row that the child has read the base of the parent's objects. They have the
    /// child's changes already.
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
            // An undo restores the row that the child had read, then the saves of other contexts.
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

/// Merges deletions of a parent when a child is saved.
struct DeletionsAbove: ContextAccess {
    let context: ManagedObjectContext

    /// Invalidates the objects of a child that its ``parent`` has deleted and that have no unsaved
    /// changes except to links. The links are cleared, as when a deletion is merged. If other
    /// changes remain, the save fails.
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
                try parent.fetching.presentObjects(group.value.map { $0.key }, root: group.key).map(
                    \.key))
            lost += group.value.filter { object in
                !present.contains(object.key)
                    && parent.replacements.replacement(of: RowIdentity(object)) == nil
            }
        }
        if lost.isEmpty { return }
        let farEnds = FarEndsByEntity(in: context)
        let changed = rowMerging.withoutUndoing {
            for object in lost.ordered(by: { $0.key < $1.key }) {
                deferredMerges.mergeDeletion(of: object, farEnds)
            }
        }
        family.notify([], of: changed)
        context.processChanges(propagatesDeletes: true)
    }
}

extension ManagedObject {
    /// Whether the only change of the object is that links to others were removed, as a delete of
    /// the others does. If the object is deleted, no change is lost.
    fileprivate final var isOnlyUnlinked: Bool {
        let isCleared = settableChangedSlots.slots.allSatisfy { slot in
            entityDescription.attributes[slot] == nil && record?.hasValue(slot) != true
        }
        return isCleared && extras?.links.values.allSatisfy { $0.added.isEmpty } != false
    }
}
