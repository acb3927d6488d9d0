import CambiumRecords

extension ManagedObjectContext {
    /// Writes all changes to the store in one transaction. Changes of a child become unsaved
    /// changes of its ``parent``.
    ///
    /// The changes are validated first. `willSave()` of each object may make more changes, and
    /// these are validated too. Conflicts with the saves of other contexts are resolved by
    /// ``mergePolicy``. The other contexts of the container are notified of the save. After a
    /// child's save, its parent and the parent's other children are notified.
    ///
    /// With ``MergePolicy/error``, a save overwrites no change of another context or process that
    /// this context has not seen, and objects that were passed to ``detectConflicts(for:)`` are
    /// unchanged when the save commits. Objects that were only read may have changed: two saves
    /// that each depend on rows that the other one writes can both succeed (write skew). See
    /// <doc:Reliability>.
    ///
    /// If an earlier read failed, for a getter, a setter or a delete rule, it is tried again first.
    /// The save throws the store's error every time, until the read succeeds or the changes that
    /// need it were reverted.
    ///
    /// - Throws: ``ValidationError`` or ``ValidationErrors``, ``ConflictError``,
    ///   ``ConstraintConflictError``, ``StoreError``, or any error of the store. In a child,
    ///   ``StoreError`` with `missingRow` if the parent has deleted an object that was changed
    ///   here. After an error nothing is written, and the context is unchanged. The exception is
    ///   ``IncompleteSaveError``, with several stores: it names the stores that committed before
    ///   another one failed. The objects of these stores are saved, and notifications of them were
    ///   posted; the others are still changed.
    ///
    /// Hooks, validations and observers that run during the save cannot save the context
    /// themselves: this throws ``StoreError`` with `invalidRequest`. ``ManagedObject/didSave()``
    /// and observers of the completed save can.
    public func save() throws {
        guard !activity.isSaving else {
            throw StoreError.invalidRequest(
                "save() was called while the context saves: in willSave(), a validation "
                    + "or an observer of it.",
                remedy: "Only change objects there; the running save writes them.")
        }
        if state.transaction != nil {
            throw StoreError.invalidRequest(
                "save() was called in the closure of performTransaction(isolation:_:).",
                remedy: "Leave it out: the changes are saved when the closure ends.")
        }
        try Save(context: self).run()
    }

    /// Returns the validation errors of an object as it is now; empty if it may be saved.
    public func validationErrors(of object: ManagedObject) -> [ValidationError] {
        state.validationErrors(of: object)
    }

    /// Discards all unsaved changes: new objects are removed, changed and deleted ones are again as
    /// they were last read or saved. All undo and redo groups are removed.
    ///
    /// Changes that a child has saved into this context are discarded, too. Children keep their own
    /// unsaved changes. If a child has changed an object that the rollback removed, its save fails.
    public func rollback() {
        Rollback(context: self).run()
    }

    /// - Throws: ``StoreError`` if the context or one of its ancestors is read-only.
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

    /// Includes an unchanged object in the conflict detection of the next save. Use it if the saved
    /// changes depend on the values of this object.
    ///
    /// If another context or process has changed or deleted the object meanwhile, the save fails or
    /// resolves the conflict by ``mergePolicy``. This applies to the next save that succeeds.
    /// Changes that the context has merged since, at the end of an event
    /// (``automaticallyMergesChangesFromParent``) or by ``mergePending()``, are no conflict any
    /// more. The save of a child passes the object on to the ``parent``.
    ///
    /// When a save with ``MergePolicy/error`` commits, the object is unchanged since this context
    /// read it. The save compares it in its transaction, and no other transaction can change it
    /// before the commit. This is true of the object alone, not of a condition that finds it: see
    /// ``PersistentContainer/performTransaction(isolation:_:)`` for that.
    ///
    /// ```swift
    /// order.total = price.amount * 3
    /// context.detectConflicts(for: price)
    /// try context.save()      // fails if the price is another one now
    /// ```
    ///
    /// - Parameter object: An object of this context. If it is a fault, its row is read.
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

/// Discards all unsaved changes of a context.
struct Rollback: ContextAccess {
    let context: ManagedObjectContext

