import CambiumRecords

/// The undo of one object's changes in one event: its state before, as far as it differs.
final class ObjectUndo {
    enum Kind {
        /// The object was created, so the undo removes it.
        case came
        /// The object was deleted, so the undo restores it.
        case went
        /// The object was changed, so the undo restores its values.
        case changed
    }

    /// The changes of a relationship that is kept outside of the row.
    struct Links {
        let ordinal: Int
        var added: [LinkSet.Member] = []
        var removed: [LinkSet.Member] = []
        /// The keys of the members in their former order, if the order changed.
        var order: [Int64]?

        var isEmpty: Bool { added.isEmpty && removed.isEmpty && order == nil }
    }

    // The manager holds the object: its changes may be the only thing left of it.
    let object: ManagedObject
    let kind: Kind
    /// The values before.
    let before: PlacedRecord?
    /// The slots that had other values.
    let slots: SlotSet
    let links: [Links]

    /// Returns nil if there is nothing to undo.
    ///
    /// Called when the lists are settled and the event's bases still exist.
    init?(_ object: ManagedObject, in event: Event) {
        let isNew = event.isNew(object)
        let isLeaving = event.isLeaving(object)
        switch (isNew, isLeaving) {
        case (true, true):
            return nil
        case (true, false):
            kind = .came
            before = nil
            slots = SlotSet()
            links = []
        case (false, true):
            // An object that another context deleted is not restored. If its row could not be read,
            // the object is restored as a fault.
            let record = object.eventBaseRecord ?? object.placed
            guard !object.isInvalidObject, record != nil || object.lifecycle == .deleted else {
                return nil
            }
            kind = .went
            before = record.map { Self.copy($0, of: object) }
            slots = Self.slots(of: object, changedSince: object.eventBaseRecord)
            links = object.linksBeforeEvent
        case (false, false):
            guard object.canBeRestored else { return nil }
            let base = object.eventBaseRecord
            let slots = Self.slots(of: object, changedSince: base)
            let links = object.linksChangedInEvent
            if slots.isEmpty, links.isEmpty { return nil }
            kind = .changed
            before = slots.isEmpty ? nil : base.map { Self.copy($0, of: object) }
            self.slots = slots
            self.links = links
        }
        self.object = object
    }

    /// The slots that had other values in a record.
    private static func slots(
        of object: ManagedObject, changedSince base: PlacedRecord?
    ) -> SlotSet {
        var slots = SlotSet()
        guard let base, let record = object.record else { return slots }
        for (slot, kind) in object.entityDescription.shape.kinds.enumerated()
        where object.entityDescription.attributes[slot]?.derivation == nil {
            if !record.isEqual(slot, kind, to: base.record) { slots.insert(slot) }
        }
        return slots
    }

    /// A copy of a record that can be kept for long. It includes the content of files, because they
    /// may be removed meanwhile.
    private static func copy(_ placed: PlacedRecord, of object: ManagedObject) -> PlacedRecord {
        let shape = object.entityDescription.shape
        var copy = RecordWriter.compactCopy(placed.record, shape)
        let writer = RecordWriter()
        object.entityDescription.externalSlots.forEach { slot in
            guard placed.record.hasValue(slot),
                placed.record.bytes(slot).first == ExternalForm.file,
                let data = try? object.state.sharedStore(
                    ofRoot: object.entityDescription.rootIndex
                )
                .externalData(
                    named: String(decoding: placed.record.bytes(slot).dropFirst(), as: UTF8.self))
            else { return }
            writer.set(.blob([ExternalForm.inline] + data), slot, of: &copy, shape)
        }
        return copy
    }
}

extension ManagedObject {
    /// The changes of the event to relationships that are not visible in a slot of this object or
    /// another one: pairs of join tables, orders, and transient links.
    fileprivate final var linksChangedInEvent: [ObjectUndo.Links] {
        guard let bases = extras?.eventLinks?.bases else { return [] }
        return bases.compactMap { ordinal, base in
            let relationship = entityDescription.relationships[ordinal]
            guard let now = extras?.currentLinks(of: relationship) else { return nil }
            var links = ObjectUndo.Links(ordinal: ordinal)
            let isKnown = base.stored != nil || relationship.isTransient || lifecycle == .inserted
            if !isKnown {
                // The members could not be read: only the changes of the event can be reverted.
                guard relationship.isJoinTable else { return nil }
                links.added = now.added.members.filter { base.added[$0.key] == nil }
                links.removed = now.removed.subtracting(base.removed).sorted()
                    .map { LinkSet.Member(key: $0, entity: relationship.destination) }
                return links.isEmpty ? nil : links
            }
            if relationship.isJoinTable || relationship.isTransient {
                links.added = now.members(missingIn: base)
                links.removed = base.members(missingIn: now)
            }
            if relationship.isOrdered {
                let order = base.members.map { $0.key }
                if order != now.members.map(\.key) { links.order = order }
            }
            return links.isEmpty ? nil : links
        }
    }

