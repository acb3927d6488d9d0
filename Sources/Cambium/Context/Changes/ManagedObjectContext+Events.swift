import CambiumRecords

// The end of an event: what was changed since the last time is worked out and told.
extension ManagedObjectContext {
    /// Processes what changed since the last time: propagates deletes along the delete rules, which
    /// keeps inverses consistent, lets the undo manager remember, and tells controllers and
    /// observers.
    ///
    /// It happens by itself before a fetch and a save, and at the end of every `perform`. What a
    /// context that nobody ends events for (one that was made by hand) has changed until it is
    /// called is one group to its undo manager.
    public func processPendingChanges() {
        processChanges()
        if !activity.hasEvents { undoManager?.endEvent() }
    }

    /// Processes changes in the middle of an event.
    ///
    /// - Parameter propagatesDeletes: Whether the delete rules are followed; nil means as the
    ///   context is set.
    func processChanges(propagatesDeletes: Bool? = nil) {
        if activity.isProcessing { return }
        // Every fetch comes here.
        if observers.followersAreBehind { observers.retryFollowers() }
        guard changes.needProcessing else { return }
        activity.isProcessing = true
        defer { activity.isProcessing = false }
        if propagatesDeletes ?? propagatesDeletesAtEndOfEvent { deleteRules.propagate() }
        let notifies = observers.wantsChanges
        let isRegistering =
            changes.processedInMerge == nil && undoManager?.isUndoRegistrationEnabled == true
        let event = notifies || isRegistering ? Event(changes) : nil
        settleChanges()
        if let event, isRegistering { undoManager?.register(event) }
        let followed = observers.hasFollowers ? ObjectChanges(of: changes.noted) : ObjectChanges()
        let changed = changes.endEvent(isSaving: activity.isSaving)
        changed.forEachUncounted { $0.tracking.endEvent() }
        observers.notifyFollowers(followed)
        if let event, notifies { observers.post(ObjectsDidChange(event)) }
    }

    /// Removes objects from the lists of changes that have moved on.
    func settleChanges() {
        for object in changes.settle() { forget(object) }
    }
}

/// What one event changed, before it is over.
struct Event {
    /// The objects in the order in which they were changed first.
    let changed: [ManagedObject]
    private let inserted: Set<ObjectIdentifier>
    private let deleted: Set<ObjectIdentifier>
    private let refreshed: Set<ObjectIdentifier>
    private let invalidated: Set<ObjectIdentifier>

    /// Called before the lists are settled.
    init(_ changes: PendingChanges) {
        changed = changes.noted
        inserted = Set(changes.insertedInEvent.map { ObjectIdentifier($0) })
        deleted = Set(changes.deletedInEvent.map { ObjectIdentifier($0) })
        refreshed = Set(changes.refreshedInEvent.map { ObjectIdentifier($0) })
        invalidated = Set(changes.invalidatedInEvent.map { ObjectIdentifier($0) })
    }

    /// Whether the object was not there before the event.
    func isNew(_ object: ManagedObject) -> Bool {
        inserted.contains(ObjectIdentifier(object))
    }

    /// Whether the event deleted the object.
    func isLeaving(_ object: ManagedObject) -> Bool {
        switch object.lifecycle {
        case .deleted: deleted.contains(ObjectIdentifier(object))
        case .discarded, .invalid: true
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
            case .deleted, .discarded, .invalid: deleted.append(object)
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
