import CambiumRecords

// Undoing: objects come back, get their former values and links, and go, in this order. It happens
// through setters as far as it can, so that inverses are kept, and what it changed can be redone.
extension ManagedObjectContext {
    /// Brings back the state before the changes of a group.
    func apply(_ group: UndoGroup) {
        var events: [(object: ManagedObject, event: SnapshotEvents)] = []
        for step in group.steps.reversed() {
            let revived = step.filter { $0.kind == .went && revive($0) }
            let present =
                revived
                + step.filter {
                    $0.kind == .changed && $0.object.canBeRestored && hasRow($0.object)
                }
            for undo in present { undo.restoreValues() }
            for undo in revived { undo.object.relinkToOnes() }
            for undo in present { undo.restoreLinks() }
            let leaving = step.filter { $0.kind == .came && withdraw($0.object) }
            clearOneWayLinks(to: leaving.map(\.object))
            for undo in present { undo.restoreOrders() }
            events += revived.map { ($0.object, .undoDeletion) }
            events += present.filter { $0.kind == .changed }.map { ($0.object, .undoUpdate) }
            events += leaving.map { ($0.object, .undoInsertion) }
        }
        // Where everything is again as the store has it, there is nothing to save.
        for object in noted { object.dropEqualValues() }
        for object in noted { object.becomeCleanIfUnchanged() }
        for (object, event) in events { awaken(CollectionOfOne(object), from: event) }
    }

    /// Brings a deleted object back.
    private func revive(_ undo: ObjectUndo) -> Bool {
        let object = undo.object
        switch object.lifecycle {
        case .deleted:
            takeBackDeletion(of: object)
        case .discarded, .gone:
            guard !object.isGhost, let before = undo.before, register(again: object) else {
                return false
            }
            object.becomeNew(before, draftWriter)
            inserted.append(object)
        case .clean, .inserted, .updated:
            return false
        }
        revivedInEvent.append(object)
        noteForEvent(object)
        return true
    }

    /// Lets an object live that the next save was to delete.
    func takeBackDeletion(of object: ManagedObject) {
        unpropagated.removeAll { $0 === object }
        if object.record == nil { failedReads.removeAll(of: RowIdentity(object)) }
        let isChanged =
            object.flags.contains(.isDraft) || object.extras?.hasRelationshipChanges == true
        object.lifecycle = isChanged ? .updated : .clean
        if isChanged { updated.append(object) }
        listsAreStale = true
        // What others have saved meanwhile it takes over when all is undone.
        if object.extras?.missed == .change {
            object.extras?.missed = .nothing
            miss(object)
        }
        forgetLists(otherBecauseOf: object)
        // What came and went with it in one event. What comes back links itself again.
        for (ordinal, links) in object.extras?.links ?? [:] {
            for member in links.added.members {
                let other = registered(entity: member.entity, key: member.key)
                if other?.canBeRestored == true { continue }
                object.extras?.links[ordinal]?.forgetChange(of: member.key)
            }
        }
    }

    /// Makes an object known again under its key.
    private func register(again object: ManagedObject) -> Bool {
        let root = objects[object.entityDescription.rootIndex]
        guard root.map[object.key] == nil else { return false }
        root.map.insert(object, for: object.key)
        registeredCount += 1
        rebirths[RowIdentity(object)] = .max
        return true
    }

    /// Takes an object away that came into being. Unlike a deletion it cascades to nobody: what the
    /// object brought along came with it, and goes by itself.
    private func withdraw(_ object: ManagedObject) -> Bool {
        if object.lifecycle == .clean || object.lifecycle == .updated {
            guard hasRow(object) else { return false }
            fire(object)
        }
        guard object.isThere else { return false }
        noteForDeletion(object)
        detachFromOthers(object)
        listsAreStale = true
        if object.lifecycle == .inserted {
            object.lifecycle = .discarded
        } else {
            object.lifecycle = .deleted
            deleted.append(object)
        }
        return true
    }

    private func detachFromOthers(_ object: ManagedObject) {
        for relationship in object.entityDescription.relationships where !relationship.isTransient {
            guard let inverse = relationship.inverse else { continue }
            if relationship.slot != nil {
                detach(object, relationship, inverse)
                continue
            }
            for other in targets(of: relationship, object) {
                if relationship.isJoinTable {
                    other.detachLink(inverse, from: object)
                } else if hasRow(other) {
                    other.setDestination(
                        of: other.entityDescription.relationships[inverse], to: nil)
                }
            }
        }
        object.dropTransientLinks()
    }

