import CambiumRecords

/// The links of an object. Its methods change the links and keep inverse relationships consistent.
struct ObjectLinks: ObjectAccess {
    let subject: ManagedObject

    /// Returns the destination of a to-one relationship if the context has registered it. The links
    /// of an unregistered object cannot have been read.
    private func registeredDestination(of relationship: RelationshipDescription) -> ManagedObject? {
        guard let slot = relationship.slot else { return nil }
        let record = subject.readable
        guard record.hasValue(slot) else { return nil }
        return state.context?.registry.registered(relationship, record.integer(slot))
    }

    /// Clears a to-one relationship.
    func clearDestination(of relationship: RelationshipDescription) {
        if relationship.isTransient {
            return subject.transients.setDestination(of: relationship, to: nil)
        }
        guard relationship.slot != nil else { return clearFarDestination(of: relationship) }
        if relationship.isOwnInverse { releasePartner(relationship) }
        guard !relationship.isOwnInverse, let inverse = relationship.inverse else {
            return clearKey(of: relationship)
        }
        let old = registeredDestination(of: relationship)
        // This call comes before the key changes. After the change, the old order of a list can no
        // longer be read. The links of unordered relationships are not read.
        old?.ownLinks.willChangeLinks(of: inverse)
        clearKey(of: relationship)
        old?.ownLinks.noteUnlink(inverse, subject.key)
    }

    /// Sets the destination of a to-one relationship.
    func setReference(_ relationship: RelationshipDescription, to object: ManagedObject) {
        if relationship.isTransient {
            return subject.transients.setDestination(of: relationship, to: object)
        }
        guard mayLink(relationship, to: object) else { return }
        guard relationship.slot != nil else {
            guard let inverse = relationship.inverse else { return }
            // The key is in the row of the other object.
            return object.withRelationship(inverse) { object.setDestination(of: $0, to: subject) }
        }
        if relationship.isOwnInverse { return pair(with: object, relationship) }
        let old = registeredDestination(of: relationship)
        guard let inverse = relationship.inverse, old == nil || old !== object else {
            return writeKey(of: relationship, object)
        }
        old?.ownLinks.willChangeLinks(of: inverse)
        object.withRelationship(inverse) { opposite in
            if opposite.isOrdered { object.ownLinks.willChangeLinks(of: inverse) }
            writeKey(of: relationship, object)
            old?.ownLinks.noteUnlink(inverse, subject.key)
            // The new destination of a one-to-one relationship loses its former partner.
            if !opposite.isToMany, let partner = object.ownLinks.partner(opposite, besides: subject)
            {
                partner.ownLinks.clearKey(of: relationship)
                object.ownLinks.noteUnlink(inverse, partner.key)
            }
            object.ownLinks.noteLink(opposite, subject)
        }
    }

    /// Makes two objects reference each other in a one-to-one relationship that is its own inverse.
    /// The relationship of their former partners is cleared.
    private func pair(with object: ManagedObject, _ relationship: RelationshipDescription) {
        releasePartner(relationship, besides: object)
        object.withRelationship(relationship.ordinal) { opposite in
            object.ownLinks.releasePartner(opposite, besides: subject)
            if object !== subject { object.ownLinks.writeKey(of: opposite, subject) }
        }
        writeKey(of: relationship, object)
    }

    /// Clears the key of the object's partner in a one-to-one relationship that is its own inverse.
    func releasePartner(
        _ relationship: RelationshipDescription, besides object: ManagedObject? = nil
    ) {
        guard let partner = subject.destination(of: relationship)?.orReplacement,
            partner !== subject, partner !== object, partner.canBeRestored,
            state.context?.faulting.hasRow(partner) == true
        else { return }
        partner.withRelationship(relationship.ordinal) { opposite in
            if partner.destination(of: opposite) === subject {
                partner.ownLinks.clearKey(of: opposite)
            }
        }
    }

    /// Returns the destination of a one-to-one relationship with the key in the destination's row.
    /// If two objects reference this one, it is the one that is not `object`.
    func partner(
        _ relationship: RelationshipDescription, besides object: ManagedObject
    ) -> ManagedObject? {
        linksToChange(relationship.ordinal).members.first { $0.key != object.key }.flatMap {
            subject.object(for: $0)
        }
    }

    /// Clears a one-to-one relationship with the key in the destination's row.
    private func clearFarDestination(of relationship: RelationshipDescription) {
        guard let inverse = relationship.inverse,
            let old = linksToChange(relationship.ordinal).members.first.flatMap({
                subject.object(for: $0)
            })
        else { return }
        old.withRelationship(inverse) { old.setDestination(of: $0, to: nil) }
    }