    func run() {
        changes.unpropagated = []
        changes.refusedDeletions = []
        errors.reset()
        context.keys.forgetErrors()
        // Including new objects that were deleted again in this event.
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
            // Objects that did not merge the saves of other contexts are read again.
            let isOutdated = object.lifecycle == .deleted || object.extras?.deferred == .change
            object.row.forgetDeferredChange()
            object.row.becomeClean(isOutdated ? nil : object.extras?.snapshot ?? object.placed)
            context.noteForEvent(object)
            if object.extras?.hasRelationshipChanges == true {
                object.flags.insert(.hasOtherLinks)
            }
        }
        // All links that were read include the changes, even if an object has recorded no change.
        registry.forEach { $0.extras?.links = [:] }
        changes.locked = []
        // Observers were not notified of objects that were created in this event.
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

/// A save: settles the changes, writes them to the stores or to the parent, and notifies of it.
struct Save: ContextAccess {
    let context: ManagedObjectContext

    func run() throws {
        if let notice = try write() { try finish(notice) }
    }

    /// Settles the changes, and writes them.
    ///
    /// - Returns: The notifications of the save; nil if there was nothing to save.
    func write() throws -> SaveNotice? {
        context.mergeIfAutomatic()
        deferredMerges.merge()
        try deferredMerges.takeReinsertedRows()
        try DeletionsAbove(context: context).merge()
        try faulting.readFailed()
        deleteRules.propagateRefused()
        context.processChanges(propagatesDeletes: true)
        if !changes.isEmpty { try context.requireWritable() }
        try requireReads()
        if hasSomethingToSave {
            activity.isSaving = true
            defer {
                activity.isSaving = false
                changes.processedInRound = []
            }
            observers.post(.willSave, ())
            try settle()
        }
        try requireReads()
        try errors.throwRecorded()
        guard hasSomethingToSave else {
            if parent == nil, !context.isReadOnly, state.transaction == nil {
                try coordinator.saveWithoutChanges()
            }
            return nil
        }
        return try parent.map(save) ?? saveToStores()
    }

    /// Notifies of the written changes.
    func finish(_ notice: SaveNotice) throws {
        if notice.failure == nil { merges.forgetDeferred() }
        changes.refusedDeletions = []
        divergentLists.forgetAll()
        if parent == nil { family.noteVersions(of: notice.changeSets, in: registry) }
        reads.advanceQueryGeneration()
        family.notify(notice.changeSets, of: changes.noted)
        notice.notify(context.undoManager)
        activity.awaken(notice.resolved, from: .mergePolicy)
        for list in notice.saved {
            list.forEachUncounted { object in
                if object.lifecycle != .invalid || object.orReplacement === object {
                    object.didSave()
                }
            }
        }
        notice.notify(observers)
        context.processPendingChanges()
        context.sweepIfGrown()
        context.checkInvariants()
        if let failure = notice.failure { throw failure }
    }

    private var hasSomethingToSave: Bool { !changes.isEmpty || !changes.locked.isEmpty }

    /// - Throws: The error of a read that has failed since the last try, or the error that has left
    ///   a new object without a key.
    private func requireReads() throws {
        if let error = errors.failedReads.firstError { throw error }
        if context.keys.errors.isEmpty { return }
        for object in changes.inserted where object.lifecycle == .inserted {
            if let error = context.keys.errors[RowIdentity(object)] { throw error }
        }
    }

