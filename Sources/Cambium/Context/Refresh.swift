import CambiumRecords

/// Resets objects to their state in the store, or in the parent of a child.
struct Refresh: ContextAccess {
    let context: ManagedObjectContext

    /// Resets an object.
    func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        switch object.lifecycle {
        case .clean, .updated: break
        case .inserted, .deleted, .discarded, .invalid: return
        }
        object.extras?.fetched = [:]
        for ordinal in object.extras.map({ Array($0.links.keys) }) ?? [] {
            object.extras?.links[ordinal]?.forget()
        }
        if mergeChanges, object.keepsSomethingWhenRefreshed { return rereadKeepingChanges(object) }
        let hadValues = object.record != nil
        if hadValues { object.willTurnIntoFault() }
        let hadLinks = object.extras?.hasRelationshipChanges == true
        object.reversal.takeBackLinks()
        object.reversal.takeBackPartners()
        let base = object.extras?.snapshot
        if parent == nil { object.transients.drop() } else { object.transients.forget() }
        object.reversal.takeBackPlaces()
        faulting.remember(object)
        object.row.becomeClean(nil)
        changes.dropUpdated()
        if hadValues { object.didTurnIntoFault() }
        divergentLists.forget(otherBecauseOf: object)
        // It is known already that its row was deleted.
        if object.extras?.deferred == .deletion { return deferredMerges.merge() }
        // Links in the rows of other objects are changes of these objects, and are kept.
        if object.extras?.hasRelationshipChanges == true { context.willChangeLinks(object) }
        context.noteForEvent(object)
        if hadLinks { object.flags.insert(.hasOtherLinks) }
        if let base { withExtendedLifetime(base) { followDeletes(of: base.record, object) } }
    }

    /// Applies the delete rules of deleted objects again to a refreshed object that references them
    /// in the store: their effects on it were discarded.
    ///
    /// - Parameter base: The row of the object, as it was before the changes.
    private func followDeletes(of base: Record, _ object: ManagedObject) {
        for relationship in object.entityDescription.relationships {
            guard let slot = relationship.slot, base.hasValue(slot), object.canBeRestored,
                let destination = registry.registered(relationship, base.integer(slot)),
                destination.lifecycle == .deleted
            else { continue }
            let inverse = relationship.inverse.map {
                destination.entityDescription.relationships[$0].relationship.deleteRule
            }
            switch inverse ?? .nullify {
            case .nullify: object.setDestination(of: relationship, to: nil)
            case .cascade: context.delete(object, cause: .cascade)
            case .deny: break
            }
        }
    }

    private func rereadKeepingChanges(_ object: ManagedObject) {
        if replacements.followParent(object) { return }
        // Changes from the store cannot be undone.
        if context.undoManager?.isUndoRegistrationEnabled == true { context.processChanges() }
        do {
            try reread(object)
        } catch {
            // The save reads it again, and throws if it cannot.
            deferredMerges.postpone(object)
            return errors.record(error)
        }
        if observers.wantsChanges { changes.refreshedInEvent.append(object) }
        context.note(object)
        object.flags.insert(.hasOtherValues)
        if object.notesReads { object.notifyOfChanges() }
        activity.awaken(CollectionOfOne(object), from: .refresh)
    }

    private func reread(_ object: ManagedObject) throws {
        guard object.record != nil else { return }
        let commit = coordinator.rowCache.commit
        let ends = FarEndsByEntity(in: context)[object.entityDescription]
        let former = ends.shownKeys(of: object)
        let request = RowRequest(entity: object.entityDescription, selection: .key(object.key))
        try reads.store(of: request.entity).fetch(request) { row in
            let placed = try row.record(in: reads.rowWriter)
            if object.flags.contains(.isDraft) {
                rowMerging.rebase(object, on: placed)
            } else {
                object.placed = object.row.keepingTransients(placed)
            }
            reads.updateCache(object.entityDescription, placed, readAt: commit)
        }
        for end in ends.changed(from: former, to: ends.shownKeys(of: object)) {
            context.noteOtherLinks(end)
        }
        divergentLists.forget(otherBecauseOf: object)
    }
}

/// Resets a context: it forgets everything.
struct Reset: ContextAccess {
    let context: ManagedObjectContext

    func run() {
        activity.isResetting = true
        for object in knownObjects where object.record != nil { object.willTurnIntoFault() }
        activity.isResetting = false
        // Objects that the hooks have fetched are forgotten with the rest.
        let all = knownObjects
        let unsaved = changes.inserted.filter { $0.lifecycle == .inserted }
        registry.removeAll()
        let faulted = all.filter { $0.record != nil }
        let extras = all.compactMap { object in object.extras.map { (object, $0) } }
        for object in all {
            object.row.becomeClean(nil)
            object.lifecycle = .discarded
            object.flags = .isForgotten
            object.extras = nil
        }
        let lists = changes.reset() + [merges.reset()]
        // Releasing an object, or its values, may use the context: nothing is released before the
        // context is empty.
        defer { withExtendedLifetime((all, extras, lists)) {} }
        family.forgetVersions()
        errors.reset()
        context.keys.forgetErrors()
        reads.advanceQueryGeneration()
        context.undoManager?.removeAllActions()
        for (object, extras) in extras { extras.observation?.changeAll(of: object) }
        for object in faulted { object.didTurnIntoFault() }
        family.notify([], of: unsaved, isComplete: false)
        observers.notifyOfReset()
    }

    /// All objects that a reset forgets, in the order of their keys.
    private var knownObjects: [ManagedObject] {
        var all: [ManagedObject] = []
        registry.forEach { all.append($0) }
        // Inserted objects that were deleted may not be in the map any more, but may still be in
        // the list of changed objects.
        all += changes.noted.filter { object in
            object.lifecycle == .discarded && registry[RowIdentity(object)] !== object
        }
        return all
    }
}

extension ManagedObject {
    /// Whether there is anything that a refresh with merging must keep.
    fileprivate final var keepsSomethingWhenRefreshed: Bool {
        lifecycle == .updated || (entityDescription.hasTransients && record != nil)
    }
}
