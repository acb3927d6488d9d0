import CambiumRecords

// The end of an event: what was changed since the last time is worked out and told.
extension ManagedObjectContext {
    /// Processes what changed since the last time: propagates deletes along the delete rules, which
    /// keeps inverses in step, lets the undo manager remember, and tells controllers and observers.
    ///
    /// It happens by itself before a fetch and a save, and at the end of every `perform`. What a
    /// context that nobody ends events for (one that was made by hand) has changed until it is
    /// called is one group to its undo manager.
    public func processPendingChanges() {
        processChanges()
        if !hasEvents { undoManager?.endEvent() }
    }

    /// Processes changes in the middle of an event.
    ///
    /// - Parameter propagatesDeletes: Whether the delete rules are followed; nil means as the
    ///   context is set.
    func processChanges(propagatesDeletes: Bool? = nil) {
        // Every fetch comes here.
        if followersAreBehind, !isProcessing { retryFollowers() }
        guard !isProcessing, !noted.isEmpty || !unpropagated.isEmpty || listsAreStale else {
            return
        }
        isProcessing = true
        defer { isProcessing = false }
        if propagatesDeletes ?? propagatesDeletesAtEndOfEvent { propagateDeletes() }
        let isTold = observations?.wantsChanges ?? false
        let isRegistering =
            processedInMerge == nil && undoManager?.isUndoRegistrationEnabled == true
        let event = isTold || isRegistering ? Event(of: self) : nil
        settleLists()
        if let event, isRegistering { undoManager?.register(event) }
        let changed = noted
        noted = []
        if isSaving { processedInRound += changed }
        processedInMerge? += changed
        let changes = followers.isEmpty ? ObjectChanges() : ObjectChanges(of: changed)
        changed.forEachUncounted { $0.endEvent() }
        insertedBeforeEvent = inserted.count
        deletedBeforeEvent = deleted.count
        revivedInEvent = []
        refreshedInEvent = []
        invalidatedInEvent = []
        notifyFollowers(changes)
        if let event, isTold { tell(ObjectsDidChange(event)) }
    }

    /// Removes objects from the lists that have moved on.
    func settleLists() {
        guard listsAreStale else { return }
        listsAreStale = false
        updatedHoldsClean = false
        for object in inserted where object.lifecycle == .discarded { forget(object) }
        inserted.removeAll { $0.lifecycle != .inserted }
        updated.removeAll { $0.lifecycle != .updated }
        deleted.removeAll { $0.lifecycle != .deleted }
    }

    /// Empties the lists of changes, when there are no changes any more.
    func emptyLists() {
        setLists(inserted: [], updated: [], deleted: [])
    }

    /// Lets these be all the changes that there are, from earlier events.
    func setLists(
        inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject]
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
        insertedBeforeEvent = inserted.count
        deletedBeforeEvent = deleted.count
        listsAreStale = false
        updatedHoldsClean = false
    }
}

/// What one event changed, before it is over.
struct Event {
    /// The objects in the order in which they were changed first.
    let changed: [ManagedObject]
    private let newcomers: Set<ObjectIdentifier>
    private let leavers: Set<ObjectIdentifier>
    private let refreshed: Set<ObjectIdentifier>
    private let invalidated: Set<ObjectIdentifier>

    /// Called before the lists are settled.
    init(of context: ManagedObjectContext) {
        changed = context.noted
        newcomers = Set(
            (context.inserted.dropFirst(context.insertedBeforeEvent) + context.revivedInEvent)
                .map { ObjectIdentifier($0) })
        leavers = Set(
            context.deleted.dropFirst(context.deletedBeforeEvent).map { ObjectIdentifier($0) })
        refreshed = Set(context.refreshedInEvent.map { ObjectIdentifier($0) })
        invalidated = Set(context.invalidatedInEvent.map { ObjectIdentifier($0) })
    }

    /// Whether the object was not there before the event.
    func isNew(_ object: ManagedObject) -> Bool {
        newcomers.contains(ObjectIdentifier(object))
    }

    /// Whether the event deleted the object.
    func isLeaving(_ object: ManagedObject) -> Bool {
        switch object.lifecycle {
        case .deleted: leavers.contains(ObjectIdentifier(object))
        case .discarded, .gone: true
        case .clean, .inserted, .updated: false
        }
    }

    /// Whether the object's row was found missing.
    func isInvalid(_ object: ManagedObject) -> Bool {
        invalidated.contains(ObjectIdentifier(object))
    }

    /// Whether the object was refreshed and kept its changes.
    func isRefreshed(_ object: ManagedObject) -> Bool {
        refreshed.contains(ObjectIdentifier(object))
    }
}

extension ObjectChanges {
    /// What is told to those who follow results. Called before the event is over.
    init(of changed: [ManagedObject]) {
        for object in changed {
            switch object.lifecycle {
            case .inserted:
                inserted.append(object)
                // One that came in an earlier event may have got other links.
                if object.changesLinksInEvent { updated.append(object.latestUpdate) }
            case .updated, .clean: updated.append(object.latestUpdate)
            case .deleted, .discarded, .gone: deleted.append(object)
            }
        }
    }
}

extension ManagedObject {
    /// What may have changed in the current event: what differs from the store, and what was taken
    /// back. A value that was taken back does not differ from the store any more.
    fileprivate final var latestUpdate: ObjectChanges.Update {
        let isKnown = lifecycle == .updated && !flags.contains(.hasOtherValues)
        return ObjectChanges.Update(
            object: self, slots: isKnown ? extras?.changedSlots ?? SlotSet() : nil,
            changesLinks: changesLinksInEvent || extras?.hasRelationshipChanges ?? false)
    }

    /// Whether the current event changed relationships that are kept elsewhere.
    fileprivate final var changesLinksInEvent: Bool {
        flags.contains(.hasOtherLinks) || extras?.eventLinks != nil
    }
}
