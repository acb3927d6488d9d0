import CambiumRecords

extension ManagedObjectContext {
    /// Follows the delete rules of what was deleted, and of what they delete.
    func propagateDeletes() {
        while !unpropagated.isEmpty {
            let objects = unpropagated
            unpropagated = []
            objects.forEachUncounted { propagateDelete(of: $0) }
            clearOneWayLinks(to: objects)
        }
    }

    /// Clears links to deleted objects from where nothing leads back, as far as the context has read
    /// them. The save clears the others.
    ///
    /// - Complexity: O(objects of the entities that lead there), once for all deleted ones.
    func clearOneWayLinks(to objects: [ManagedObject]) {
        let model = coordinator.model
        var lost: [Int: Set<Int64>] = [:]
        for object in objects where !model.oneWayLinks[object.entityDescription.index].isEmpty {
            lost[object.entityDescription.index, default: []].insert(object.key)
        }
        for (entity, keys) in lost.sorted(by: { $0.key < $1.key }) {
            for (owner, relationship) in model.oneWayLinks[entity] {
                for object in registered(family: owner, where: \.canBeRestored) {
                    object.clear(relationship, to: keys)
                }
            }
        }
    }

    /// Follows the delete rules of what a child has deleted, before the child takes over what its
    /// objects are now. The event goes on.
    ///
    /// - Returns: The objects that were not changed in the event before.
    func propagateDeletesOfChild() -> [ManagedObject] {
        guard propagatesDeletesAtEndOfEvent, !isProcessing else { return [] }
        isProcessing = true
        defer { isProcessing = false }
        let count = noted.count
        propagateDeletes()
        return Array(noted[count...])
    }

    /// Does what the delete rules of an object's relationships say.
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
        object.dropTransientLinks(keepsDenying: true)
        // What could not be read is, by the save, and the rules are followed once more.
        if !failedReads.isEmpty, object.lifecycle == .deleted,
            failedReads.concerns(RowIdentity(object)),
            !refusedDeletions.contains(where: { $0 === object })
        {
            refusedDeletions.append(object)
        }
    }

    /// Lets the delete rules be followed once more, where a save has met links of others that were
    /// not known when they were, or where they could not be read: what these lead to is read again.
    func propagateRefusedDeletes() {
        for object in refusedDeletions where object.lifecycle == .deleted {
            for relationship in object.entityDescription.relationships
            where relationship.slot == nil && !relationship.isTransient {
                object.extras?.links[relationship.ordinal]?.forget()
            }
            unpropagated.append(object)
        }
    }

    private func cascade(_ relationship: RelationshipDescription, of object: ManagedObject) {
        for other in targets(of: relationship, object) { delete(other, cause: .cascade) }
    }

    private func nullify(_ relationship: RelationshipDescription, of object: ManagedObject) {
        guard let inverse = relationship.inverse else { return }
        if relationship.slot != nil {
            // The other side's view of the object; nobody but this context can have read it.
            detach(object, relationship, inverse)
            return
        }
        // A deny is judged at save, against those that are still linked then.
        if relationship.relationship.deleteRule == .deny { return }
        for other in targets(of: relationship, object) {
            if relationship.isJoinTable {
                other.detachLink(inverse, from: object)
            } else if hasRow(other) {
                other.setDestination(of: other.entityDescription.relationships[inverse], to: nil)
            }
        }
    }

    /// Takes a deleted object out of the other side's view, without touching its own row.
    func detach(_ object: ManagedObject, _ relationship: RelationshipDescription, _ inverse: Int) {
        guard let slot = relationship.slot, let record = object.record, record.hasValue(slot) else {
            return
        }
        let root = relationship.destinationRoot
        let key = record.integer(slot)
        // Safety: the context keeps its maps.
        let known = uncounted(objects[root]).use { $0.map[key] }
        // Another object may stand for it.
        let other = known ?? (forwards.isEmpty ? nil : forwarded(root, key))
        other?.detachLink(inverse, from: object)
    }

    /// The objects that a deny keeps from being deleted: those still there when it is saved.
    func deniers(of object: ManagedObject) -> [(RelationshipDescription, Int)] {
        object.entityDescription.relationships.compactMap { relationship in
            guard relationship.relationship.deleteRule == .deny else { return nil }
            let count = targets(of: relationship, object)
                .count { $0.lifecycle != .deleted && $0.lifecycle != .gone && hasRow($0) }
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
        if faults.count > 1 { try? load(faults) }
        return others.filter { $0.lifecycle != .discarded && $0.lifecycle != .gone }
    }
}

extension ManagedObject {
    /// Clears the links of a relationship without an inverse that lead to one of these, where they
    /// are known.
    fileprivate final func clear(_ relationship: RelationshipDescription, to keys: Set<Int64>) {
        if let slot = relationship.slot {
            guard let record, record.hasValue(slot), keys.contains(record.integer(slot)) else {
                return
            }
            setDestination(of: relationship, to: nil)
        } else if let links = extras?.links[relationship.ordinal], links.mentions(keys) {
            for member in links.members where keys.contains(member.key) {
                noteUnlink(relationship.ordinal, member.key)
            }
        }
    }

    final func detachLink(_ ordinal: Int, from object: ManagedObject) {
        // Undo may bring back what is deleted, but not who came and went with it.
        if lifecycle == .deleted, object.lifecycle == .discarded {
            extras?.links[ordinal]?.forgetChange(of: object.key)
        }
        guard lifecycle != .gone, lifecycle != .discarded, lifecycle != .deleted,
            entityDescription.relationships[ordinal].slot == nil
        else { return }
        state.context?.willChangeLinks(self)
        let relationship = entityDescription.relationships[ordinal]
        keepEventLinks(relationship)
        let extras = ownExtras
        extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
        extras.links[ordinal]?.remove(object.key)
    }
}
