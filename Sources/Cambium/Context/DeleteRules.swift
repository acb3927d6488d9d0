import CambiumRecords

/// Applies the delete rules of deleted objects, and removes deleted objects from the links of
/// others.
struct DeleteRules: ContextAccess {
    let context: ManagedObjectContext

    /// Notes that an object is about to be deleted, with everything that an undo has to restore.
    func noteDeletion(of object: ManagedObject) {
        guard context.undoManager?.isUndoRegistrationEnabled == true else {
            return context.noteForEvent(object)
        }
        if !object.flags.contains(.isNoted) { context.note(object) }
        // While the object exists: a relationship that is read later does not reference it any
        // more.
        for relationship in object.entityDescription.relationships
        where relationship.isKeptByUndo {
            object.tracking.keepEventLinks(relationship)
        }
        keepPlaces(of: object)
    }

    /// Keeps the lists from which an object is about to be removed.
    private func keepPlaces(of object: ManagedObject) {
        for relationship in object.entityDescription.relationships
        where relationship.relationship.deleteRule == .nullify && !relationship.isTransient {
            guard let inverse = relationship.inverse,
                coordinator.model.entities[relationship.destination].relationships[inverse]
                    .isOrdered
            else { continue }
            for other in targets(of: relationship, object) where other.canBeRestored {
                if !other.flags.contains(.isNoted) { context.note(other) }
                other.tracking.keepEventLinks(other.entityDescription.relationships[inverse])
            }
        }
    }

    /// Applies the delete rules of deleted objects, and of the objects that the rules delete.
    func propagate() {
        while !changes.unpropagated.isEmpty {
            let objects = changes.unpropagated
            changes.unpropagated = []
            objects.forEachUncounted { propagateDelete(of: $0) }
            clearOneWayLinks(to: objects)
        }
    }

    /// Clears the one-way links to deleted objects, as far as the context has read them. The save
    /// clears the others.
    ///
    /// - Complexity: O(objects of the referencing entities), once for all deleted objects.
    func clearOneWayLinks(to objects: [ManagedObject]) {
        let model = coordinator.model
        var lost = [Int: Set<Int64>]()
        for object in objects where !model.oneWayLinks[object.entityDescription.index].isEmpty {
            lost[object.entityDescription.index, default: []].insert(object.key)
        }
        for (entity, keys) in lost.ordered(by: { $0.key < $1.key }) {
            for (owner, relationship) in model.oneWayLinks[entity] {
                for object in registry.registered(family: owner, where: \.canBeRestored) {
                    object.ownLinks.clear(relationship, to: keys)
                }
            }
        }
    }

    /// Applies the delete rules of the objects that a child has deleted, before the child updates
    /// its objects. The event continues.
    ///
    /// - Returns: The objects that were not changed in the event before.
    func propagateOfChild() -> [ManagedObject] {
        guard context.propagatesDeletesAtEndOfEvent, !activity.isProcessing else { return [] }
        activity.isProcessing = true
        defer { activity.isProcessing = false }
        let count = changes.noted.count
        propagate()
        return Array(changes.noted[count...])
    }

    /// Applies the delete rules of an object's relationships.
    private func propagateDelete(of object: ManagedObject) {
        for relationship in object.entityDescription.relationships {
            if relationship.isTransient, relationship.relationship.deleteRule != .cascade {
                continue
            }
            switch relationship.relationship.deleteRule {
            case .nullify, .deny: nullify(relationship, of: object)
            case .cascade: cascade(relationship, of: object)
            }
        }
        object.transients.drop(keepsDenying: true)
        // If a relationship could not be read, the save reads it, and the rules are applied again.
        if !errors.failedReads.isEmpty, object.lifecycle == .deleted,
            errors.failedReads.concerns(RowIdentity(object)),
            !changes.refusedDeletions.contains(where: { $0 === object })
        {
            changes.refusedDeletions.append(object)
        }
    }

    /// Applies the delete rules again if the save has found links of other contexts that were
    /// unknown at the time, or if links could not be read. The targets of these objects'
    /// relationships are read again.
    func propagateRefused() {
        for object in changes.refusedDeletions where object.lifecycle == .deleted {
            for relationship in object.entityDescription.relationships
            where relationship.slot == nil && !relationship.isTransient {
                object.extras?.links[relationship.ordinal]?.forget()
            }
            changes.unpropagated.append(object)
        }
    }

