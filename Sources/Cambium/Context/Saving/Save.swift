import CambiumRecords

extension ManagedObjectContext {
    /// Writes all changes to the store in one transaction; those of a child become unsaved changes
    /// of its ``parent``.
    ///
    /// The changes are validated first; `willSave()` of each object may change more, which is
    /// validated too. Conflicts with what other contexts saved meanwhile are resolved by
    /// ``mergePolicy``. Other contexts of the container hear of the save; of a child's save, its
    /// parent and the parent's other children.
    ///
    /// With ``MergePolicy/error`` no change of another context or process is overwritten that this
    /// context has not seen, and what was given to ``detectConflicts(for:)`` is unchanged when the save
    /// commits. Objects that were only read may have changed: two saves that each rest on what the
    /// other one writes can both succeed (write skew). See <doc:Reliability>.
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
        if state.transaction != nil {
            throw StoreError.invalidRequest(
                "save() was called in the closure of performTransaction(isolation:_:).",
                remedy: "Leave it out: the changes are saved when the closure ends.")
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
    /// When a save with ``MergePolicy/error`` commits, the object is as this context has seen it: it
    /// is compared in the transaction of the save, and nobody can change it before the commit. That is
    /// so of the object alone, and not of a condition that finds it: see
    /// ``PersistentContainer/performTransaction(isolation:_:)`` for that.
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

/// A save: settles the changes, writes them to the stores or to the parent, and notifies of it.
struct Save: ContextAccess {
    let context: ManagedObjectContext

    func run() throws {
        if let notice = try write() { try finish(notice) }
    }

    /// Settles the changes, and writes them.
    ///
    /// - Returns: Who is to be notified of what; nil where there was nothing to save.
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

    /// Notifies of what was written.
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

    /// - Throws: What could not be read since the last time that it was tried, or what has left a new
    ///   object without a key.
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
        // What was changed there before is an event of its own.
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
            // A hook may have met it in a child context and gone on.
            if let error = family.endlessInsertions { throw error }
            // A hook that fetches has processed what it changed before. Of those whose rows were
            // found missing there is nothing to be saved.
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

    /// How many rounds may insert objects one after the other, each any number: hooks that insert
    /// one for each object would double their number with every round.
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

    /// Reads the row of an object of which nothing is changed but links. Where it was deleted, there
    /// is nothing of it to be saved.
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

    /// Which of the links that were to be saved reference objects that were deleted. Asked after the
    /// store has refused them, since it names none.
    private func danglingReferences() throws -> [ValidationError] {
        typealias Link = (object: ManagedObject, relationship: RelationshipDescription, key: Int64)
        var links = [Int: [Link]]()
        for object in changes.inserted + changes.updated where object.isThere {
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
                let isThere = new.contains(id) || present.contains(link.key)
                guard !isThere || leaving.contains(id) else { continue }
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