    private func clearKey(of relationship: RelationshipDescription) {
        guard let slot = relationship.slot else { return }
        subject.writeNull(slot)
        if let entitySlot = relationship.entitySlot { subject.writeNull(entitySlot) }
    }

    private func writeKey(of relationship: RelationshipDescription, _ object: ManagedObject) {
        guard let slot = relationship.slot else { return }
        subject.writeInteger(slot, object.key)
        if let entitySlot = relationship.entitySlot {
            object.entityDescription.name.write(to: subject, entitySlot)
        }
    }

    /// Returns the members of a to-many relationship. They are read if necessary. If the context
    /// was released, the result is empty.
    func members(_ ordinal: Int) -> [LinkSet.Member] {
        subject.hasContext ? subject.links(ordinal).members : []
    }

    /// Keeps only the changes of a relationship that result from unsaved changes of its members. A
    /// member may have lost its unsaved changes: they were undone or discarded, another context
    /// deleted the member, or another context moved it and its own move was discarded.
    func keepUnsavedChanges(_ links: inout LinkSet, _ relationship: RelationshipDescription) {
        guard let context = state.context else { return }
        func change(of key: Int64) -> ManagedObject? {
            let member = context.registry.registered(relationship, key)
            return member?.flags.contains(.isDraft) == true || member?.lifecycle == .deleted
                ? member : nil
        }
        links.keepChanges(
            added: { change(of: $0.key)?.ownLinks.isMember(of: subject, relationship) == true },
            removed: { change(of: $0)?.ownLinks.hasLeft(subject, relationship) == true })
    }

    /// Computes the order of links, keeps the result, and returns it.
    func settled(_ links: LinkSet, _ ordinal: Int) -> LinkSet {
        var links = links
        links.settleOrder()
        ownExtras.links[ordinal] = links
        return links
    }

    /// Adds an object to a to-many relationship, and changes the inverse if there is one.
    func link(_ ordinal: Int, to object: ManagedObject) {
        let relationship = entity.relationships[ordinal]
        if let row = state.batchRow { return row.refuse(relationship, of: subject) }
        guard isUsable(object, for: relationship) else { return }
        let object = object.orReplacement
        if relationship.isTransient { return subject.transients.link(relationship, to: object) }
        guard relationship.isJoinTable else {
            // The key is in the destination's row.
            guard let inverse = relationship.inverse else { return }
            return object.setDestination(
                of: object.entityDescription.relationships[inverse], to: subject)
        }
        guard mayLink(relationship, to: object) else { return }
        noteLink(ordinal, object)
        if let inverse = relationship.inverse { object.ownLinks.noteLink(inverse, subject) }
    }

    /// Returns whether another object can reference this one. If it was deleted, the context
    /// records the error, and the result is false.
    private func mayLink(
        _ relationship: RelationshipDescription, to object: ManagedObject
    ) -> Bool {
        guard lifecycle == .invalid || lifecycle == .discarded else { return true }
        let end = relationship.inverse.map { object.entityDescription.relationships[$0] }
        state.context?.errors.recordInvalidLink(object, end ?? relationship, subject)
        return false
    }

    /// Removes an object from a to-many relationship, and changes the inverse if there is one.
    func unlink(_ ordinal: Int, from object: ManagedObject) {
        let relationship = entity.relationships[ordinal]
        if let row = state.batchRow { return row.refuse(relationship, of: subject) }
        guard isUsable(object, for: relationship) else { return }
        let object = object.orReplacement
        if relationship.isTransient { return subject.transients.unlink(relationship, from: object) }
        guard relationship.isJoinTable else {
            guard let inverse = relationship.inverse else { return }
            let opposite = object.entityDescription.relationships[inverse]
            if object.destination(of: opposite) === subject {
                object.setDestination(of: opposite, to: nil)
            }
            return
        }
        noteUnlink(ordinal, object.key)
        if let inverse = relationship.inverse { object.ownLinks.noteUnlink(inverse, subject.key) }
    }

    /// Records that the object at the other end now references this one. It does not read the
    /// existing links.
    func noteLink(_ ordinal: Int, _ object: ManagedObject) {
        subject.withRelationship(ordinal) { noteLink($0, object) }
    }

    private func noteLink(_ relationship: RelationshipDescription, _ object: ManagedObject) {
        guard lifecycle != .invalid, lifecycle != .discarded else { return }
        willChangeLinks()
        subject.tracking.keepEventLinks(relationship)
        let ordinal = relationship.ordinal
        let member = LinkSet.Member(key: object.key, entity: object.entityDescription.index)
        // Safety: the object keeps its extras.
        uncounted(ownExtras).use { extras in
            extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
            extras.links[ordinal]?.add(member)
        }
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
    }