    private func cascade(_ relationship: RelationshipDescription, of object: ManagedObject) {
        for other in targets(of: relationship, object) { context.delete(other, cause: .cascade) }
    }

    private func nullify(_ relationship: RelationshipDescription, of object: ManagedObject) {
        guard let inverse = relationship.inverse else { return }
        if relationship.slot != nil {
            // The save looks at a deny rule, at the links that exist then.
            if relationship.isOwnInverse, relationship.relationship.deleteRule == .deny { return }
            // The other side's view of the object. Only this context can have read it.
            detach(object, relationship, inverse)
            return
        }
        // A deny rule is checked at save, against the objects that are still linked then.
        if relationship.relationship.deleteRule == .deny { return }
        for other in targets(of: relationship, object) {
            if relationship.isJoinTable {
                other.ownLinks.detachLink(inverse, from: object)
            } else if faulting.hasRow(other) {
                other.setDestination(of: other.entityDescription.relationships[inverse], to: nil)
            }
        }
    }

    /// Takes a deleted object out of the other side's view, without touching its own row.
    func detach(_ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: Int) {
        guard let slot = relationship.slot, let record = object.record, record.hasValue(slot) else {
            return
        }
        if relationship.isOwnInverse { return object.ownLinks.releasePartner(relationship) }
        let root = relationship.destinationRoot
        let key = record.integer(slot)
        // The object may have a replacement. Safety: the context keeps its parts.
        let other = uncounted(registry).use { $0.registered(root: root, key: key) }
        other?.ownLinks.detachLink(inverse, from: object)
    }

    /// The relationships with a deny rule that keep the object from being deleted, with the number
    /// of objects that still exist at the save.
    func deniers(of object: ManagedObject) -> [(RelationshipDescription, Int)] {
        object.entityDescription.relationships.compactMap { relationship in
            guard relationship.relationship.deleteRule == .deny else { return nil }
            let count = targets(of: relationship, object)
                .count {
                    $0.lifecycle != .deleted && $0.lifecycle != .invalid && faulting.hasRow($0)
                }
            return count > 0 ? (relationship, count) : nil
        }
    }

    func targets(
        of relationship: RelationshipDescription, _ object: ManagedObject
    ) -> [ManagedObject] {
        if relationship.slot != nil {
            return object.destination(of: relationship).map { [$0] } ?? []
        }
        let members = object.links(relationship.ordinal).members
        let others = members.compactMap { object.object(for: $0) }
        // One statement for all rows instead of one for each.
        let faults = others.filter { $0.isFault && $0.lifecycle == .clean }
        if faults.count > 1 { try? faulting.load(faults) }
        return others.filter { $0.lifecycle != .discarded && $0.lifecycle != .invalid }
    }
}

/// Restores deleted objects, and finds objects that can be linked to.
struct ObjectRestoration: ContextAccess {
    let context: ManagedObjectContext

    /// Reverts the deletion of an object before it is saved.
    func takeBackDeletion(of object: ManagedObject) {
        changes.unpropagated.removeAll { $0 === object }
        if object.record == nil { errors.failedReads.removeAll(of: RowIdentity(object)) }
        let isChanged =
            object.flags.contains(.isDraft) || object.extras?.hasRelationshipChanges == true
        object.lifecycle = isChanged ? .updated : .clean
        if isChanged { changes.updated.append(object) }
        changes.areStale = true
        // Saves of other contexts are merged when all changes are undone.
        if object.extras?.deferred == .change {
            object.extras?.deferred = .nothing
            deferredMerges.postpone(object)
        }
        divergentLists.forget(otherBecauseOf: object)
        // Objects that were created and deleted in the same event. A restored object links itself
        // again.
        for (ordinal, links) in object.extras?.links ?? [:] {
            for member in links.added.members {
                let other = registry.registered(member)
                if other?.canBeRestored == true { continue }
                object.extras?.links[ordinal]?.forgetChange(of: member.key)
            }
        }
    }

    /// The object of a key, or nil if it cannot be linked to.
    @inline(never)
    func linkableObject(_ member: LinkSet.Member) -> ManagedObject? {
        let object = registry.object(member)
        guard object.isFault, object.lifecycle == .clean else {
            return object.canBeRestored ? object : nil
        }
        // The row of a fault may have been deleted by another context.
        if faulting.hasRow(object) { return object.orReplacement }
        // Nor are its links to be changed.
        object.row.becomePlaceholder()
        object.row.becomeInvalid()
        return nil
    }
}