    /// The pairs of join tables and the orders of a deleted object, as they were before the event.
    /// Other relationships are restored with the rows that hold the keys.
    fileprivate final var linksBeforeEvent: [ObjectUndo.Links] {
        entityDescription.relationships.compactMap { relationship in
            let now = extras?.currentLinks(of: relationship)
            guard relationship.isKeptByUndo,
                let base = extras?.eventLinks?.bases[relationship.ordinal] ?? now
            else { return nil }
            var links = ObjectUndo.Links(ordinal: relationship.ordinal)
            let members = base.members
            if relationship.isJoinTable || relationship.isTransient {
                links.removed = members
                // The links that the event added before the deletion.
                links.added = now?.members(missingIn: base) ?? []
            }
            if relationship.isOrdered, members.count > 1 { links.order = members.map(\.key) }
            return links.isEmpty ? nil : links
        }
    }
}

extension RelationshipDescription {
    /// Whether a relationship's links or their order are not in a row, and have to be recorded.
    var isKeptByUndo: Bool { isJoinTable || isOrdered || isTransient }
}

extension LinkSet {
    /// The members that another moment's links do not have.
    fileprivate func members(missingIn other: LinkSet) -> [Member] {
        let keys = Set(other.members.map { $0.key })
        return members.filter { !keys.contains($0.key) }
    }
}

/// An object after an undo has restored values and links: it drops the ones that are equal to the
/// store's.
struct UndoneObject: ObjectAccess {
    let subject: ManagedObject

    /// Drops the draft if all values are equal to the store's.
    func dropEqualValues() {
        guard lifecycle == .updated, let extras, extras.unfitSlots.isEmpty,
            let snapshot = extras.snapshot, let record = subject.record
        else { return }
        for (slot, kind) in entity.shape.kinds.enumerated()
        where !record.isEqual(slot, kind, to: snapshot.record) {
            return
        }
        let base = subject.eventBaseRecord
        subject.row.becomeClean(snapshot)
        subject.lifecycle = .updated
        if let base { extras.eventBase = .copy(base) }
        subject.flags.insert(.hasOtherValues)
    }

    /// Becomes clean if all values and links are equal to the store's.
    func becomeCleanIfUnchanged() {
        guard lifecycle == .updated, let extras else { return }
        for (ordinal, links) in extras.links where links.hasChanges {
            dropEqualLinks(links, entity.relationships[ordinal])
        }
        subject.row.becomeCleanWithoutChanges()
    }

    /// Drops the changes of a relationship that match the store. The links are read again: earlier
    /// reads may lack objects that were deleted at the time.
    private func dropEqualLinks(_ links: LinkSet, _ relationship: RelationshipDescription) {
        var links = links
        if !relationship.isJoinTable {
            let settled = keysAsInMembers(of: links, relationship)
            if settled.count < links.added.keys.count + links.removed.count {
                // In an order, the index of each member depends on the others.
                if relationship.isOrdered { return }
                for key in settled { links.forgetChange(of: key) }
                extras?.links[relationship.ordinal] = links
                return
            }
        }
        if relationship.isJoinTable || relationship.isOrdered {
            // Members that are deleted here are not in the result of the read, but may be restored.
            func mayComeBack(_ key: Int64) -> Bool {
                state.context?.registry.registered(relationship, key)?.lifecycle == .deleted
            }
            let keepsSome = links.removed.contains(where: mayComeBack)
            // Unknown links may have changed.
            guard
                state.context?.linkReading.read(of: subject, relationship, into: &links) == true
            else { return }
            if keepsSome || links.members != links.stored {
                // A link without a change must follow the changes of other contexts.
                guard relationship.isJoinTable else { return }
                let known = Set((links.stored ?? []).map { $0.key })
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

    /// Drops the other side of each pair that has no change on this side any more, if the undo has
    /// not changed the other object.
    private func dropOtherSides(
        since former: LinkSet, _ links: LinkSet, _ relationship: RelationshipDescription
    ) {
        guard relationship.isJoinTable, let inverse = relationship.inverse else { return }
        for key in former.added.keys + Array(former.removed) where !links.hasChange(of: key) {
            let other = state.context?.registry.registered(relationship, key)
            guard let other, !other.flags.contains(.isNoted),
                let notes = other.extras?.links[inverse], notes.hasChange(of: subject.key)
            else { continue }
            UndoneObject(subject: other).dropEqualLinks(
                notes, other.entityDescription.relationships[inverse])
            other.row.becomeCleanWithoutChanges()
        }
    }

    /// The members with rows that match the links, if the rows are as in the store.
    private func keysAsInMembers(
        of links: LinkSet, _ relationship: RelationshipDescription
    ) -> [Int64] {
        guard let inverse = relationship.inverse else { return [] }
        func pointsHere(_ key: Int64) -> Bool? {
            guard
                let member = state.context?.registry.registered(relationship, key)
            else { return nil }
            if member.lifecycle == .discarded { return false }
            guard let record = member.record, !member.flags.contains(.isDraft),
                member.lifecycle == .clean || member.lifecycle == .updated,
                let slot = member.entityDescription.relationships[inverse].slot
            else { return nil }
            return record.hasValue(slot) && record.integer(slot) == subject.key
        }
        return links.added.keys.filter { pointsHere($0) == true }
            + links.removed.filter { pointsHere($0) == false }
    }
}
