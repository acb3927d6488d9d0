import CambiumRecords

/// Defers merges, and does them later.
struct DeferredMerges: ContextAccess {
    let context: ManagedObjectContext

    // MARK: Deferring

    /// Whether the current merge does not give an object this row of another context, because it
    /// conflicts.
    func defers(_ object: ManagedObject, _ theirs: Record) -> Bool {
        guard defersConflicts(of: object) else { return false }
        switch object.lifecycle {
        case .updated: if !object.row.isContradicted(by: theirs) { return false }
        case .clean: if !changes.isLocked(object) { return false }
        case .inserted, .deleted, .discarded, .invalid: return false
        }
        // In a family there are no conflicts.
        return parent == nil || family.hasOthersVersion(object, theirs.version)
    }

    /// Whether the current merge does not change an unchanged object that is locked for conflict
    /// detection.
    func keepsLocked(_ object: ManagedObject) -> Bool {
        defersConflicts(of: object) && changes.isLocked(object)
    }

    /// Whether the current merge keeps an object although other contexts have deleted its row.
    func keepsDeleted(_ object: ManagedObject) -> Bool {
        switch merges.deferral {
        case .nothing: return false
        case .deletions, .conflictsOfEvent, .conflicts: break
        }
        guard object.hasUnsavedChanges || (object.lifecycle == .clean && keepsLocked(object)) else {
            return false
        }
        postpone(object, .deletion)
        return true
    }

    /// The objects that are kept until a save has met the conflict, though other contexts have
    /// deleted their rows: no statement finds them.
    func keptWithoutRow(in family: Set<Int>) -> Set<ManagedObject> {
        if merges.deferred.isEmpty { return [] }
        return Set(
            merges.deferred.filter {
                $0.extras?.deferred == .deletion && family.contains($0.entityDescription.index)
            })
    }

    private func defersConflicts(of object: ManagedObject) -> Bool {
        switch merges.deferral {
        case .nothing, .deletions: false
        case .conflictsOfEvent: object.extras?.lastEvent == activity.event
        case .conflicts: true
        }
    }

    /// Does not merge a change into an object, so that the save finds the change of the other
    /// context.
    func postpone(_ object: ManagedObject, _ change: DeferredChange = .change) {
        let known = object.extras?.deferred ?? .nothing
        // The deletion of the row outweighs earlier changes to it.
        if known == .deletion { return }
        if known == .nothing { merges.deferred.append(object) }
        object.ownExtras.deferred = change
        divergentLists.forget(with: object)
    }

    /// Notes that the row of an object exists again.
    func noteReturn(of object: ManagedObject) {
        if object.extras?.deferred == .deletion { object.extras?.deferred = .change }
    }

    // MARK: Merging later

    /// Returns the objects with deferred merges that are to be merged now.
    func takeDue() -> [ManagedObject] {
        if merges.deferred.isEmpty || merges.deferral.hasConflicts { return [] }
        let objects = merges.takeDeferred()
        let farEnds = FarEndsByEntity(in: context)
        var taken: [ManagedObject] = []
        for object in objects {
            let wasDeleted = object.extras?.deferred == .deletion
            if wasDeleted, merges.deferral != .nothing {
                merges.deferred.append(object)
                continue
            }
            // A deleted object is merged only if its deletion is reverted.
            if object.lifecycle == .deleted, !wasDeleted { continue }
            object.extras?.deferred = .nothing
            if wasDeleted {
                mergeDeletion(of: object, farEnds)
            } else if object.hasValues {
                taken.append(object)
            }
        }
        return taken
    }

    /// Merges the deferred saves of others if no unsaved change contradicts them any more: after
    /// changes were reverted, and before a save checks for conflicts.
    func merge() {
        if merges.deferred.isEmpty { return }
        let objects = merges.takeDeferred()
        let farEnds = FarEndsByEntity(in: context)
        var outdated: [ManagedObject] = []
        for object in objects {
            let wasDeleted = object.extras?.deferred == .deletion
            if object.lifecycle == .deleted, !wasDeleted { continue }
            object.extras?.deferred = .nothing
            if !wasDeleted {
                if object.hasValues { outdated.append(object) }
            } else if object.hasUnsavedChanges
                || (object.lifecycle == .clean && changes.isLocked(object))
            {
                postpone(object, .deletion)
            } else {
                mergeDeletion(of: object, farEnds)
            }
        }
        merges.deferring(.conflicts) { rowMerging.reread(outdated, farEnds) }
        for object in outdated where object.extras?.deferred == .nothing {
            context.noteForEvent(object)
        }
        family.notify([], of: objects)
    }

    /// Applies restored objects to the rows that other contexts have inserted again with the same
    /// keys. These objects are updated, not inserted.
    func takeReinsertedRows() throws {
        if merges.reinsertedRows.isEmpty { return }
        let reborn = changes.inserted.filter {
            $0.lifecycle == .inserted && merges.reinsertedRows[RowIdentity($0)] == .max
        }
        for group in Dictionary(grouping: reborn, by: { $0.entityDescription.rootIndex }) {
            let request = RowRequest(
                entity: coordinator.model.entities[group.key],
                selection: .keys(group.value.map { $0.key }))
            var rows: [(object: ManagedObject, placed: PlacedRecord)] = []
            try reads.store(of: request.entity).fetch(request) { row in
                guard let object = registry.roots[group.key].map[row.key] else { return }
                rows.append((object, try row.record(in: reads.rowWriter)))
            }
            for (object, placed) in rows { object.row.becomeUpdated(over: placed) }
            changes.updated += rows.map { $0.object }
        }
    }

