import CambiumRecords

/// What merges defer, and who merges it in the end.
struct DeferredMerges: ContextAccess {
    let context: ManagedObjectContext

    // MARK: Deferring

    /// Whether the merge at work leaves an object as it is to which others have given this row.
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

    /// Whether the merge at work leaves an unchanged object as it is on which others rest.
    func keepsLocked(_ object: ManagedObject) -> Bool {
        defersConflicts(of: object) && changes.isLocked(object)
    }

    /// Whether the merge at work leaves an object as it is whose row other contexts have deleted.
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

    /// The objects that stay until a save has met the conflict, though other contexts have deleted
    /// their rows: no statement finds them.
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

    /// Leaves an object as it is: the save is to see that other contexts have changed it.
    func postpone(_ object: ManagedObject, _ change: DeferredChange = .change) {
        let known = object.extras?.deferred ?? .nothing
        // That the row was deleted outweighs what was done to it before.
        if known == .deletion { return }
        if known == .nothing { merges.deferred.append(object) }
        object.ownExtras.deferred = change
        divergentLists.forget(with: object)
    }

    /// Notes that the row of an object is there again.
    func noteReturn(of object: ManagedObject) {
        if object.extras?.deferred == .deletion { object.extras?.deferred = .change }
    }

    // MARK: Catching up

    /// The objects that have deferred what other contexts saved, where these are to merge it now.
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
            // What is to be deleted shows nothing until that is taken back.
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

    /// Lets objects merge what they have deferred, where no unsaved change contradicts it any
    /// more: after changes were taken back, and before a save looks for conflicts.
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

    /// Lays what an undo has brought back over the rows that others have inserted again meanwhile
    /// under the same keys: there is nothing to be inserted then.
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

    /// The row of an object was deleted, as the context has known for some time.
    ///
    /// - Parameter farEnds: Those of the context, where several objects are lost.
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

    /// Whether there is anything to be saved that would go with the object's row: values, and links
    /// that neither another row nor another object keeps. Which side of a one-to-one keeps the key is
    /// of no importance: it is a link, and no value.
    final var hasUnsavedChanges: Bool {
        guard lifecycle == .updated else { return false }
        return row.hasUnsavedValues(besides: entityDescription.partnerSlots)
            || row.hasUnsavedLinks { $0.inverse == nil }
    }
}

/// Lists that were read otherwise than the store has them, because of an object: without one that
/// other contexts have put there meanwhile and that unsaved changes have elsewhere, or with one
/// whose row others have deleted or led elsewhere and that stays until a save has met the conflict.
/// When the object merges what others saved, by a refresh, an undo or a merge, the lists have to be
/// read again.
struct DivergentLists: ContextAccess {
    let context: ManagedObjectContext

    /// Whether unsaved changes keep an object, which the store has among an owner's, away from
    /// there; what is read of the owner's members leaves it out.
    @inline(never)
    func isDeferred(
        _ member: ManagedObject, of owner: ManagedObject, _ relationship: RelationshipDescription
    ) -> Bool {
        guard member.ownLinks.hasLeft(owner, relationship) else { return false }
        // An owner that has noted a change is notified of its being taken back: the member's row, as
        // it was read, references the owner. A row of others that is deferred may do so instead.
        if owner.extras?.links[relationship.ordinal]?.hasChange(of: member.key) != true
            || member.defersOthersRow
        {
            noteList(of: owner, relationship, hasMember: false, because: member)
        }
        return true
    }

    /// The members that the store has among an owner's, and those that lead there still because they
    /// have deferred what other contexts have saved.
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
        where family.contains(member.entityDescription.index) && member.defersOthersRow
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

    /// Lets the lists be read again that an object leads to: they may have been read without it.
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

    /// Lets the lists be read again that an object made others than the store has them, after it
    /// has merged what other contexts saved. Those that it makes so still, as it has changes, are
    /// notified of it later.
    func forget(otherBecauseOf object: ManagedObject) {
        guard !merges.divergentLists.isEmpty,
            let lists = merges.divergentLists.removeValue(forKey: RowIdentity(object))
        else { return }
        for list in lists {
            guard let owner = registry[list.row] else { continue }
            let relationship = owner.entityDescription.relationships[list.ordinal]
            forget(list)
            // An undo may have led it back before it goes. Where a fault leads is not known, nor what
            // is in a list by its row.
            if relationship.isJoinTable || !object.isThere || object.record == nil
                || object.ownLinks.isMember(of: owner, relationship) != list.hasMember
            {
                context.noteOtherLinks(owner)
            } else if object.lifecycle == .updated || object.defersOthersRow {
                merges.divergentLists[RowIdentity(object), default: []].append(list)
            }
        }
    }

    /// Lets all lists be read again that any object made others than the store has them.
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
