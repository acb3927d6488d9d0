import CambiumRecords

extension ManagedObjectContext {
    /// Reads the row of a fault. Never throws: an object whose row is gone shows placeholder values
    /// from then on, one whose row could not be read stays a fault. The error keeps the context from
    /// being saved.
    func fire(_ object: ManagedObject) {
        guard object.record == nil else { return }
        // That its row is gone is known already.
        if object.lifecycle == .gone || object.lifecycle == .discarded {
            return object.becomePlaceholder()
        }
        do {
            try load(object)
        } catch let error as StoreError where error.code == .missingRow {
            return showPlaceholder(object, because: error)
        } catch {
            return noteFailedRead(.row(RowIdentity(object)), of: object, error)
        }
        if object.record == nil, !followForward(of: object) {
            showPlaceholder(object, because: StoreError.missingRow(of: object))
        }
    }

    /// Whether an object has a row, which is read where it was not: for what the library looks at by
    /// itself. A deleted row is no error then, and the object stays the fault that it is. Where the
    /// row cannot be read, it has one: whoever uses the object meets the error.
    func hasRow(_ object: ManagedObject) -> Bool {
        if object.record != nil { return true }
        if object.lifecycle == .gone || object.lifecycle == .discarded {
            return object.standIn !== object
        }
        do {
            try load(object)
        } catch {
            guard (error as? StoreError)?.code == .missingRow else { return true }
        }
        return object.record != nil || followForward(of: object)
    }

    /// Keeps for the next save that the row of an object is gone.
    func recordMissingRow(_ object: ManagedObject) {
        recordedErrors.append(StoreError.missingRow(of: object))
    }

    /// Shows placeholder values in an object whose row is gone.
    private func showPlaceholder(_ object: ManagedObject, because error: StoreError) {
        object.becomePlaceholder()
        object.becomeGone()
        if observations?.wantsChanges == true { invalidatedInEvent.append(object) }
        noteForEvent(object)
        if shouldDeleteInaccessibleFaults { return }
        if let onInaccessibleFault {
            onInaccessibleFault(object.objectID, error)
        } else {
            recordedErrors.append(error)
        }
    }

    /// Reads the row of a fault. One without a row stays a fault.
    ///
    /// The coordinator's row cache is asked before the store, see ``stalenessInterval``. Where rows
    /// of any age will do, one of the store may be as old as a moment ago, too.
    func load(_ fault: ManagedObject) throws {
        if takeCached(fault) { return withoutTracking { fault.awakeFromFetch() } }
        // Safety: the coordinator keeps its model and its row cache.
        try uncounted(coordinator.model).use { model in
            try uncounted(model.entities[fault.entityDescription.rootIndex]).use { root in
                let commit = coordinator.rowCache.commit
                let mayBeOld = usesRowCache && stalenessInterval < 0
                guard
                    let read = try readRow(
                        fault.key, ofRoot: root, at: mayBeOld ? commit : nil)
                else { return }
                fault.record = read.placed.record
                fault.page = read.placed.page
                // The object has the row itself: it is others who will ask.
                if usesRowCache, stalenessInterval >= 0 || coordinator.hasSeveralContexts {
                    uncounted(model.entities[read.entity]).use { entity in
                        coordinator.rowCache.insertShared(
                            RowCache.Row(entity: entity, placed: read.placed), readAt: commit)
                    }
                }
                // Afterwards: a hook may fetch, and the store is busy meanwhile.
                withoutTracking { fault.awakeFromFetch() }
            }
        }
    }

