/// Drops all unsaved changes of a context.
struct Rollback: ContextAccess {
    let context: ManagedObjectContext

    func run() {
        changes.unpropagated = []
        changes.refusedDeletions = []
        errors.reset()
        context.keys.forgetErrors()
        // Also those that were deleted again in this event.
        for object in changes.inserted where object.isInserted || object.lifecycle == .discarded {
            if object.isInserted { object.transients.drop() }
            object.lifecycle = .discarded
            context.forget(object)
            context.noteForEvent(object)
        }
        var restored: [ManagedObject] = []
        for object in changes.updated + changes.deleted
        where object.lifecycle == .updated || object.lifecycle == .deleted {
            restored.append(object)
            // Who did not merge what others saved meanwhile is read again.
            let isOutdated = object.lifecycle == .deleted || object.extras?.deferred == .change
            object.row.forgetDeferredChange()
            object.row.becomeClean(isOutdated ? nil : object.extras?.snapshot ?? object.placed)
            context.noteForEvent(object)
            if object.extras?.hasRelationshipChanges == true {
                object.flags.insert(.hasOtherLinks)
            }
        }
        // What was read of the links took the changes into account, also where none was noted.
        registry.forEach { $0.extras?.links = [:] }
        changes.locked = []
        // Of who came in this event nobody was notified.
        changes.revivedInEvent = changes.insertedInEvent
        changes.removeAll()
        deferredMerges.catchUp()
        for object in restored { divergentLists.forget(otherBecauseOf: object) }
        merges.divergentLists = [:]
        activity.awaken(restored.filter { $0.lifecycle == .clean }, from: .rollback)
        family.notify([], of: changes.noted)
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        context.checkInvariants()
    }
}
