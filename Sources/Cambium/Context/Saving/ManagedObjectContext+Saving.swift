extension ManagedObjectContext {
    /// Writes all changes to the store in one transaction; those of a child become unsaved changes
    /// of its ``parent``.
    ///
    /// The changes are validated first; `willSave()` of each object may change more, which is
    /// validated too. Conflicts with what other contexts saved meanwhile are resolved by
    /// ``mergePolicy``. Other contexts of the container hear of the save; of a child's save, its
    /// parent and the parent's other children.
    ///
    /// What could not be read before, for a getter, a setter or a delete rule, is read again first:
    /// the save throws what the store throws, as often as it is called, until it was read or the
    /// changes that need it were taken back.
    ///
    /// - Throws: ``ValidationError`` or ``ValidationErrors``, ``ConflictError``,
    ///   ``ConstraintConflictError``, ``StoreError``, or what the store threw; for a child, the
    ///   last of these with `missingRow` where the parent has deleted what was changed here. After
    ///   an error nothing is written, and the context is as it was. The exception is
    ///   ``IncompleteSaveError``, with several stores: it names those that have committed before
    ///   another one failed to. Their objects are saved, which everybody has been told; the others
    ///   are still changed.
    ///
    /// Hooks, validations and observers of the coming save cannot save the context themselves: that
    /// throws ``StoreError`` with `invalidRequest`. ``ManagedObject/didSave()`` and observers of
    /// what was saved can.
    public func save() throws {
        guard !activity.isSaving else {
            throw StoreError.invalidRequest(
                "save() was called while the context saves: in willSave(), a validation "
                    + "or an observer of it.",
                remedy: "Only change objects there; the running save writes them.")
        }
        try Save(context: self).run()
    }

    /// What is wrong with an object as it is now; empty where it may be saved.
    public func validationErrors(of object: ManagedObject) -> [ValidationError] {
        state.validationErrors(of: object)
    }

    /// Drops all unsaved changes: new objects vanish, changed and deleted ones are again as they
    /// were last read or saved. What could be undone and redone is forgotten.
    ///
    /// What a child has saved into this context is dropped, too. Children keep their own unsaved
    /// changes; a save of one fails that changes an object which is gone by the rollback.
    public func rollback() {
        Rollback(context: self).run()
    }

    /// - Throws: ``StoreError`` where the context, or one that its changes would go through, is for
    ///   reading only.
    func requireWritable() throws {
        guard isReadOnly else {
            try parent?.requireWritable()
            return
        }
        throw StoreError(
            code: .readOnly,
            message:
                "The context\(name.map { " \($0)" } ?? "") is for reading only.",
            remedy: "Change and save in another one, such as that of performBackgroundTask(_:).")
    }

    /// Lets an unchanged object take part in the conflict detection of the next save: for when what
    /// is saved rests on what this object says.
    ///
    /// The save fails, or resolves the conflict by ``mergePolicy``, if somebody else has changed or
    /// deleted the object meanwhile. It holds for the next save that succeeds. What the context
    /// has merged since, at the end of an event (``automaticallyMergesChangesFromParent``) or by
    /// ``mergePending()``, is no conflict any more. The save of a child hands it on to the
    /// ``parent``.
    ///
    /// ```swift
    /// order.total = price.amount * 3
    /// context.detectConflicts(for: price)
    /// try context.save()      // fails if the price is another one now
    /// ```
    ///
    /// - Parameter object: An object of this context. The row of a fault is read.
    public func detectConflicts(for object: ManagedObject) {
        guard object.state === state else { return errors.recordOtherContext(object) }
        if object.isFault { faulting.fire(object) }
        let object = object.orReplacement
        guard object.lifecycle == .clean || object.lifecycle == .updated,
            !changes.isLocked(object)
        else { return }
        object.ownExtras.lastEvent = activity.event
        changes.locked.append(object)
    }
}

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
            // Who did not merge what other contexts saved meanwhile is read again.
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
        deferredMerges.merge()
        for object in restored { divergentLists.forget(otherBecauseOf: object) }
        merges.divergentLists = [:]
        activity.awaken(restored.filter { $0.lifecycle == .clean }, from: .rollback)
        family.notify([], of: changes.noted)
        context.processPendingChanges()
        context.undoManager?.removeAllActions()
        context.checkInvariants()
    }
}