    private func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?
    ) throws -> ReadRow? {
        // What is asked for most often, without a detour.
        if usesRowCache, readLogs.isEmpty {
            return try coordinator.readRow(key, ofRoot: root, at: commit, into: faultWriter)
        }
        return try store(of: root).readRow(key, ofRoot: root, at: commit, into: faultWriter)
    }

    /// Gives a fault its row out of the row cache.
    ///
    /// - Returns: Whether it is there, and new enough.
    private func takeCached(_ fault: ManagedObject) -> Bool {
        guard usesRowCache, fault.record == nil, !coordinator.rowCache.isEmpty,
            let entry = coordinator.rowCache.entry(RowIdentity(fault), within: stalenessInterval)
        else { return false }
        fault.record = entry.placed.record
        fault.page = entry.placed.page
        return true
    }

    /// Leaves the row of an object that turns into a fault in the row cache, for whoever asks next.
    func remember(_ object: ManagedObject) {
        // What was set quietly is not in the store.
        let base = object.extras?.snapshot ?? object.extras?.quietChanges?.base
        guard usesRowCache, object.extras?.missed ?? .nothing == .nothing,
            let placed = base ?? object.placed,
            base != nil || !object.flags.contains(.isDraft), !object.needsRow
        else { return }
        coordinator.rowCache.insertFaulted(
            RowCache.Row(entity: object.entityDescription, placed: placed),
            knownCommit: mergedCommit)
    }

    /// Reads the rows of faults, one statement for each hierarchy. Those without a row stay faults.
    func load(_ faults: [ManagedObject]) throws {
        var awoken =
            coordinator.rowCache.isEmpty ? [] : faults.filter { $0.record == nil && takeCached($0) }
        let faults = awoken.isEmpty ? faults : faults.filter(\.needsRow)
        var completed: [(object: ManagedObject, row: PlacedRecord)] = []
        for group in Dictionary(grouping: faults, by: { $0.entityDescription.rootIndex }) {
            let root = coordinator.model.entities[group.key]
            let request = RowRequest(entity: root, selection: .keys(group.value.map(\.key)))
            try store(of: request.entity).fetch(request) { row in
                guard let object = objects[root.rootIndex].map[row.key], object.needsRow
                else { return }
                let placed = try row.record(in: rowWriter)
                awoken.append(object)
                if object.flags.contains(.isUnread) {
                    return completed.append((object, placed))
                }
                object.record = placed.record
                object.page = placed.page
            }
        }
        for (object, row) in completed { complete(object, with: row) }
        awaken(awoken)
    }

    /// Reads the far end of a relationship.
    ///
    /// - Returns: False where it could not be read; the links are as they were then.
    func readLinks(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) -> Bool {
        let target = FailedReads.Target.links(RowIdentity(object), relationship.ordinal)
        do {
            if relationship.isOrdered {
                // The keys of a list, which may be long and of which a part may be looked at; the
                // objects are faults.
                try readKeys(of: object, relationship, into: &links)
            } else {
                try readMembers(of: object, relationship, into: &links)
            }
            if !failedReads.isEmpty { failedReads.remove(target) }
            return true
        } catch {
            noteFailedRead(target, of: object, error)
            return false
        }
    }

    private func readMembers(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) throws {
        let commit = max(mergedCommit, lastChange(of: relationship))
        guard relationship.isKeptElsewhere else { return }
        let found = try fetchRows(request(for: object, relationship))
        // What this context added and did not save is in the links' own notes. What it moved
        // elsewhere or deleted is in the store's answer still, and was noted only by the objects
        // that were there at the time.
        let members = found.filter { !isLeftOut($0, of: object, relationship) }
            .map { LinkSet.Member(key: $0.key, entity: $0.entityDescription.index) }
        links.setStored(addingMissed(to: members, of: object, relationship), at: commit)
    }

    /// Reads the keys of a to-many's members and nothing else.
    func readKeys(
        of object: ManagedObject, _ relationship: RelationshipDescription, into links: inout LinkSet
    ) throws {
        guard relationship.isKeptElsewhere else { return }
        var request = request(for: object, relationship)
        request.readsKeysOnly = true
        let commit = max(mergedCommit, lastChange(of: relationship))
        var members: [LinkSet.Member] = []
        try store(of: request.entity).fetch(request) { row in
            members.append(LinkSet.Member(key: row.key, entity: row.entity))
        }
        let present = members.filter { isStillMember($0, of: object, relationship) }
        links.setStored(addingMissed(to: present, of: object, relationship), at: commit)
    }

    /// What reads the far end of a relationship.
    private func request(
        for object: ManagedObject, _ relationship: RelationshipDescription
    ) -> RowRequest {
        RowRequest(
            entity: coordinator.model.entities[relationship.destination],
            selection: .farEnd(
                .init(
                    entity: object.entityDescription, key: object.key, relationship: relationship)))
    }

    /// Whether unsaved changes left a member of a to-many in the store where it is.
    func isStillMember(
        _ member: LinkSet.Member, of object: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        // An object that this context does not have was not changed here.
        registered(entity: member.entity, key: member.key)
            .map { !isLeftOut($0, of: object, relationship) } ?? true
    }

    /// The commit that last touched a relationship kept elsewhere.
    func lastChange(of relationship: RelationshipDescription) -> Int64 {
        lastChanges[relationship.identity] ?? 0
    }
}

extension ManagedObject {
    /// Shows the values of an object that has none.
    final func becomePlaceholder() {
        record = entityDescription.template.record
        page = entityDescription.template.page
    }

    /// Becomes an object whose row is gone: its context does not know it any more.
    final func becomeGone() {
        lifecycle = .gone
        ownExtras.vanished = true
        state.context?.listsAreStale = true
        state.context?.forget(self)
    }