    /// Records that the object at the other end no longer references this one.
    func noteUnlink(_ ordinal: Int, _ key: Int64) {
        guard lifecycle != .invalid else { return }
        // If the key is in this object's row, it was already written.
        let relationship = entity.relationships[ordinal]
        guard relationship.slot == nil else { return }
        willChangeLinks(of: ordinal)
        let extras = ownExtras
        extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
        extras.links[ordinal]?.remove(key)
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
    }

    /// Keeps the current links before one of them is added or removed.
    private func willChangeLinks(of ordinal: Int) {
        // If a new object was deleted, its delete rules may still be pending. They do not apply to
        // objects that were removed from it since.
        let relationship = entity.relationships[ordinal]
        guard relationship.slot == nil, lifecycle != .invalid, lifecycle != .discarded else {
            return
        }
        willChangeLinks()
        subject.tracking.keepEventLinks(relationship)
    }

    /// Notes that links are about to change.
    @inline(__always)
    func willChangeLinks() {
        // Most links of an object are created one after another.
        if lifecycle != .clean, flags.contains(.isNoted) { return }
        guard let context = state.context else { return state.noteLostContext() }
        context.willChangeLinks(subject)
    }

    /// Returns whether an object can be linked. If it was deleted or belongs to another context,
    /// the context records the error, and the next save throws it.
    func isUsable(_ object: ManagedObject, for relationship: RelationshipDescription) -> Bool {
        if flags.contains(.isForgotten) {
            state.context?.errors.recordForgotten(subject)
            return false
        }
        if object.state === state, object.key != .min,
            object.entityDescription.index == relationship.destination
        {
            return true
        }
        guard object.state === state, object.key != .min else {
            state.context?.errors.recordInvalidLink(subject, relationship, object)
            return false
        }
        let entity = object.entityDescription.index
        guard
            entity == relationship.destination
                || state.coordinator.model.families[relationship.destination].contains(entity)
        else {
            state.context?.errors.recordWrongEntity(subject, relationship, object)
            return false
        }
        return true
    }

    /// Clears the links to these keys of a relationship without an inverse, if the links were read.
    func clear(_ relationship: RelationshipDescription, to keys: Set<Int64>) {
        if let slot = relationship.slot {
            guard let record = subject.record, record.hasValue(slot),
                keys.contains(record.integer(slot))
            else { return }
            subject.setDestination(of: relationship, to: nil)
        } else if let links = extras?.links[relationship.ordinal], links.mentions(keys) {
            for member in links.members where keys.contains(member.key) {
                noteUnlink(relationship.ordinal, member.key)
            }
        }
    }

    /// Removes a deleted object from a relationship without changing its row.
    func detachLink(_ ordinal: Int, from object: ManagedObject) {
        // Undo may restore this deleted object, but not an object that was created and deleted with
        // it.
        if lifecycle == .deleted, object.lifecycle == .discarded {
            extras?.links[ordinal]?.forgetChange(of: object.key)
        }
        guard lifecycle != .invalid, lifecycle != .discarded,
            lifecycle != .deleted,
            entity.relationships[ordinal].slot == nil
        else { return }
        state.context?.willChangeLinks(subject)
        let relationship = entity.relationships[ordinal]
        subject.tracking.keepEventLinks(relationship)
        let extras = ownExtras
        extras.links.prepare(ordinal, isOrdered: relationship.isOrdered)
        extras.links[ordinal]?.remove(object.key)
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
    }

    /// Returns the links of a relationship before a change that depends on them. If they cannot be
    /// read, the change is wrong, and saves fail until the links are read or the change is
    /// reverted.
    func linksToChange(_ ordinal: Int) -> LinkSet {
        let links = subject.links(ordinal)
        guard let context = state.context, !context.errors.failedReads.isEmpty else { return links }
        let target = FailedReads.Target.links(RowIdentity(subject), ordinal)
        if context.faulting.hasRead(target, of: subject) {
            context.errors.failedReads.remove(target)
        } else {
            context.errors.failedReads.require(target)
        }
        return links
    }

    /// Returns the links of a relationship.
    ///
    /// - Throws: The error if the links cannot be read.
    func readLinks(_ ordinal: Int) throws -> LinkSet {
        let links = subject.links(ordinal)
        guard let context = state.context, !context.errors.failedReads.isEmpty else { return links }
        let target = FailedReads.Target.links(RowIdentity(subject), ordinal)
        if let error = context.errors.failedReads[target],
            !context.faulting.hasRead(target, of: subject)
        {
            throw error
        }
        return links
    }