    private func saveToStores() throws -> SaveNotice {
        var builder = SaveRequestBuilder(context: context)
        let request = builder.build()
        let arbiter = PolicyArbiter(policy: context.mergePolicy, context: context)
        try arbiter.checkRowCache(for: request)
        var notice = SaveNotice(of: context)
        do {
            try coordinator.save(request, arbiter: arbiter, in: state.transaction) {
                outcome, scope in
                var completion = SaveCompletion(
                    context: context, written: scope.objects(among: builder.written))
                completion.apply(outcome, in: scope)
                notice.add(completion)
            }
        } catch let failure as IncompleteSaveError {
            noteRefusedDeletions(of: failure.underlying)
            notice.add(failure, pending: changes.inserted + changes.updated + changes.deleted)
        } catch let error as ConflictError {
            noteRefusedDeletions(of: error)
            throw error
        } catch let error as ValidationError where error.isOfUnknownLink {
            let errors = (try? danglingReferences()) ?? []
            throw errors.isEmpty ? error : ValidationErrors.combined(errors)
        }
        return notice
    }

    /// The delete rules of these objects are followed once more at the next save.
    private func noteRefusedDeletions(of error: any Error) {
        guard let conflict = error as? ConflictError else { return }
        changes.refusedDeletions += conflict.refusedDeletions.compactMap { registry[$0] }
    }

    private func save(to parent: ManagedObjectContext) throws -> SaveNotice {
        // Earlier changes of the parent are an event of their own.
        parent.processPendingChanges()
        let save = try ParentSave(of: context, to: parent)
        var notice = SaveNotice(of: context)
        let changeSets = save.changeSets
        save.apply()
        notice.add(changeSets, resolved: save.updateChild())
        parent.family.notify(changeSets, except: context)
        parent.processPendingChanges()
        return notice
    }

    /// Processes, validates and calls `willSave` until nothing changes any more. Setting a property
    /// to the value that it has is no change here, so that a hook may do so every time.
    private func settle() throws {
        let family = context.root.family
        let settled: Void? = try family.whileSaving(atMost: Self.insertingRounds) {
            try settleChanges(family)
        }
        if settled == nil {
            throw endlessInsertions("each in a child context that the one before saves")
        }
    }

    private func settleChanges(_ family: FamilyLink) throws {
        var seen = [RowIdentity: Int]()
        var insertingRounds = 0
        for _ in 0..<100 {
            let former = changes.insertionCount
            context.processChanges(propagatesDeletes: true)
            changes.processedInRound = []
            try validate()
            changes.inserted.forEachUncounted { $0.willSave() }
            changes.updated.forEachUncounted { $0.willSave() }
            changes.deleted.forEachUncounted { $0.willSave() }
            insertingRounds = changes.insertionCount == former ? 0 : insertingRounds + 1
            guard insertingRounds < Self.insertingRounds else {
                throw endlessInsertions("one after the other")
            }
            // A hook may have caught the error in a child context.
            if let error = family.endlessInsertions { throw error }
            // If a hook fetches, its earlier changes are processed already. Objects that turned out
            // to have no row have nothing to be saved.
            let touched = Dictionary(
                (changes.processedInRound + changes.noted).filter { $0.lifecycle != .invalid }
                    .map { (RowIdentity($0), $0.contentHash) }, uniquingKeysWith: { $1 })
            let isSettled = touched.allSatisfy { seen[$0.key] == $0.value }
            if isSettled, changes.unpropagated.isEmpty {
                return context.processChanges(propagatesDeletes: true)
            }
            seen.merge(touched) { $1 }
        }
        let names = (changes.processedInRound + changes.noted).prefix(5).map { "\($0)" }.joined(
            separator: ", ")
        throw StoreError(
            code: .unsettled,
            message: "After 100 rounds willSave() and validation still change objects: \(names).",
            remedy: "Change a value in willSave() only if it differs.")
    }

    /// The greatest number of consecutive rounds that insert objects, in any number: hooks that
    /// insert one for each object would double their number with every round.
    private static let insertingRounds = 10

