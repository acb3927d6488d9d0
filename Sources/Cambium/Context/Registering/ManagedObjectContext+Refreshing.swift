import CambiumRecords

extension ManagedObjectContext {
    /// Brings an object back to what the store has, or the ``parent`` of a child. An object that was
    /// never saved has no row and stays as it is.
    ///
    /// - Parameter mergeChanges: True reads the row again and keeps the unsaved changes on top (an
    ///   object without changes becomes a fault, whose values may come from the row cache); false
    ///   drops the changes and makes the object a fault. What was changed in a to-many whose links
    ///   the objects at the other end keep is their change and stays. A partner in a one-to-one that
    ///   was led to another object here comes back from there. What is in memory only is kept with
    ///   the changes, and dropped with them.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.state === state else { return recordForeign(object) }
        if !mergeChanges, !failedReads.isEmpty, object.canBeRestored {
            failedReads.removeAll(of: RowIdentity(object))
        }
        refreshOne(object, mergeChanges: mergeChanges)
        // A child may have saved into this context what is dropped.
        tellChildren([], of: [object])
    }

    private func refreshOne(_ object: ManagedObject, mergeChanges: Bool) {
        switch object.lifecycle {
        case .clean, .updated: break
        case .inserted, .deleted, .discarded, .gone: return
        }
        object.extras?.fetched = [:]
        for ordinal in object.extras.map({ Array($0.links.keys) }) ?? [] {
            object.extras?.links[ordinal]?.forget()
        }
        if mergeChanges, object.keepsSomethingWhenRefreshed { return rereadKeepingChanges(object) }
        let hadValues = object.record != nil
        if hadValues { object.willTurnIntoFault() }
        let hadLinks = object.extras?.hasRelationshipChanges == true
        object.takeBackLinks()
        object.takeBackPartners()
        let base = object.extras?.snapshot
        if parent == nil { object.dropTransientLinks() } else { object.forgetTransientLinks() }
        object.takeBackPlaces()
        remember(object)
        object.becomeClean(nil)
        listsAreStale = true
        updatedHoldsClean = true
        if hadValues { object.didTurnIntoFault() }
        forgetLists(otherBecauseOf: object)
        // It is known already that its row is gone.
        if object.extras?.missed == .deletion { return catchUp() }
        // Links that are kept in the rows of others are their changes, and stay.
        if object.extras?.hasRelationshipChanges == true { willChangeLinks(object) }
        noteForEvent(object)
        if hadLinks { object.flags.insert(.hasOtherLinks) }
        if let base { withExtendedLifetime(base) { followDeletes(of: base.record, object) } }
    }

    /// Follows the delete rules once more of deleted objects to which a refreshed one leads in the
    /// store: what they have done to it was dropped.
    ///
    /// - Parameter base: The row of the object, as it was below the changes.
    private func followDeletes(of base: Record, _ object: ManagedObject) {
        for relationship in object.entityDescription.relationships {
            guard let slot = relationship.slot, base.hasValue(slot), object.canBeRestored,
                let destination = registered(
                    entity: relationship.destination, key: base.integer(slot)),
                destination.lifecycle == .deleted
            else { continue }
            let inverse = relationship.inverse.map {
                destination.entityDescription.relationships[$0].relationship.deleteRule
            }
            switch inverse ?? .nullify {
            case .nullify: object.setDestination(of: relationship, to: nil)
            case .cascade: delete(object, cause: .cascade)
            case .deny: break
            }
        }
    }

    /// Brings all objects back to what the store has: unchanged ones become faults, changed ones
    /// keep their changes on top of the row, which is read again.
    public func refreshAllObjects() {
        for object in registeredObjects {
            refreshOne(object, mergeChanges: object.lifecycle == .updated)
        }
        followForwards()
        let commit = parent == nil ? coordinator.latestCommit : startMerge()
        for identities in coordinator.model.touchedRelationships {
            for identity in identities { lastChanges[identity] = commit }
        }
        tellChildren([], isComplete: false)
    }

    private func rereadKeepingChanges(_ object: ManagedObject) {
        if followForward(of: object) { return }
        // What the store brings is not to be undone.
        if undoManager?.isUndoRegistrationEnabled == true { processChanges() }
        do {
            try reread(object)
        } catch {
            // The save reads it again, and throws where it cannot.
            miss(object)
            return recordedErrors.append(error)
        }
        if observations?.wantsChanges == true { refreshedInEvent.append(object) }
        note(object)
        object.flags.insert(.hasOtherValues)
        if object.notesReads { object.tellOfChanges() }
        awaken(CollectionOfOne(object), from: .refresh)
    }

    private func reread(_ object: ManagedObject) throws {
        guard object.record != nil else { return }
        let commit = coordinator.rowCache.commit
        let ends = FarEndsByEntity(in: self)[object.entityDescription]
        let former = ends.shownKeys(of: object)
        let request = RowRequest(
            entity: object.entityDescription, selection: .key(object.key))
        try store(of: request.entity).fetch(request) { row in
            let placed = try row.record(in: rowWriter)
            if object.flags.contains(.isDraft) {
                rebase(object, on: placed)
            } else {
                let kept = object.keepingTransients(placed, draftWriter)
                object.record = kept?.record
                object.page = kept?.page
            }
            guard usesRowCache else { return }
            coordinator.rowCache.insert(
                CollectionOfOne(RowCache.Row(entity: object.entityDescription, placed: placed)),
                readAt: commit, replacesOnly: true)
        }
        for end in ends.changed(from: former, to: ends.shownKeys(of: object)) {
            noteOtherLinks(end)
        }
        forgetLists(otherBecauseOf: object)
    }

    /// Forgets everything: all objects, changes, errors and what could be undone. Objects that
    /// somebody still holds are of no context any more and show placeholders; setting a property of
    /// one is a mistake that the next save throws (``StoreError`` with `foreignObject`).
    ///
    /// Nobody is told object by object; observers hear that all objects are invalid, and
    /// controllers should fetch again. Children keep their own changes, and read everything else
    /// again when they merge; what was new in this context is gone for them then.
    public func reset() {
        guard !isResetting else { return }
        isResetting = true
        for object in knownObjects where object.record != nil { object.willTurnIntoFault() }
        isResetting = false
        // What the hooks have brought goes with the rest.
        let all = knownObjects
        let unsaved = inserted.filter { $0.lifecycle == .inserted }
        let lists = [
            inserted, updated, deleted, locked, missed, noted, unpropagated, refusedDeletions,
            revivedInEvent, refreshedInEvent, invalidatedInEvent,
        ]
        for root in objects { root.map.removeAll() }
        registeredCount = 0
        sweptCount = 1024
        let faulted = all.filter { $0.record != nil }
        let extras = all.compactMap { object in object.extras.map { (object, $0) } }
        // With an object, and with what it holds, may go something that uses the context: nothing
        // is released before the context is empty.
        defer { withExtendedLifetime((all, extras, lists)) {} }
        for object in all {
            object.becomeClean(nil)
            object.lifecycle = .discarded
            object.flags = .isForgotten
            object.extras = nil
        }
        emptyLists()
        locked = []
        missed = []
        familyVersions = [:]
        forwards = [:]
        rebirths = [:]
        deaths = [:]
        noted = []
        unpropagated = []
        refusedDeletions = []
        leftLists = [:]
        revivedInEvent = []
        refreshedInEvent = []
        invalidatedInEvent = []
        recordedErrors = []
        failedReads = FailedReads()
        failedKeys = [:]
        // What others have saved until now is what will be read.
        _ = mailbox.take()
        if parent == nil { mergedCommit = coordinator.latestCommit }
        advanceQueryGeneration()
        undoManager?.removeAllActions()
        for (object, extras) in extras { extras.observation?.changeAll(of: object) }
        for object in faulted { object.didTurnIntoFault() }
        tellChildren([], of: unsaved, isComplete: false)
        for case let follower? in followers.map(\.follower) { follower.contextWasReset() }
        // An observer may reset in turn.
        guard !isTellingOfReset, observations?.wantsChanges == true else { return }
        isTellingOfReset = true
        tell(.allInvalidated)
        isTellingOfReset = false
    }

    /// All objects that a reset forgets, in the order of their keys.
    private var knownObjects: [ManagedObject] {
        var all: [ManagedObject] = []
        for root in objects { root.map.forEach { all.append($0) } }
        // Inserted objects that were deleted may not be in the map any more, but may be noted.
        all += noted.filter { object in
            object.lifecycle == .discarded
                && objects[object.entityDescription.rootIndex].map[object.key] !== object
        }
        return all
    }
}

