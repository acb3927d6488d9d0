import CambiumRecords

/// An object and its row: what the object becomes, and what it has that the row has not.
struct ObjectRow: ObjectAccess {
    let subject: ManagedObject

    private var writer: RecordWriter { state.draftWriter }

    /// Shows the values of an object that has none.
    func becomePlaceholder() {
        subject.placed = entity.template
    }

    /// Becomes an object whose row was deleted: its context does not know it any more.
    @inline(never)
    func becomeInvalid() {
        subject.lifecycle = .invalid
        ownExtras.vanished = true
        state.context?.changes.areStale = true
        state.context?.forget(subject)
    }

    /// Becomes an unchanged object with these values; a fault without. So does one whose changes
    /// waited for its row to be read: they are taken back.
    func becomeClean(_ placed: PlacedRecord?) {
        let isUnread = flags.contains(.isUnread)
        if isUnread { state.context?.errors.failedReads.removeAll(of: RowIdentity(subject)) }
        subject.placed = isUnread ? nil : placed
        subject.flags.subtract([.isDraft, .tracksSlots, .isUnread])
        subject.lifecycle = .clean
        extras?.snapshot = nil
        guard let extras else { return }
        extras.changedSlots = SlotSet()
        extras.unfitSlots = []
        extras.reportedSlots = SlotSet()
        extras.quietChanges = nil
        extras.eventBase = .none
    }

    /// Becomes clean where neither values nor links are changed any more.
    func becomeCleanWithoutChanges() {
        guard lifecycle == .updated, !flags.contains(.isDraft),
            extras?.hasRelationshipChanges != true
        else { return }
        subject.lifecycle = .clean
        state.context?.changes.areStale = true
        state.context?.changes.updatedHoldsClean = true
    }

    /// A newer row of the object, with the values that are in memory only. What comes from a parent
    /// has the parent's.
    func keepingTransients(_ placed: PlacedRecord?) -> PlacedRecord? {
        guard entity.hasTransients, state.parentReader == nil, let placed,
            let record = subject.record
        else { return placed }
        let shape = entity.shape
        var copy = writer.copy(placed.record, shape)
        for (slot, place) in entity.layout.slots.enumerated()
        where !place.isStored {
            writer.copySlot(slot, from: record, to: &copy, shape)
        }
        return withExtendedLifetime(subject.page) { copy }
    }

    /// Whether a newer row has other values than the object was read with where the object has, too.
    func isContradicted(by theirs: Record) -> Bool {
        guard let extras, let draft = subject.record,
            let base = extras.snapshot?.record
        else { return false }
        let kinds = entity.shape.kinds
        return extras.changedSlots.slots.contains { slot in
            entity.layout.slots[slot].isStored
                && !theirs.isEqual(slot, kinds[slot], to: base)
                && !draft.isEqual(slot, kinds[slot], to: base)
        }
    }

    /// Takes a newer row as the base of its unsaved changes, which stay on top.
    func rebase(on placed: PlacedRecord) {
        guard let extras, let draft = subject.record, flags.contains(.isDraft) else { return }
        let shape = entity.shape
        let isUnread = flags.contains(.isUnread)
        let base = isUnread ? nil : extras.snapshot?.record
        // What was set, but to what it was, yields to what others made of it.
        let merged = base.flatMap {
            PropertyMerge(keepsOurs: true, entity.mergeRules, writer)
                .merge(placed, ours: draft, base: $0, changed: extras.changedSlots)
        }
        var rebased = merged?.0 ?? writer.copy(placed.record, shape)
        if isUnread {
            extras.changedSlots.forEach { writer.copySlot($0, from: draft, to: &rebased, shape) }
        }
        for slot in entity.transientSlots {
            // A parent's are newer where they were not set here.
            let isOwn =
                state.parentReader == nil
                || (extras.changedSlots.contains(slot)
                    && base.map { !draft.isEqual(slot, shape.kinds[slot], to: $0) } ?? true)
            if isOwn { writer.copySlot(slot, from: draft, to: &rebased, shape) }
        }
        withExtendedLifetime(subject.page) {
            subject.placed = rebased
            if isUnread {
                subject.reversal.takeBackFormerEnds(in: placed.record)
            } else {
                subject.reversal.takeBackLinks(whereOtherThan: draft)
            }
        }
        extras.snapshot = placed
        guard isUnread else { return }
        subject.flags.remove(.isUnread)
        // What the event has found was no value either.
        if case .copy = extras.eventBase { extras.eventBase = .snapshot }
    }