    private func endlessInsertions(_ manner: String) -> StoreError {
        let name = changes.inserted.last?.entityDescription.name ?? "another context"
        let error = StoreError(
            code: .unsettled,
            message: "\(Self.insertingRounds) rounds of willSave() and validation have inserted "
                + "objects, \(manner); the last one is of \(name).",
            remedy: "Insert an object there only if it is missing.")
        context.root.family.endlessInsertions = error
        return error
    }

    /// Reads the row of an object that has changes of links only. If the row was deleted, there is
    /// nothing of it to be saved.
    private func findsRow(of object: ManagedObject) -> Bool {
        faulting.loadOrNote([object])
        if object.record != nil || replacements.followParent(object) { return true }
        if !errors.failedReads.concerns(RowIdentity(object)) { faulting.settleWithoutRow(object) }
        return false
    }

    private func validate() throws {
        var errors: [ValidationError] = []
        changes.inserted.forEachUncounted { object in
            guard object.lifecycle == .inserted else { return }
            do { try object.validateForInsert() } catch {
                errors += object.validation.validationErrors(in: error)
            }
        }
        changes.updated.forEachUncounted { object in
            guard object.lifecycle == .updated, object.record != nil || findsRow(of: object)
            else { return }
            do { try object.validateForUpdate() } catch {
                errors += object.validation.validationErrors(in: error)
            }
        }
        changes.deleted.forEachUncounted { object in
            guard object.lifecycle == .deleted else { return }
            do { try object.validateForDelete() } catch {
                errors += object.validation.validationErrors(in: error)
            }
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// Returns errors for the links of the save that reference deleted objects. It is called after
    /// the store has rejected them, because the store does not name them.
    private func danglingReferences() throws -> [ValidationError] {
        typealias Link = (object: ManagedObject, relationship: RelationshipDescription, key: Int64)
        var links = [Int: [Link]]()
        for object in changes.inserted + changes.updated where object.exists {
            for relationship in object.entityDescription.relationships {
                let root = coordinator.model.entities[relationship.destination].rootIndex
                links[root, default: []] += changedDestinations(of: object, relationship)
                    .map { (object, relationship, $0) }
            }
        }
        let new = Set(changes.inserted.filter { $0.lifecycle == .inserted }.map { RowIdentity($0) })
        let leaving = Set(
            changes.deleted.filter { $0.lifecycle == .deleted }.map { RowIdentity($0) })
        var errors: [ValidationError] = []
        for (root, links) in links.ordered(by: { $0.key < $1.key }) {
            let entity = coordinator.model.entities[root]
            var present: Set<Int64> = []
            let keys = Set(links.map { $0.key }).sorted()
            let request = RowRequest(entity: entity, selection: .keys(keys))
            try reads.store(of: entity).fetch(request) { row in
                present.insert(row.key)
            }
            for link in links {
                let id = RowIdentity(root: root, key: link.key)
                let exists = new.contains(id) || present.contains(link.key)
                guard !exists || leaving.contains(id) else { continue }
                let name = link.relationship.relationship.name
                errors.append(
                    ValidationError(
                        code: .missing, entityName: link.object.entityDescription.name,
                        objectID: link.object.objectID, property: name,
                        message: "\(name) references \(entity.name)/\(link.key), which is deleted. "
                            + "Set it to another object, or to nil."))
            }
        }
        return errors
    }

    /// The keys that the next save writes for a relationship.
    private func changedDestinations(
        of object: ManagedObject, _ relationship: RelationshipDescription
    ) -> [Int64] {
        if let slot = relationship.slot {
            guard let record = object.record, record.hasValue(slot),
                object.lifecycle == .inserted || object.extras?.changedSlots.contains(slot) == true
            else { return [] }
            return [record.integer(slot)]
        }
        guard relationship.isJoinTable, let links = object.extras?.links[relationship.ordinal]
        else { return [] }
        return links.added.keys.sorted()
    }
}
