import CambiumRecords

// What changed, since the object was read or saved, or in the current event.
extension ManagedObject {
    /// The present values of the stored properties that were set since the object was read or
    /// saved, also of those that were set to an equal value; relationships by object ids. Of a new
    /// object, all values that are not nil. Fires no fault and reads no relationship.
    public final func changedValues() -> [String: PropertyValue] {
        guard hasChanges else { return [:] }
        var values = [String: PropertyValue]()
        // A fault may have changes of relationships that others keep.
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

    /// The former values of the properties that were changed since changes were last processed;
    /// relationships by object ids. A property that was set to an equal value is not among them:
    /// it has no other former value. Empty for an object that is new since then. Reads nothing.
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

    /// The values of stored properties as they were last read or saved; relationships by object
    /// ids. Of a new object there are none. Fires no fault and reads no relationship: an object
    /// that is a fault has none either, a to-many that was not read is `unread`.
    ///
    /// - Parameter names: Which properties; nil for all.
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such property.
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

    /// Whether a stored value differs from the one last read or saved. Fires no fault and reads no
    /// relationship.
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
    /// Whether another moment's links reference the same objects in the same order, as far as is
    /// known.
    func hasSameMembers(as other: LinkSet) -> Bool {
        if stored != nil, other.stored != nil { return members == other.members }
        return added == other.added && removed == other.removed && order == other.order
    }
}

/// Keeps what an object was before the current event, and what was set without being a change.
struct EventTracking: ObjectAccess {
    let subject: ManagedObject

    /// Keeps the values as they are, before an event changes a record that is a draft already.
    @inline(never)
    func keepEventBase() {
        guard flags.contains(.isDraft), let record = subject.record else { return }
        switch extras?.eventBase {
        case nil, .some(.none): break
        case .snapshot, .copy: return
        }
        ownExtras.eventBase = .copy(RecordWriter.compactCopy(record, entity.shape))
    }

    /// Whether the object is new in the current event, as far as its links go: one that was new
    /// before keeps its values when it is noted again.
    @inline(__always)
    private var hasNoFormerLinks: Bool {
        guard lifecycle == .inserted else { return false }
        switch extras?.eventBase {
        case nil, .some(.none): return true
        case .snapshot, .copy: return false
        }
    }

    /// Keeps the links of a relationship as they are, before they are changed for the first time in
    /// an event.
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
        // What was there can be brought back only where it is known.
        if relationship.isJoinTable || relationship.isOrdered,
            state.context?.undoManager?.isUndoRegistrationEnabled == true
        {
            return subject.links(relationship.ordinal)
        }
        return extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: relationship.isOrdered)
    }

    /// Lets the current event begin with the object as it is now.
    func restartEvent() {
        guard let extras else { return }
        extras.eventBase = .none
        if extras.eventLinks != nil {
            extras.eventLinks = nil
            subject.flags.insert(.hasOtherLinks)
        }
        keepEventBase()
    }

    /// Forgets what was before the event.
    func endEvent() {
        subject.flags.subtract(.ofEvent)
        guard let extras else { return }
        extras.eventBase = .none
        if extras.eventLinks != nil { extras.eventLinks = nil }
    }

    /// Makes the record one that may be written, without noting a change.
    func prepareQuietChange(_ slot: Int) -> Record? {
        if subject.record == nil { _ = subject.fire() }
        // Nobody would notice that it was set, were the row read later.
        if subject.record == nil {
            state.context?.errors.failedReads.require(.row(RowIdentity(subject)))
        }
        guard lifecycle != .invalid, lifecycle != .discarded, let record = subject.record,
            let page = subject.page
        else { return nil }
        // Of a new object everything is written anyway.
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

    /// Counts what was set quietly among the changes, where it makes a difference: before a save
    /// that writes the object anyway.
    func noteQuietChanges() {
        guard let extras, let quiet = extras.quietChanges,
            let record = subject.record
        else { return }
        if let base = quiet.base {
            // Only links were changed; now the row has to be written too.
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
    /// The event has not changed them, or the object is new in it.
    case none
    /// They were those last read or saved.
    case snapshot
    /// They differed from those already, or the object was never saved.
    case copy(PlacedRecord)
}

/// An object's links before the current event changed them.
final class EventLinks {
    // Safety: see `ManagedObject`.
    /// By the number of the relationship; also those of transient ones.
    @exclusivity(unchecked) private(set) var bases = LinkTable()
    @exclusivity(unchecked) private var known = SlotSet()

    /// Whether the links of a relationship are kept.
    @inline(__always)
    func keeps(_ ordinal: Int) -> Bool { known.contains(ordinal) }

    /// Keeps the links of a relationship, unless those of an earlier moment are kept.
    @inline(__always)
    func keep(_ ordinal: Int, _ links: () -> LinkSet) {
        if known.contains(ordinal) { return }
        known.insert(ordinal)
        bases[ordinal] = links()
    }
}

/// Attributes that were set without being noted as a change: by `setPrimitiveValue`, or in a hook
/// that is called when an object was read.
final class QuietChanges {
    /// The values before, where the object had not changed otherwise.
    var base: PlacedRecord?
    /// The slots that were set.
    var slots = SlotSet()
}

extension ManagedObject {
    /// The record before the current event changed it; nil where it did not, or the object is new.
    final var eventBaseRecord: PlacedRecord? {
        switch extras?.eventBase {
        case .snapshot: extras?.snapshot
        case .copy(let placed): placed
        case nil, .some(.none): nil
        }
    }
}