    /// Becomes an unchanged object with these values; a fault without. So does one whose changes
    /// waited for its row to be read: they are taken back.
    final func becomeClean(_ placed: PlacedRecord?) {
        let isUnread = flags.contains(.isUnread)
        if isUnread { state.context?.failedReads.removeAll(of: RowIdentity(self)) }
        record = isUnread ? nil : placed?.record
        page = isUnread ? nil : placed?.page
        flags.subtract([.isDraft, .tracksSlots, .isUnread])
        lifecycle = .clean
        extras?.snapshot = nil
        guard let extras else { return }
        extras.changedSlots = SlotSet()
        extras.unfitSlots = []
        extras.toldSlots = SlotSet()
        extras.quietChanges = nil
        extras.eventBase = .none
    }

    /// Becomes clean where neither values nor links are changed any more.
    final func becomeCleanWithoutChanges() {
        guard lifecycle == .updated, !flags.contains(.isDraft),
            extras?.hasRelationshipChanges != true
        else { return }
        lifecycle = .clean
        state.context?.listsAreStale = true
        state.context?.updatedHoldsClean = true
    }

    /// A newer row of the object, with the values that are in memory only. What comes from a parent
    /// has the parent's.
    final func keepingTransients(
        _ placed: PlacedRecord?, _ writer: RecordWriter
    ) -> PlacedRecord? {
        guard entityDescription.hasTransients, state.parentReader == nil, let placed, let record
        else { return placed }
        let shape = entityDescription.shape
        var copy = writer.copy(placed.record, shape)
        for (slot, place) in entityDescription.layout.slots.enumerated() where !place.isStored {
            writer.copySlot(slot, from: record, to: &copy, shape)
        }
        return withExtendedLifetime(page) { copy }
    }

    /// Whether a newer row has other values than the object was read with where the object has, too.
    final func isContradicted(by theirs: Record) -> Bool {
        guard let extras, let draft = record, let base = extras.snapshot?.record else {
            return false
        }
        let kinds = entityDescription.shape.kinds
        return extras.changedSlots.slots.contains { slot in
            entityDescription.layout.slots[slot].isStored
                && !theirs.isEqual(slot, kinds[slot], to: base)
                && !draft.isEqual(slot, kinds[slot], to: base)
        }
    }

    /// Takes a newer row as the base of its unsaved changes, which stay on top.
    final func rebase(on placed: PlacedRecord, _ writer: RecordWriter) {
        guard let extras, let draft = record, flags.contains(.isDraft) else { return }
        let shape = entityDescription.shape
        let isUnread = flags.contains(.isUnread)
        let base = isUnread ? nil : extras.snapshot?.record
        // What was set, but to what it was, yields to what others made of it.
        let merged = base.flatMap {
            PropertyMerge(keepsOurs: true, entityDescription.mergeRules, writer)
                .merge(placed, ours: draft, base: $0, changed: extras.changedSlots)
        }
        var rebased = merged?.0 ?? writer.copy(placed.record, shape)
        if isUnread {
            extras.changedSlots.forEach { writer.copySlot($0, from: draft, to: &rebased, shape) }
        }
        for slot in entityDescription.transientSlots {
            // A parent's are newer where they were not set here.
            let isOwn =
                state.parentReader == nil
                || (extras.changedSlots.contains(slot)
                    && base.map { !draft.isEqual(slot, shape.kinds[slot], to: $0) } ?? true)
            if isOwn { writer.copySlot(slot, from: draft, to: &rebased, shape) }
        }
        withExtendedLifetime(page) {
            record = rebased.record
            page = rebased.page
            if isUnread {
                takeBackFormerEnds(in: placed.record)
            } else {
                takeBackLinks(whereOtherThan: draft)
            }
        }
        extras.snapshot = placed
        guard isUnread else { return }
        flags.remove(.isUnread)
        // What the event has found was no value either.
        if case .copy = extras.eventBase { extras.eventBase = .snapshot }
    }

    /// Whether the object's own row, which keeps the key, leads to an owner.
    final func isMember(
        of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard canBeRestored, let record, let inverse = relationship.inverse,
            let slot = entityDescription.relationships[inverse].slot
        else { return false }
        return record.hasValue(slot) && record.integer(slot) == owner.key
    }

    /// Whether unsaved changes took the object, which the store has among an owner's, away from
    /// there.
    final func hasLeft(
        _ owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        if lifecycle == .deleted { return true }
        guard flags.contains(.isDraft) || leavesOutOthersRow, let record,
            let inverse = relationship.inverse,
            let slot = entityDescription.relationships[inverse].slot
        else { return false }
        return !record.hasValue(slot) || record.integer(slot) != owner.key
    }
}
