import CambiumRecords

// The changes since the object was read or saved, or in the current event.
extension ManagedObject {
    /// Returns the current values of the stored properties that were set since the object was read
    /// or saved, even to an equal value. Relationships are returned as object ids. For a new
    /// object, returns all values that are not nil. Does not fire a fault or read a relationship.
    public final func changedValues() -> [String: PropertyValue] {
        guard hasChanges else { return [:] }
        var values = [String: PropertyValue]()
        // A fault may have changes of relationships without a column in its row.
        if let record {
            entityDescription.storedSlots.forEach { slot in
                let isChanged =
                    lifecycle == .inserted
                    ? record.hasValue(slot) : extras?.changedSlots.contains(slot) ?? false
                guard isChanged, let property = properties.property(at: slot, in: record) else {
                    return
                }
                values[property.name] = property.value
            }
        }
        for (ordinal, links) in extras?.links ?? [:] where links.hasChanges {
            let relationship = entityDescription.relationships[ordinal]
            values[relationship.relationship.name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// Returns the former values of the properties that changed since changes were last processed.
    /// Relationships are returned as object ids. A property that was set to an equal value is not
    /// included. If the object was inserted after that, the result is empty. Reads nothing from the
    /// store.
    public final func changedValuesForCurrentEvent() -> [String: PropertyValue] {
        guard flags.contains(.isNoted), let extras else { return [:] }
        var values = [String: PropertyValue]()
        if let base = eventBaseRecord, let record {
            for slot in entityDescription.shape.kinds.indices
            where !record.isEqual(slot, entityDescription.shape.kinds[slot], to: base.record) {
                guard let property = properties.property(at: slot, in: base.record) else {
                    continue
                }
                values[property.name] = property.value
            }
        }
        for (ordinal, links) in extras.eventLinks?.bases ?? [:] {
            let relationship = entityDescription.relationships[ordinal]
            guard let now = extras.currentLinks(of: relationship), !now.hasSameMembers(as: links)
            else { continue }
            values[relationship.relationship.name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// Returns the values of stored properties as they were last read or saved; relationships as
    /// object ids. Empty for a new object and for a fault. Does not fire a fault or read a
    /// relationship: a to-many relationship that was not read is `unread`.
    ///
    /// - Parameter names: The names of the properties; nil means all.
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such property.
    public final func committedValues(
        forKeys names: [String]? = nil
    ) throws -> [String: PropertyValue] {
        for name in names ?? []
        where entityDescription.layout.slot(of: name) == nil
            && entityDescription.relationship(named: name) == nil
        {
            throw properties.unknownKey(name)
        }
        guard lifecycle != .inserted, let base = committedRecord else { return [:] }
        let wanted = names.map(Set.init)
        var values = [String: PropertyValue]()
        entityDescription.storedSlots.forEach { slot in
            guard let property = properties.property(at: slot, in: base),
                wanted?.contains(property.name) ?? true
            else { return }
            values[property.name] = property.value
        }
        for relationship in entityDescription.relationships
        where relationship.slot == nil && !relationship.isTransient {
            let name = relationship.relationship.name
            guard wanted?.contains(name) ?? true else { continue }
            var links = extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: false)
            links.discardChanges()
            values[name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// A Boolean value that indicates whether a stored value differs from the one last read or
    /// saved. Does not fire a fault or read a relationship.
    public final var hasPersistentChangedValues: Bool {
        guard hasChanges else { return false }
        if extras?.hasRelationshipChanges == true { return true }
        guard let record else { return false }
        if lifecycle == .inserted {
            return entityDescription.layout.slots.indices.contains { slot in
                entityDescription.layout.slots[slot].isStored && record.hasValue(slot)
            }
        }
        guard let base = extras?.snapshot?.record else { return false }
        return entityDescription.layout.slots.indices.contains { slot in
            entityDescription.layout.slots[slot].isStored
                && !record.isEqual(slot, entityDescription.shape.kinds[slot], to: base)
        }
    }

    /// The record as last read or saved.
    private var committedRecord: Record? {
        extras?.snapshot?.record ?? extras?.quietChanges?.base?.record ?? record
    }
}

extension LinkSet {
    /// Returns whether other links reference the same objects in the same order, as far as the
    /// members are known.
    func hasSameMembers(as other: LinkSet) -> Bool {
        if stored != nil, other.stored != nil { return members == other.members }
        return added == other.added && removed == other.removed && order == other.order
    }
}

/// Keeps the state of an object before the current event, and the attributes that were set without
/// a change.
struct EventTracking: ObjectAccess {
    let subject: ManagedObject

    /// Keeps the current values before an event changes a record that is already a draft.
    @inline(never)
    func keepEventBase() {
        guard flags.contains(.isDraft), let record = subject.record else { return }
        switch extras?.eventBase {
        case nil, .some(.none): break
        case .snapshot, .copy: return
        }
        ownExtras.eventBase = .copy(RecordWriter.compactCopy(record, entity.shape))
    }

    /// Whether the object was inserted in the current event, so that it has no former links. An
    /// object that was inserted earlier has its former values in `eventBase`.
    @inline(__always)
    private var hasNoFormerLinks: Bool {
        guard lifecycle == .inserted else { return false }
        switch extras?.eventBase {
        case nil, .some(.none): return true
        case .snapshot, .copy: return false
        }
    }

    /// Keeps the current links of a relationship before their first change in an event.
    @inline(__always)
    func keepEventLinks(_ relationship: RelationshipDescription) {
        if hasNoFormerLinks { return }
        if extras?.eventLinks?.keeps(relationship.ordinal) == true { return }
        keepLinks(of: relationship)
    }

    @inline(never)
    private func keepLinks(of relationship: RelationshipDescription) {
        let extras = ownExtras
        let links: EventLinks
        if let known = extras.eventLinks {
            links = known
        } else {
            links = EventLinks()
            extras.eventLinks = links
        }
        links.keep(relationship.ordinal) { linksBeforeChange(relationship) }
    }

    private func linksBeforeChange(_ relationship: RelationshipDescription) -> LinkSet {
        if relationship.isTransient { return subject.transients.links(of: relationship) }
        // Undo can only restore links that are known.
        if relationship.isJoinTable || relationship.isOrdered,
            state.context?.undoManager?.isUndoRegistrationEnabled == true
        {
            return subject.links(relationship.ordinal)
        }
        return extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
    }

    /// Restarts the current event with the current state of the object.
    func restartEvent() {
        guard let extras else { return }
        extras.eventBase = .none
        if extras.eventLinks != nil {
            extras.eventLinks = nil
            subject.flags.insert(.hasOtherLinks)
        }
        keepEventBase()
    }

    /// Discards the state before the event.
    func endEvent() {
        subject.flags.subtract(.ofEvent)
        guard let extras else { return }
        extras.eventBase = .none
        if extras.eventLinks != nil { extras.eventLinks = nil }
    }

    /// Returns a record that may be written without recording a change.
    func prepareQuietChange(_ slot: Int) -> Record? {
        if subject.record == nil { _ = subject.fire() }
        // If the row were read later, the value would be lost without notice.
        if subject.record == nil {
            state.context?.errors.failedReads.require(.row(RowIdentity(subject)))
        }
        guard lifecycle != .invalid, lifecycle != .discarded, let record = subject.record,
            let page = subject.page
        else { return nil }
        // A save writes all values of a new object anyway.
        if lifecycle == .inserted { return record }
        let changes = ownExtras.quietChanges ?? QuietChanges()
        ownExtras.quietChanges = changes
        changes.slots.insert(slot)
        if flags.contains(.isDraft) || changes.base != nil { return record }
        changes.base = PlacedRecord(page: page, record: record)
        let copy = state.draftWriter.copy(record, entity.shape)
        subject.placed = copy
        return copy.record
    }

    /// Adds the quiet changes that differ from the saved values to the changes, before a save that
    /// writes the object anyway.
    func noteQuietChanges() {
        guard let extras, let quiet = extras.quietChanges,
            let record = subject.record
        else { return }
        if let base = quiet.base {
            // Only links were changed so far; now the row must be written too.
            extras.snapshot = base
            quiet.base = nil
            subject.flags.formUnion([.isDraft, .tracksSlots])
        }
        guard let base = extras.snapshot?.record else { return }
        quiet.slots.forEach { slot in
            if !record.isEqual(slot, entity.shape.kinds[slot], to: base) {
                extras.changedSlots.insert(slot)
            }
        }
    }
}

/// An object's values before the current event changed them.
enum EventBase {
    /// The event has not changed the values, or the object is new in it.
    case none
    /// The values were the ones last read or saved.
    case snapshot
    /// The values already differed from the ones last read or saved, or the object was never saved.
    case copy(PlacedRecord)
}

/// An object's links before the current event changed them.
final class EventLinks {
    // Safety: see `ManagedObject`.
    /// By the ordinal of the relationship. Transient relationships are included.
    @exclusivity(unchecked) private(set) var bases = LinkTable()
    @exclusivity(unchecked) private var known = SlotSet()

    /// Returns whether the links of a relationship are kept.
    @inline(__always)
    func keeps(_ ordinal: Int) -> Bool { known.contains(ordinal) }

    /// Keeps the links of a relationship, unless earlier links are already kept.
    @inline(__always)
    func keep(_ ordinal: Int, _ links: () -> LinkSet) {
        if known.contains(ordinal) { return }
        known.insert(ordinal)
        bases[ordinal] = links()
    }
}

/// Attributes that were set without recording a change: by `setPrimitiveValue`, or in a hook that
/// is called after an object was read.
final class QuietChanges {
    /// The former values, if the object has no other changes.
    var base: PlacedRecord?
    /// The slots that were set.
    var slots = SlotSet()
}

extension ManagedObject {
    /// The record before the current event changed it, or nil if the event did not, or the object
    /// is new.
    final var eventBaseRecord: PlacedRecord? {
        switch extras?.eventBase {
        case .snapshot: extras?.snapshot
        case .copy(let placed): placed
        case nil, .some(.none): nil
        }
    }
}