    /// Returns whether the key in the object's row references an owner.
    func isMember(of owner: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        guard subject.canBeRestored, let record = subject.record,
            let inverse = relationship.inverse,
            let slot = entity.relationships[inverse].slot
        else { return false }
        return record.hasValue(slot) && record.integer(slot) == owner.key
    }

    /// Returns whether unsaved changes removed the object from an owner's relationship. In the
    /// store, it is still a member.
    func hasLeft(_ owner: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        if lifecycle == .deleted { return true }
        guard flags.contains(.isDraft) || subject.hasDeferredMerge, let record = subject.record,
            let inverse = relationship.inverse,
            let slot = entity.relationships[inverse].slot
        else { return false }
        return !record.hasValue(slot) || record.integer(slot) != owner.key
    }

    /// Adds the object to the inverses of its to-one relationships again.
    func relinkToOnes() {
        for relationship in entity.relationships {
            guard let slot = relationship.slot, let record = subject.record, record.hasValue(slot)
            else { continue }
            let member = LinkSet.Member(
                key: record.integer(slot),
                entity: subject.state.destinationEntity(of: relationship, in: record))
            guard let other = state.context?.restoration.linkableObject(member) else {
                subject.setDestination(of: relationship, to: nil)
                continue
            }
            guard let inverse = relationship.inverse else { continue }
            if relationship.isOwnInverse {
                pair(with: other, relationship)
                continue
            }
            let opposite = other.entityDescription.relationships[inverse]
            if !opposite.isToMany, let partner = other.ownLinks.partner(opposite, besides: subject)
            {
                partner.setDestination(of: relationship, to: nil)
            }
            other.ownLinks.noteLink(inverse, subject)
        }
    }
}

/// The order of an object's ordered to-many relationships.
struct OrderedLinks: ObjectAccess {
    let subject: ManagedObject

    /// Inserts objects before the current object at an index, or at the end.
    func place(_ objects: [ManagedObject], at index: Int, in ordinal: Int) {
        let before = subject.ownLinks.linksToChange(ordinal)
        let members = before.members
        precondition(
            index >= 0 && index <= members.count, "There is no index \(index) in the list.")
        let successor = members[index...].map { $0.key }
        var seen: Set<Int64> = []
        let wanted = objects.filter { seen.insert($0.key).inserted }
        for object in wanted where !before.contains(object.key) {
            subject.ownLinks.link(ordinal, to: object)
        }
        // An object that could not be linked is not in the list.
        let after = subject.links(ordinal)
        let keys = wanted.map { $0.key }.filter(after.contains)
        guard !keys.isEmpty else { return }
        place(keys, before: successor, in: ordinal)
    }

    /// Moves members before the current member at an index, or to the end.
    func place(_ keys: [Int64], before index: Int, in ordinal: Int) {
        let members = subject.ownLinks.linksToChange(ordinal).members
        precondition(
            index >= 0 && index <= members.count, "There is no index \(index) in the list.")
        place(keys, before: members[index...].map { $0.key }, in: ordinal)
    }

    /// Moves members before the first of the others, or to the end if there are no others.
    func place(_ keys: [Int64], before others: [Int64], in ordinal: Int) {
        let moved = Set(keys)
        let order = subject.links(ordinal).members.map { $0.key }
        let following = others.filter { !moved.contains($0) }
        let behind = Set(following)
        let leading = order.filter { !moved.contains($0) && !behind.contains($0) }
        let arranged = leading + keys + following
        guard arranged != order else { return }
        if following.isEmpty {
            moveToEnd(keys, ordinal)
        } else {
            arrange(moved, in: arranged, ordinal)
        }
    }

    /// Moves members to the end.
    func moveToEnd(_ keys: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.moveToEnd(keys) }
    }

    /// Moves members so that the list has an arrangement.
    func arrange(_ keys: Set<Int64>, in arrangement: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.place(keys, in: arrangement) }
    }

    func changeLinks(_ ordinal: Int, _ body: (inout LinkSet) -> Void) {
        guard lifecycle != .invalid, lifecycle != .discarded else { return }
        subject.ownLinks.willChangeLinks()
        subject.tracking.keepEventLinks(entity.relationships[ordinal])
        if entity.relationships[ordinal].isTransient {
            var links = subject.transients.links(of: entity.relationships[ordinal])
            body(&links)
            ownExtras.transientLinks[ordinal] = links
        } else if var links = ownExtras.links[ordinal] {
            // The dictionary's reference is removed meanwhile, so that the value is changed in
            // place.
            ownExtras.links[ordinal] = nil
            body(&links)
            ownExtras.links[ordinal] = links
        }
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
    }
}