    /// The object of a key, where it can be linked to.
    func livingObject(_ member: LinkSet.Member) -> ManagedObject? {
        let object = object(entity: member.entity, key: member.key)
        guard object.isFault, object.lifecycle == .clean else {
            return object.canBeRestored ? object : nil
        }
        // A fault may stand for a row that another context has deleted.
        if hasRow(object) { return object.standIn }
        // Nor are its links to be changed.
        object.becomePlaceholder()
        object.becomeGone()
        return nil
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
                object.restore(slot, from: before)
            } else if let relationship = object.entityDescription.relationships
                .first(where: { $0.slot == slot })
            {
                restoreDestination(of: relationship, before.record)
            }
        }
    }

    private func restoreDestination(of relationship: RelationshipDescription, _ before: Record) {
        guard let slot = relationship.slot else { return }
        guard before.hasValue(slot) else {
            return object.setDestination(of: relationship, to: nil)
        }
        let former = LinkSet.Member(
            key: before.integer(slot),
            entity: object.destinationEntity(of: relationship, in: before)
        )
        let destination = object.managedObjectContext?.livingObject(former)
        // Who has to lead somewhere stays where it is, rather than lead nowhere.
        if destination == nil, !relationship.relationship.isOptional { return }
        object.setDestination(of: relationship, to: destination)
    }

    fileprivate func restoreLinks() {
        guard let context = object.managedObjectContext else { return }
        for links in links {
            for member in links.added {
                if let other = context.livingObject(member) {
                    object.unlink(links.ordinal, from: other)
                } else if !object.entityDescription.relationships[links.ordinal].isTransient {
                    object.noteUnlink(links.ordinal, member.key)
                }
            }
            for member in links.removed {
                if let other = context.livingObject(member) {
                    object.link(links.ordinal, to: other)
                }
            }
        }
    }

    fileprivate func restoreOrders() {
        for links in links {
            guard let order = links.order else { continue }
            let relationship = object.entityDescription.relationships[links.ordinal]
            let present = object.linksToChange(relationship.ordinal).members.map(\.key)
            let known = Set(present)
            let former = order.filter(known.contains)
            let others = Set(former)
            let wanted = former + present.filter { !others.contains($0) }
            if wanted != present { object.arrange(others, in: wanted, links.ordinal) }
        }
    }
}