    /// The record, which may be handed on now, is what the store has.
    func becomeSaved() {
        guard lifecycle == .inserted || lifecycle == .updated else { return }
        subject.lifecycle = .clean
        subject.flags.subtract([.isDraft, .tracksSlots])
        // Safety: the object keeps its extras.
        extras.map { uncounted($0) }?.use { extras in
            extras.observation?.change(.lifecycle, of: subject)
            extras.snapshot = nil
            extras.changedSlots = SlotSet()
            if extras.quietChanges != nil { extras.quietChanges = nil }
            guard !extras.links.isEmpty else { return }
            for ordinal in extras.links.keys { extras.links[ordinal]?.commit() }
        }
    }

    /// Sets a slot to the value that it has in another record.
    @inline(never)
    func restore(_ slot: Int, from other: PlacedRecord) {
        guard let record = subject.prepareChange(slot), let page = subject.page else { return }
        var placed = PlacedRecord(page: page, record: record)
        writer.copySlot(slot, from: other.record, to: &placed, entity.shape)
        subject.placed = placed
        extras?.unfitSlots.remove(slot)
        if notesReads { subject.notifyOfChange(of: slot) }
    }

    /// Becomes a new object with these values, under its old key.
    func becomeNew(_ values: PlacedRecord) {
        let copy = writer.copy(values.record, entity.shape, room: 128)
        // Its deletion may have been saved, and others may have read it before.
        copy.record.version = RowVersion.ofReinsertion
        subject.placed = copy
        let observation = extras?.observation
        subject.extras = nil
        if let observation { ownExtras.observation = observation }
        subject.flags = flags.intersection(.isNoted).union(.isDraft)
        subject.lifecycle = .inserted
    }

    /// Stands for another object from now on: reads and writes its values. Where that is of another
    /// class, this one is just gone.
    func becomeReplaced(by replacement: ManagedObject) {
        let family = state.coordinator.model.families[entity.index]
        subject.lifecycle = .invalid
        subject.flags.formIntersection(.isNoted)
        let extras = ownExtras
        extras.snapshot = nil
        extras.changedSlots = SlotSet()
        extras.quietChanges = nil
        extras.eventBase = .none
        extras.eventLinks = nil
        extras.links = [:]
        extras.fetched = [:]
        guard family.contains(replacement.entityDescription.index) else {
            becomePlaceholder()
            extras.vanished = true
            return
        }
        subject.placed = nil
        extras.replacement = replacement
    }

    /// Notes the defaults that were made for this object alone.
    func rememberDefaults() {
        guard let record = subject.record else { return }
        for (slot, _) in entity.dynamicDefaults {
            ownExtras.dynamicDefaults[slot] = record.storedValue(slot, entity.shape.kinds[slot])
        }
    }

    /// A new object becomes a change of a row that is there: of all its values.
    func becomeUpdated(over placed: PlacedRecord) {
        state.context?.merges.reinsertedRows[RowIdentity(subject)] = nil
        state.context?.changes.areStale = true
        subject.lifecycle = .updated
        ownExtras.changedSlots = entity.writtenSlots
        // Nothing is known of what is below the values, as where a row could not be read.
        subject.flags.formUnion([.isDraft, .tracksSlots, .isUnread])
        rebase(on: placed)
        state.context?.noteForEvent(subject)
    }

    /// Notes that the object shows, or reads, what other contexts have saved.
    func forgetDeferredChange() {
        if extras?.deferred == .change { extras?.deferred = .nothing }
    }

    /// Whether objects were added to relationships that join tables keep.
    ///
    /// - Parameter isWanted: Which relationships count.
    func hasUnsavedLinks(in isWanted: (RelationshipDescription) -> Bool = { _ in true }) -> Bool {
        entity.relationships.contains { relationship in
            relationship.isJoinTable && isWanted(relationship)
                && extras?.links[relationship.ordinal]?.hasAdditions == true
        }
    }

    /// Whether a stored value differs from the one that was read.
    ///
    /// - Parameter others: Slots that do not count.
    func hasUnsavedValues(besides others: SlotSet = SlotSet()) -> Bool {
        guard lifecycle == .updated, let extras, let draft = subject.record,
            let base = extras.snapshot?.record
        else { return false }
        if flags.contains(.isUnread) { return true }
        let kinds = entity.shape.kinds
        return extras.changedSlots.subtracting(others).slots.contains { slot in
            entity.layout.slots[slot].isStored && !draft.isEqual(slot, kinds[slot], to: base)
        }
    }

    /// The values for a child's object, with those that are in memory only: the record itself while
    /// nobody writes into it, else a copy.
    func handedDown(by writer: RecordWriter) -> PlacedRecord? {
        guard let placed = subject.placed else { return nil }
        let isWritten = flags.contains(.isDraft) || extras?.quietChanges?.base != nil
        return isWritten ? writer.copy(placed.record, entity.shape) : placed
    }
}
