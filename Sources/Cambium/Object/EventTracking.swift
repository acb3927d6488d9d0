import CambiumRecords

/// Keeps what an object was before the current event, and what was set without being a change.
struct EventTracking: ObjectAccess {
    let subject: ManagedObject

    /// Keeps the values as they are, before an event changes a record that is a draft already.
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
    @exclusivity(unchecked) private(set) var bases: [Int: LinkSet] = [:]
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
