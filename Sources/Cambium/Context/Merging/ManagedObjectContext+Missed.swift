import CambiumRecords

// What merges leave out, and who takes it over in the end.
extension ManagedObjectContext {
    // MARK: Leaving out

    /// Whether the merge at work leaves an object as it is to which others have given this row.
    func leavesOut(_ object: ManagedObject, _ theirs: Record) -> Bool {
        guard leavesConflicts(of: object) else { return false }
        switch object.lifecycle {
        case .updated: if !object.isContradicted(by: theirs) { return false }
        case .clean: if !isLocked(object) { return false }
        case .inserted, .deleted, .discarded, .gone: return false
        }
        // In a family there are no conflicts.
        return parent == nil || hasOthersVersion(object, theirs.version)
    }

    /// Whether the merge at work leaves an unchanged object as it is on which others rest.
    func keepsLocked(_ object: ManagedObject) -> Bool {
        leavesConflicts(of: object) && isLocked(object)
    }

    /// Whether the merge at work leaves an object as it is whose row others have deleted.
    func keepsDeleted(_ object: ManagedObject) -> Bool {
        switch leaving {
        case .nothing: return false
        case .deletions, .conflictsOfEvent, .conflicts: break
        }
        guard object.hasUnsavedChanges || (object.lifecycle == .clean && keepsLocked(object)) else {
            return false
        }
        miss(object, .deletion)
        return true
    }

    /// The objects that stay until a save has met the conflict, though others have deleted their
    /// rows: no statement finds them.
    func keptWithoutRow(in family: Set<Int>) -> Set<ManagedObject> {
        if missed.isEmpty { return [] }
        return Set(
            missed.filter {
                $0.extras?.missed == .deletion && family.contains($0.entityDescription.index)
            })
    }

    private func leavesConflicts(of object: ManagedObject) -> Bool {
        switch leaving {
        case .nothing, .deletions: false
        case .conflictsOfEvent: object.extras?.lastEvent == eventNumber
        case .conflicts: true
        }
    }

    private func isLocked(_ object: ManagedObject) -> Bool {
        locked.contains { $0 === object }
    }

    /// Leaves an object as it is: the save is to see that others have changed it.
    func miss(_ object: ManagedObject, _ missedChange: MissedChange = .change) {
        let known = object.extras?.missed ?? .nothing
        // That the row is gone outweighs what was done to it before.
        if known == .deletion { return }
        if known == .nothing { missed.append(object) }
        object.ownExtras.missed = missedChange
        forgetLists(with: object)
    }

    /// Notes that the row of an object is there again.
    func noteReturn(of object: ManagedObject) {
        if object.extras?.missed == .deletion { object.extras?.missed = .change }
    }

    // MARK: Catching up

    /// Whether anything was left out that can be taken over. A deletion waits until the object has
    /// no changes any more.
    var hasMissedChanges: Bool { missed.contains { $0.extras?.missed != .deletion } }

    /// The objects that have left out what others saved, where these are to take it over now.
    func takeMissed() -> [ManagedObject] {
        if missed.isEmpty || leaving.hasConflicts { return [] }
        let objects = missed
        missed = []
        let farEnds = FarEndsByEntity(in: self)
        var taken: [ManagedObject] = []
        for object in objects {
            let wasDeleted = object.extras?.missed == .deletion
            if wasDeleted, leaving != .nothing {
                missed.append(object)
                continue
            }
            // What is to be deleted shows nothing until that is taken back.
            if object.lifecycle == .deleted, !wasDeleted { continue }
            object.extras?.missed = .nothing
            if wasDeleted {
                lose(object, farEnds)
            } else if object.hasValues {
                taken.append(object)
            }
        }
        return taken
    }

    /// Lets objects take over what they have left out, where no unsaved change contradicts it any
    /// more: after changes were taken back, and before a save looks for conflicts.
    func catchUp() {
        if missed.isEmpty { return }
        let objects = missed
        missed = []
        let farEnds = FarEndsByEntity(in: self)
        var outdated: [ManagedObject] = []
        for object in objects {
            let wasDeleted = object.extras?.missed == .deletion
            if object.lifecycle == .deleted, !wasDeleted { continue }
            object.extras?.missed = .nothing
            if !wasDeleted {
                if object.hasValues { outdated.append(object) }
            } else if object.hasUnsavedChanges || (object.lifecycle == .clean && isLocked(object)) {
                miss(object, .deletion)
            } else {
                lose(object, farEnds)
            }
        }
        let left = leaving
        leaving = .conflicts
        reread(outdated, farEnds)
        leaving = left
        for object in outdated where object.extras?.missed == .nothing { noteForEvent(object) }
        tellChildren([], of: objects)
    }