    /// Merges the deletion of an object's row. The context has known of it for some time.
    ///
    /// - Parameter farEnds: The far ends of the context, given if several objects are lost.
    func mergeDeletion(of object: ManagedObject, _ farEnds: FarEndsByEntity? = nil) {
        let ends = (farEnds ?? FarEndsByEntity(in: context))[object.entityDescription]
        let former = ends.shownKeys(of: object)
        divergentLists.forget(with: object)
        rowMerging.invalidate(object)
        context.noteForEvent(object)
        for end in ends.changed(from: former, to: nil) { context.noteOtherLinks(end) }
    }
}

extension ManagedObject {
    /// Whether the object shows values that others may have changed.
    fileprivate final var hasValues: Bool {
        lifecycle == .updated || (lifecycle == .clean && record != nil)
    }

    /// Whether there are unsaved changes that would be lost with the object's row. These are
    /// values, and links that are in no other row and no other object. A one-to-one relationship
    /// counts as a link, not as a value, regardless of the side with the key.
    final var hasUnsavedChanges: Bool {
        guard lifecycle == .updated else { return false }
        return row.hasUnsavedValues(besides: entityDescription.partnerSlots)
            || row.hasUnsavedLinks { $0.inverse == nil }
    }
}

/// The lists that were read differently from the store because of an object.
///
/// Such a list lacks an object that another context has added, because unsaved changes moved it
/// elsewhere. Or it contains an object although others have deleted its row or changed its
/// reference, because the object is kept until a save detects the conflict. When the object merges
/// the saves of others, by a refresh, an undo or a merge, the lists have to be read again.
struct DivergentLists: ContextAccess {
    let context: ManagedObjectContext

    /// Whether unsaved changes have moved an object out of an owner's list although the store still
    /// has it there. If so, the list is read without it.
    @inline(never)
    func isDeferred(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard member.ownLinks.hasLeft(owner, relationship) else { return false }
        // If the owner has noted the change, it is notified when the change is reverted: the
        // member's row, as it was read, references the owner. A deferred row of another context may
        // do so instead.
        if owner.extras?.links[relationship.ordinal]?.hasChange(of: member.key) != true
            || member.hasDeferredMerge
        {
            noteList(of: owner, relationship, hasMember: false, because: member)
        }
        return true
    }

    /// Adds to the members in the store the objects that still reference the owner because their
    /// merges are deferred.
    func addingDeferred(
        to members: [LinkSet.Member], of owner: ManagedObject,
        _ relationship: RelationshipDescription
    ) -> [LinkSet.Member] {
        if merges.deferred.isEmpty || relationship.isJoinTable { return members }
        if !relationship.isToMany, !members.isEmpty { return members }
        let family = coordinator.model.families[relationship.destination]
        let stored = Set(members.map { $0.key })
        var all = members
        for member in merges.deferred
        where family.contains(member.entityDescription.index) && member.hasDeferredMerge
            && !stored.contains(member.key) && member.ownLinks.isMember(of: owner, relationship)
        {
            noteList(of: owner, relationship, hasMember: true, because: member)
            all.append(LinkSet.Member(key: member.key, entity: member.entityDescription.index))
        }
        return all
    }

    private func noteList(
        of owner: ManagedObject, _ relationship: RelationshipDescription, hasMember: Bool,
        because member: ManagedObject
    ) {
        let owner = LinkOwner(
            row: RowIdentity(owner), ordinal: relationship.ordinal, hasMember: hasMember)
        if merges.divergentLists[RowIdentity(member)]?.contains(owner) == true { return }
        merges.divergentLists[RowIdentity(member), default: []].append(owner)
    }

    /// Discards the lists that an object references, so that they are read again: they may have
    /// been read without it.
    func forget(with object: ManagedObject) {
        guard let record = object.record else { return }
        for relationship in object.entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                record.hasValue(slot)
            else { continue }
            let owner = registry.registered(relationship, record.integer(slot))
            owner?.extras?.links[inverse]?.forget()
        }
    }

    /// Discards the lists that differ from the store because of an object, so that they are read
    /// again after it has merged the saves of other contexts. If a list still differs, as the
    /// object has changes, its owner is notified later.
    func forget(otherBecauseOf object: ManagedObject) {
        guard !merges.divergentLists.isEmpty,
            let lists = merges.divergentLists.removeValue(forKey: RowIdentity(object))
        else { return }
        for list in lists {
            guard let owner = registry[list.row] else { continue }
            let relationship = owner.entityDescription.relationships[list.ordinal]
            forget(list)
            // An undo may have restored its reference before it is invalidated. The target of a
            // fault is unknown, and join tables are not visible in the row.
            if relationship.isJoinTable || !object.exists || object.record == nil
                || object.ownLinks.isMember(of: owner, relationship) != list.hasMember
            {
                context.noteOtherLinks(owner)
            } else if object.lifecycle == .updated || object.hasDeferredMerge {
                merges.divergentLists[RowIdentity(object), default: []].append(list)
            }
        }
    }

    /// Discards all lists that differ from the store because of an object, so that they are read
    /// again.
    func forgetAll() {
        for list in merges.divergentLists.values.joined() { forget(list) }
        merges.divergentLists = [:]
    }

    private func forget(_ list: LinkOwner) {
        guard let owner = registry[list.row] else { return }
        owner.extras?.links[list.ordinal]?.forget()
        if owner.notesReads { owner.notifyOfChange(of: .links(list.ordinal)) }
    }
}
