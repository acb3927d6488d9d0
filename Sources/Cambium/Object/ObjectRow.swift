import CambiumRecords

/// The transitions of an object's state, and its differences from its row.
struct ObjectRow: ObjectAccess {
    let subject: ManagedObject

    private var writer: RecordWriter { state.draftWriter }

    /// Gives placeholder values to an object that has none.
    func becomePlaceholder() {
        subject.placed = entity.template
    }

    /// Makes the object invalid, because its row was deleted. Its context removes it.
    @inline(never)
    func becomeInvalid() {
        subject.lifecycle = .invalid
        ownExtras.vanished = true
        state.context?.changes.areStale = true
        state.context?.forget(subject)
    }

    /// Makes the object clean, with these values, or a fault if there are none. If the object was
    /// changed before its row could be read, it becomes a fault, and its changes are discarded.
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

    /// Makes the object clean if neither its values nor its links are changed any more.
    func becomeCleanWithoutChanges() {
        guard lifecycle == .updated, !flags.contains(.isDraft),
            extras?.hasRelationshipChanges != true
        else { return }
        subject.lifecycle = .clean
        state.context?.changes.areStale = true
        state.context?.changes.updatedHoldsClean = true
    }

    /// Returns a newer row of the object, with the object's transient values. A row from a parent
    /// context keeps the parent's values.
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

    /// Returns whether a newer row and the object have changed the same value since the object was
    /// read.
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

    /// Uses a newer row as the base of the unsaved changes, and keeps the changes.
    func rebase(on placed: PlacedRecord) {
        guard let extras, let draft = subject.record, flags.contains(.isDraft) else { return }
        let shape = entity.shape
        let isUnread = flags.contains(.isUnread)
        let base = isUnread ? nil : extras.snapshot?.record
        // A value that was set to its former value is replaced by the other context's value.
        let merged = base.flatMap {
            PropertyMerge(keepsOurs: true, entity.mergeRules, writer)
                .merge(placed, ours: draft, base: $0, changed: extras.changedSlots)
        }
        var rebased = merged?.0 ?? writer.copy(placed.record, shape)
        if isUnread {
            extras.changedSlots.forEach { writer.copySlot($0, from: draft, to: &rebased, shape) }
        }
        for slot in entity.transientSlots {
            // The parent's transient values are newer, unless they were set here.
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
        // The values at the start of the event were placeholders too.
        if case .copy = extras.eventBase { extras.eventBase = .snapshot }
    }

    /// Makes the object clean after a save: its record is the stored one, and may be shared now.
    func becomeSaved() {
        guard lifecycle == .inserted || lifecycle == .updated else { return }
        subject.lifecycle = .clean
        subject.flags.subtract([.isDraft, .tracksSlots])
        // Safety: the object retains its extras.
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

    /// Makes the object a new one with these values, under its old key.
    func becomeNew(_ values: PlacedRecord) {
        let copy = writer.copy(values.record, entity.shape, room: 128)
        // Its deletion may have been saved, and other contexts may have read it before that.
        copy.record.version = RowVersion.ofReinsertion
        subject.placed = copy
        let observation = extras?.observation
        subject.extras = nil
        if let observation { ownExtras.observation = observation }
        subject.flags = flags.intersection(.isNoted).union(.isDraft)
        subject.lifecycle = .inserted
    }

    /// Replaces the object by another one: from now on it reads and writes that object's values. If
    /// the other object is of another class, this one becomes invalid.
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

    /// Records the defaults that were computed for this object.
    func rememberDefaults() {
        guard let record = subject.record else { return }
        for (slot, _) in entity.dynamicDefaults {
            ownExtras.dynamicDefaults[slot] = record.storedValue(slot, entity.shape.kinds[slot])
        }
    }

    /// Turns a new object into a change of all values of an existing row.
    func becomeUpdated(over placed: PlacedRecord) {
        state.context?.merges.reinsertedRows[RowIdentity(subject)] = nil
        state.context?.changes.areStale = true
        subject.lifecycle = .updated
        ownExtras.changedSlots = entity.writtenSlots
        // The base of the values is not known, as after a failed read of the row.
        subject.flags.formUnion([.isDraft, .tracksSlots, .isUnread])
        rebase(on: placed)
        state.context?.noteForEvent(subject)
    }

    /// Ends a deferred merge: the object shows, or reads, the changes that other contexts have
    /// saved.
    func forgetDeferredChange() {
        if extras?.deferred == .change { extras?.deferred = .nothing }
    }

    /// Returns whether objects were added to relationships with join tables.
    ///
    /// - Parameter isWanted: Whether a relationship counts.
    func hasUnsavedLinks(in isWanted: (RelationshipDescription) -> Bool = { _ in true }) -> Bool {
        entity.relationships.contains { relationship in
            relationship.isJoinTable && isWanted(relationship)
                && extras?.links[relationship.ordinal]?.hasAdditions == true
        }
    }

    /// Returns whether a stored value differs from the one that was read.
    ///
    /// - Parameter others: Slots that are ignored.
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

    /// Returns the values for an object of a child context, including transient ones. This is the
    /// record itself if it is not a draft, otherwise a copy.
    func handedDown(by writer: RecordWriter) -> PlacedRecord? {
        guard let placed = subject.placed else { return nil }
        let isWritten = flags.contains(.isDraft) || extras?.quietChanges?.base != nil
        return isWritten ? writer.copy(placed.record, entity.shape) : placed
    }
}