    /// Lays what an undo has brought back over the rows that others have inserted again meanwhile
    /// under the same keys: there is nothing to be inserted then.
    func takeRowsOfReborn() throws {
        if rebirths.isEmpty { return }
        let reborn = inserted.filter {
            $0.lifecycle == .inserted && rebirths[RowIdentity($0)] == .max
        }
        for group in Dictionary(grouping: reborn, by: { $0.entityDescription.rootIndex }) {
            let request = RowRequest(
                entity: coordinator.model.entities[group.key],
                selection: .keys(group.value.map(\.key)))
            var rows: [(object: ManagedObject, placed: PlacedRecord)] = []
            try store(of: request.entity).fetch(request) { row in
                guard let object = objects[group.key].map[row.key] else { return }
                rows.append((object, try row.record(in: rowWriter)))
            }
            for (object, placed) in rows { object.becomeUpdated(over: placed, draftWriter) }
            updated += rows.map(\.object)
        }
    }

    /// The row of an object was deleted, as the context has known for some time.
    ///
    /// - Parameter farEnds: Those of the context, where several objects are lost.
    func lose(_ object: ManagedObject, _ farEnds: FarEndsByEntity? = nil) {
        let ends = (farEnds ?? FarEndsByEntity(in: self))[object.entityDescription]
        let former = ends.shownKeys(of: object)
        forgetLists(with: object)
        vanish(object)
        noteForEvent(object)
        for end in ends.changed(from: former, to: nil) { noteOtherLinks(end) }
    }

    /// Notes that a save has met all conflicts that there were.
    func forgetMissed() {
        for object in missed { object.extras?.missed = .nothing }
        missed = []
    }
}

extension ManagedObject {
    /// Whether the object is as it was before others changed or deleted its row.
    final var leavesOutOthersRow: Bool { extras?.missed ?? .nothing != .nothing }

    /// A new object becomes a change of a row that is there: of all its values.
    fileprivate final func becomeUpdated(over placed: PlacedRecord, _ writer: RecordWriter) {
        state.context?.rebirths[RowIdentity(self)] = nil
        state.context?.listsAreStale = true
        lifecycle = .updated
        ownExtras.changedSlots = entityDescription.storedSlots
        // Nothing is known of what is below the values, as where a row could not be read.
        flags.formUnion([.isDraft, .tracksSlots, .isUnread])
        rebase(on: placed, writer)
        state.context?.noteForEvent(self)
    }

    /// Whether the object shows values that others may have changed.
    fileprivate final var hasValues: Bool {
        lifecycle == .updated || (lifecycle == .clean && record != nil)
    }

    /// Notes that the object shows, or reads, what others have saved.
    final func forgetMissedChange() {
        if extras?.missed == .change { extras?.missed = .nothing }
    }

    /// Whether there is anything to be saved that would go with the object's row: values, and links
    /// that neither another row nor another object keeps. Which side of a one-to-one keeps the key is
    /// of no importance: it is a link, and no value.
    final var hasUnsavedChanges: Bool {
        guard lifecycle == .updated else { return false }
        return hasUnsavedValues(besides: entityDescription.partnerSlots)
            || hasUnsavedLinks { $0.inverse == nil }
    }

    /// Whether objects were added to relationships that join tables keep.
    ///
    /// - Parameter isWanted: Which relationships count.
    final func hasUnsavedLinks(
        in isWanted: (RelationshipDescription) -> Bool = { _ in true }
    ) -> Bool {
        entityDescription.relationships.contains { relationship in
            relationship.isJoinTable && isWanted(relationship)
                && extras?.links[relationship.ordinal]?.hasAdditions == true
        }
    }

    /// Whether a stored value differs from the one that was read.
    ///
    /// - Parameter others: Slots that do not count.
    final func hasUnsavedValues(besides others: SlotSet = SlotSet()) -> Bool {
        guard lifecycle == .updated, let extras, let draft = record,
            let base = extras.snapshot?.record
        else { return false }
        if flags.contains(.isUnread) { return true }
        let kinds = entityDescription.shape.kinds
        return extras.changedSlots.subtracting(others).slots.contains { slot in
            entityDescription.layout.slots[slot].isStored
                && !draft.isEqual(slot, kinds[slot], to: base)
        }
    }
}
