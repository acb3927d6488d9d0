import CambiumRecords

/// What undoes the change of one object in one event: its state before, as far as it differs.
struct ObjectUndo {
    enum Kind {
        /// It came into being, and has to go.
        case came
        /// It was deleted, and has to come back.
        case went
        /// It has to get other values.
        case changed
    }

    /// What was done to a relationship that is kept elsewhere.
    struct Links {
        let ordinal: Int
        var added: [LinkSet.Member] = []
        var removed: [LinkSet.Member] = []
        /// The keys of the members in their former order, where that changed.
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

    /// Nil where nothing is to be undone.
    ///
    /// Called when the lists are settled and the event's bases are still there.
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
            // What another context deleted is not this one's to bring back.
            // One whose row could not be read comes back as a fault.
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

    /// A copy of a record that can be kept for long, with the content of files, which may be
    /// removed meanwhile.
    private static func copy(_ placed: PlacedRecord, of object: ManagedObject) -> PlacedRecord {
        let shape = object.entityDescription.shape
        var copy = RecordWriter.compactCopy(placed.record, shape)
        let writer = RecordWriter()
        object.entityDescription.externalSlots.forEach { slot in
            guard placed.record.hasValue(slot),
                placed.record.bytes(slot).first == ExternalForm.file,
                let data = try? object.state.coordinator.store(
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
    /// What the event did to relationships that no slot of this object or another one tells of:
    /// pairs of join tables, orders, and links that are in memory only.
    fileprivate final var linksChangedInEvent: [ObjectUndo.Links] {
        guard let bases = extras?.eventLinks?.bases else { return [] }
        return bases.sorted { $0.key < $1.key }.compactMap { ordinal, base in
            let relationship = entityDescription.relationships[ordinal]
            guard let now = extras?.currentLinks(of: relationship) else { return nil }
            var links = ObjectUndo.Links(ordinal: ordinal)
            let isKnown = base.stored != nil || relationship.isTransient || lifecycle == .inserted
            if !isKnown {
                // The members could not be read: only what the event did can be taken back.
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
                let order = base.members.map(\.key)
                if order != now.members.map(\.key) { links.order = order }
            }
            return links.isEmpty ? nil : links
        }
    }

    /// The pairs of join tables and the orders of an object that is deleted, as they were before
    /// the event. Other relationships come back with the rows that hold the keys.
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
                // What the event had linked before the deletion.
                links.added = now?.members(missingIn: base) ?? []
            }
            if relationship.isOrdered, members.count > 1 { links.order = members.map(\.key) }
            return links.isEmpty ? nil : links
        }
    }
}

extension RelationshipDescription {
    /// Whether no row tells of a relationship's links, or of their order, so that they have to be
    /// remembered.
    var isKeptByUndo: Bool { isJoinTable || isOrdered || isTransient }
}

extension LinkSet {
    /// The members that another moment's links do not have.
    fileprivate func members(missingIn other: LinkSet) -> [Member] {
        let keys = Set(other.members.map(\.key))
        return members.filter { !keys.contains($0.key) }
    }
}