extension ManagedObject {
    /// Whether there is anything that a refresh with merging must not lose.
    fileprivate final var keepsSomethingWhenRefreshed: Bool {
        lifecycle == .updated || (entityDescription.hasTransients && record != nil)
    }

    /// Takes unsaved links of this object back, on both sides, before its own changes are dropped.
    final func takeBackLinks() {
        takeBackLinksElsewhere()
        for relationship in entityDescription.relationships where relationship.isJoinTable {
            extras?.links[relationship.ordinal] = nil
        }
    }

    /// Takes unsaved links of this object back at the other ends.
    final func takeBackLinksElsewhere() {
        for relationship in entityDescription.relationships {
            guard let inverse = relationship.inverse else { continue }
            if let slot = relationship.slot {
                guard let record, let base = extras?.snapshot?.record else { continue }
                for row in [record, base] where row.hasValue(slot) {
                    registered(relationship, row.integer(slot))?.forgetLink(inverse, to: key)
                }
            } else if relationship.isJoinTable, let links = extras?.links[relationship.ordinal] {
                for other in links.added.keys + Array(links.removed) {
                    registered(relationship, other)?.forgetLink(inverse, to: key)
                }
            }
        }
    }

    /// Takes the partners back that the object has in the store and has lost to others here: nobody
    /// has two.
    fileprivate final func takeBackPartners() {
        guard let record, let base = extras?.snapshot?.record else { return }
        for relationship in entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                entityDescription.partnerSlots.contains(slot), base.hasValue(slot),
                !record.hasValue(slot) || record.integer(slot) != base.integer(slot),
                let other = registered(relationship, base.integer(slot))
            else { continue }
            other.partner(other.entityDescription.relationships[inverse], besides: self)?
                .setDestination(of: relationship, to: nil)
        }
    }

    /// Takes back, at the other ends, what was noted of to-ones that the object has let go of in
    /// favour of what others have saved.
    ///
    /// - Parameter former: The values before.
    final func takeBackLinks(whereOtherThan former: Record) {
        guard let record else { return }
        for relationship in entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse,
                !record.isEqual(slot, entityDescription.shape.kinds[slot], to: former)
            else { continue }
            for row in [record, former] where row.hasValue(slot) {
                registered(relationship, row.integer(slot))?.forgetLink(inverse, to: key)
            }
        }
    }

    /// Lets the other ends be read again to which to-ones have led in a row, where the object leads
    /// elsewhere.
    final func takeBackFormerEnds(in row: Record) {
        for relationship in entityDescription.relationships {
            guard let slot = relationship.slot, let inverse = relationship.inverse, let record,
                row.hasValue(slot),
                !record.isEqual(slot, entityDescription.shape.kinds[slot], to: row)
            else { continue }
            registered(relationship, row.integer(slot))?.forgetLink(inverse, to: key)
        }
    }

    /// Takes back where this object put the members of its lists. The members themselves are
    /// others' changes where they keep the key.
    fileprivate final func takeBackPlaces() {
        for relationship in entityDescription.relationships where relationship.isOrdered {
            extras?.links[relationship.ordinal]?.discardPlaces()
        }
    }

    private func registered(
        _ relationship: RelationshipDescription, _ key: Int64
    ) -> ManagedObject? {
        state.context?.registered(entity: relationship.destination, key: key)
    }

    /// Forgets what was changed about one member of a relationship, which is read again.
    final func forgetLink(_ ordinal: Int, to key: Int64) {
        let isChange = extras?.links[ordinal]?.hasChange(of: key) == true
        extras?.links[ordinal]?.forgetChange(of: key)
        if notesReads { tellOfChange(of: .links(ordinal)) }
        if isChange { state.context?.noteOtherLinks(self) }
        becomeCleanWithoutChanges()
    }
}
