import CambiumRecords

/// Undoes a group of changes: objects come back, get their former values and links, and are deleted, in
/// this order. It happens through setters as far as it can, so that inverses are kept, and what it
/// changed can be redone.
struct Undoing: ContextAccess {
    let context: ManagedObjectContext

    /// Brings back the state before the changes of a group.
    func apply(_ group: UndoGroup) {
        var events: [(object: ManagedObject, event: SnapshotEvents)] = []
        for step in group.steps.reversed() {
            let revived = step.filter { $0.kind == .went && revive($0) }
            let present =
                revived
                + step.filter {
                    $0.kind == .changed && $0.object.canBeRestored && faulting.hasRow($0.object)
                }
            for undo in present { undo.restoreValues() }
            for undo in revived { undo.object.ownLinks.relinkToOnes() }
            for undo in present { undo.restoreLinks() }
            let leaving = step.filter { $0.kind == .came && withdraw($0.object) }
            deleteRules.clearOneWayLinks(to: leaving.map(\.object))
            for undo in present { undo.restoreOrders() }
            events += revived.map { ($0.object, .undoDeletion) }
            events += present.filter { $0.kind == .changed }.map { ($0.object, .undoUpdate) }
            events += leaving.map { ($0.object, .undoInsertion) }
        }
        // Where everything is again as the store has it, there is nothing to save.
        for object in changes.noted { UndoneObject(subject: object).dropEqualValues() }
        for object in changes.noted { UndoneObject(subject: object).becomeCleanIfUnchanged() }
        for (object, event) in events {
            activity.awaken(CollectionOfOne(object), from: event)
        }
    }

    /// Brings a deleted object back.
    private func revive(_ undo: ObjectUndo) -> Bool {
        let object = undo.object
        switch object.lifecycle {
        case .deleted:
            revival.takeBackDeletion(of: object)
        case .discarded, .invalid:
            guard !object.isInvalidObject, let before = undo.before, register(again: object) else {
                return false
            }
            object.row.becomeNew(before)
            changes.inserted.append(object)
        case .clean, .inserted, .updated:
            return false
        }
        changes.revivedInEvent.append(object)
        context.noteForEvent(object)
        return true
    }

    /// Makes an object known again under its key.
    private func register(again object: ManagedObject) -> Bool {
        let id = RowIdentity(object)
        guard registry[id] == nil else { return false }
        registry.insert(object, in: object.entityDescription)
        merges.reinsertedRows[id] = .max
        return true
    }

    /// Takes an object away that came into being. Unlike a deletion it cascades to nobody: what the
    /// object brought along came with it, and goes by itself.
    private func withdraw(_ object: ManagedObject) -> Bool {
        if object.lifecycle == .clean || object.lifecycle == .updated {
            guard faulting.hasRow(object) else { return false }
            faulting.fire(object)
        }
        guard object.isThere else { return false }
        deleteRules.noteDeletion(of: object)
        detachFromLinkedObjects(object)
        changes.delete(object)
        return true
    }

    private func detachFromLinkedObjects(_ object: ManagedObject) {
        for relationship in object.entityDescription.relationships where !relationship.isTransient {
            guard let inverse = relationship.inverse else { continue }
            if relationship.slot != nil {
                deleteRules.detach(object, relationship, inverse)
                continue
            }
            for other in deleteRules.targets(of: relationship, object) {
                if relationship.isJoinTable {
                    other.ownLinks.detachLink(inverse, from: object)
                } else if faulting.hasRow(other) {
                    other.setDestination(
                        of: other.entityDescription.relationships[inverse], to: nil)
                }
            }
        }
        object.transients.drop()
    }
}

extension ObjectUndo {
    fileprivate func restoreValues() {
        guard let before else { return }
        var slots = slots
        // An object that was gone has taken the whole row over already.
        if object.lifecycle == .inserted, kind == .went { slots = SlotSet() }
        slots.forEach { slot in
            if object.entityDescription.attributes[slot] != nil {
                object.row.restore(slot, from: before)
            } else if let relationship = object.entityDescription.relationships
                .first(where: { $0.slot == slot })
            {
                restoreDestination(of: relationship, before.record)
            }
        }
    }

    private func restoreDestination(of relationship: RelationshipDescription, _ before: Record) {
        guard let slot = relationship.slot else { return }
        guard before.hasValue(slot) else { return object.setDestination(of: relationship, to: nil) }
        let former = LinkSet.Member(
            key: before.integer(slot),
            entity: object.destinationEntity(of: relationship, in: before)
        )
        let destination = object.managedObjectContext?.revival.livingObject(former)
        // Who has to lead somewhere stays where it is, rather than lead nowhere.
        if destination == nil, !relationship.relationship.isOptional { return }
        object.setDestination(of: relationship, to: destination)
    }

    fileprivate func restoreLinks() {
        guard let context = object.managedObjectContext else { return }
        for links in links {
            for member in links.added {
                if let other = context.revival.livingObject(member) {
                    object.ownLinks.unlink(links.ordinal, from: other)
                } else if !object.entityDescription.relationships[links.ordinal].isTransient {
                    object.ownLinks.noteUnlink(links.ordinal, member.key)
                }
            }
            for member in links.removed {
                if let other = context.revival.livingObject(member) {
                    object.ownLinks.link(links.ordinal, to: other)
                }
            }
        }
    }

    fileprivate func restoreOrders() {
        for links in links {
            guard let order = links.order else { continue }
            let relationship = object.entityDescription.relationships[links.ordinal]
            let present = object.ownLinks.linksToChange(relationship.ordinal).members.map(\.key)
            let known = Set(present)
            let former = order.filter(known.contains)
            let others = Set(former)
            let wanted = former + present.filter { !others.contains($0) }
            if wanted != present { object.orderedLinks.arrange(others, in: wanted, links.ordinal) }
        }
    }
}

extension ManagedObject {
    /// Whether the object is there, or a fault that may be.
    final var canBeRestored: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: true
        case .deleted, .discarded, .invalid: false
        }
    }
}