extension ManagedObject {
    /// Whether the object is there, or a fault that may be.
    final var canBeRestored: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: true
        case .deleted, .discarded, .gone: false
        }
    }

    /// Sets a slot to the value that it has in another record.
    final func restore(_ slot: Int, from other: PlacedRecord) {
        guard let record = prepareChange(slot), let page else { return }
        var placed = PlacedRecord(page: page, record: record)
        state.draftWriter.copySlot(
            slot, from: other.record, to: &placed, entityDescription.shape)
        self.record = placed.record
        self.page = placed.page
        extras?.unfitSlots.remove(slot)
        if notesReads { tellOfChange(of: slot) }
    }

    /// Becomes a new object with these values, under its old key.
    final func becomeNew(_ values: PlacedRecord, _ writer: RecordWriter) {
        let copy = writer.copy(values.record, entityDescription.shape, room: 128)
        // Its deletion may have been saved, and others may have read it before.
        copy.record.version = RowVersion.ofReinsertion
        record = copy.record
        page = copy.page
        let observation = extras?.observation
        extras = nil
        if let observation { ownExtras.observation = observation }
        flags = flags.intersection(.isNoted).union(.isDraft)
        lifecycle = .inserted
    }

    /// Takes its place at the other ends of its to-ones again.
    final func relinkToOnes() {
        for relationship in entityDescription.relationships {
            guard let slot = relationship.slot, let record, record.hasValue(slot) else { continue }
            let member = LinkSet.Member(
                key: record.integer(slot), entity: destinationEntity(of: relationship, in: record))
            guard let other = state.context?.livingObject(member) else {
                setDestination(of: relationship, to: nil)
                continue
            }
            guard let inverse = relationship.inverse else { continue }
            let opposite = other.entityDescription.relationships[inverse]
            if !opposite.isToMany, let partner = other.partner(opposite, besides: self) {
                partner.setDestination(of: relationship, to: nil)
            }
            other.noteLink(inverse, self)
        }
    }

    /// Has no draft any more where all values are as the store has them.
    fileprivate final func dropEqualValues() {
        guard lifecycle == .updated, let extras, extras.unfitSlots.isEmpty,
            let snapshot = extras.snapshot, let record
        else { return }
        for (slot, kind) in entityDescription.shape.kinds.enumerated()
        where !record.isEqual(slot, kind, to: snapshot.record) {
            return
        }
        let base = eventBaseRecord
        becomeClean(snapshot)
        lifecycle = .updated
        if let base { extras.eventBase = .copy(base) }
        flags.insert(.hasOtherValues)
    }

    /// Becomes clean where all values and links are as the store has them.
    fileprivate final func becomeCleanIfUnchanged() {
        guard lifecycle == .updated, let extras else { return }
        for (ordinal, links) in extras.links where links.hasChanges {
            dropEqualLinks(links, entityDescription.relationships[ordinal])
        }
        becomeCleanWithoutChanges()
    }

    /// Drops the changes of a relationship where they lead to what the store has. What was read
    /// before may have been read without those that were deleted meanwhile, so it is read again.
    private func dropEqualLinks(_ links: LinkSet, _ relationship: RelationshipDescription) {
        var links = links
        if !relationship.isJoinTable {
            let settled = keysAsInMembers(of: links, relationship)
            if settled.count < links.added.keys.count + links.removed.count {
                // In an order each has its place beside the others.
                if relationship.isOrdered { return }
                for key in settled { links.forgetChange(of: key) }
                extras?.links[relationship.ordinal] = links
                return
            }
        }
        if relationship.isJoinTable || relationship.isOrdered {
            // Nothing is read of members that are deleted here, and they may come back.
            func mayComeBack(_ key: Int64) -> Bool {
                state.context?.registered(entity: relationship.destination, key: key)?.lifecycle
                    == .deleted
            }
            let keepsSome = links.removed.contains(where: mayComeBack)
            // What is not known may be other than it was.
            guard state.context?.readLinks(of: self, relationship, into: &links) == true else {
                return
            }
            if keepsSome || links.members != links.stored {
                // One that is again as it was must follow what others do to it.
                guard relationship.isJoinTable else { return }
                let known = Set((links.stored ?? []).map(\.key))
                links.keepChanges(
                    added: { !known.contains($0.key) },
                    removed: { known.contains($0) || mayComeBack($0) })
            } else {
                links.discardChanges()
            }
        } else {
            links.discardChanges()
            links.forget()
        }
        let former = extras?.links[relationship.ordinal]
        extras?.links[relationship.ordinal] = links
        if let former { dropOtherSides(since: former, links, relationship) }
    }

    /// Looks at the other side of each pair of which this side notes nothing any more: of those that
    /// the undo has not changed.
    private func dropOtherSides(
        since former: LinkSet, _ links: LinkSet, _ relationship: RelationshipDescription
    ) {
        guard relationship.isJoinTable, let inverse = relationship.inverse else { return }
        for key in former.added.keys + Array(former.removed) where !links.hasChange(of: key) {
            let other = state.context?.registered(entity: relationship.destination, key: key)
            guard let other, !other.flags.contains(.isNoted),
                let notes = other.extras?.links[inverse], notes.hasChange(of: self.key)
            else { continue }
            other.dropEqualLinks(notes, other.entityDescription.relationships[inverse])
            other.becomeCleanWithoutChanges()
        }
    }

    /// The members about which the links say what their rows say, where these are as the store has
    /// them.
    private func keysAsInMembers(
        of links: LinkSet, _ relationship: RelationshipDescription
    ) -> [Int64] {
        guard let inverse = relationship.inverse else { return [] }
        func leadsHere(_ key: Int64) -> Bool? {
            guard
                let member = state.context?.registered(entity: relationship.destination, key: key)
            else { return nil }
            if member.lifecycle == .discarded { return false }
            guard let record = member.record, !member.flags.contains(.isDraft),
                member.lifecycle == .clean || member.lifecycle == .updated,
                let slot = member.entityDescription.relationships[inverse].slot
            else { return nil }
            return record.hasValue(slot) && record.integer(slot) == self.key
        }
        return links.added.keys.filter { leadsHere($0) == true }
            + links.removed.filter { leadsHere($0) == false }
    }
}
