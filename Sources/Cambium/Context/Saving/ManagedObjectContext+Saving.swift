import CambiumRecords

extension ManagedObjectContext {
    /// Writes all changes to the store in one transaction; those of a child become unsaved changes
    /// of its ``parent``.
    ///
    /// The changes are validated first; `willSave()` of each object may change more, which is
    /// validated too. Conflicts with what others saved meanwhile are resolved by ``mergePolicy``.
    /// Other contexts of the container hear of the save; of a child's save, its parent and the
    /// parent's other children.
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
        guard !isSaving else {
            throw StoreError(
                code: .invalidRequest,
                message: "save() was called while the context saves: in willSave(), a validation "
                    + "or an observer of it.",
                remedy: "Only change objects there; the running save writes them.")
        }
        mergeIfAutomatic()
        catchUp()
        try takeRowsOfReborn()
        try loseWhatParentDeleted()
        try readFailed()
        propagateRefusedDeletes()
        processChanges(propagatesDeletes: true)
        if hasChanges { try requireWritable() }
        try requireReads()
        if hasChanges || !locked.isEmpty {
            isSaving = true
            defer {
                isSaving = false
                processedInRound = []
            }
            post(.willSave, ())
            try settle()
        }
        try requireReads()
        if !recordedErrors.isEmpty {
            let errors = recordedErrors
            recordedErrors = []
            let validation = errors.compactMap { $0 as? ValidationError }
            throw validation.count == errors.count
                ? ValidationErrors.combined(validation) : errors[0]
        }
        guard hasChanges || !locked.isEmpty else {
            if parent == nil, !isReadOnly { try coordinator.saveWithoutChanges() }
            return
        }
        let news = try parent.map(save) ?? saveToStores()
        if news.failure == nil { forgetMissed() }
        refusedDeletions = []
        forgetLeftLists()
        if parent == nil { noteVersions(of: news.changeSets) }
        advanceQueryGeneration()
        tellChildren(news.changeSets, of: noted)
        news.tell(undoManager)
        awaken(news.resolved, from: .mergePolicy)
        for list in news.saved {
            list.forEachUncounted { object in
                if object.lifecycle != .gone || object.standIn === object { object.didSave() }
            }
        }
        news.tell(self)
        processPendingChanges()
        sweepIfGrown()
        if let failure = news.failure { throw failure }
    }

    /// - Throws: What could not be read since the last time that it was tried, or what has left a new
    ///   object without a key.
    private func requireReads() throws {
        if let error = failedReads.firstError { throw error }
        if failedKeys.isEmpty { return }
        for object in inserted where object.lifecycle == .inserted {
            if let error = failedKeys[RowIdentity(object)] { throw error }
        }
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

    private func saveToStores() throws -> SaveNews {
        var builder = SaveRequestBuilder(context: self)
        let request = builder.build()
        let arbiter = PolicyArbiter(policy: mergePolicy, context: self)
        try arbiter.checkRowCache(for: request)
        var news = SaveNews(of: self)
        do {
            try coordinator.save(request, arbiter: arbiter) { outcome, scope in
                var adoption = SaveAdoption(
                    context: self, written: scope.objects(among: builder.written))
                adoption.adopt(outcome, in: scope)
                news.add(adoption)
            }
        } catch let failure as IncompleteSaveError {
            noteRefusedDeletions(of: failure.underlying)
            news.add(failure, pending: inserted + updated + deleted)
        } catch let error as ConflictError {
            noteRefusedDeletions(of: error)
            throw error
        } catch let error as ValidationError where error.isOfUnknownLink {
            let errors = (try? linksThatLeadNowhere()) ?? []
            throw errors.isEmpty ? error : ValidationErrors.combined(errors)
        }
        return news
    }

    /// The delete rules of these objects are followed once more at the next save.
    private func noteRefusedDeletions(of error: any Error) {
        guard let conflict = error as? ConflictError else { return }
        refusedDeletions += conflict.refusedDeletions.compactMap { objects[$0.root].map[$0.key] }
    }

    private func save(to parent: ManagedObjectContext) throws -> SaveNews {
        // What was changed there before is an event of its own.
        parent.processPendingChanges()
        let save = try ParentSave(of: self, to: parent)
        var news = SaveNews(of: self)
        let changeSets = save.changeSets
        save.apply()
        news.add(changeSets, resolved: save.adopt())
        parent.tellChildren(changeSets, except: self)
        parent.processPendingChanges()
        return news
    }

    /// Processes, validates and calls `willSave` until nothing changes any more. Setting a property
    /// to the value that it has is no change here, so that a hook may do so every time.
    private func settle() throws {
        let family = root
        guard family.savesUnderWay < Self.insertingRounds else {
            throw endlessInsertions("each in a child context that the one before saves")
        }
        family.savesUnderWay += 1
        defer {
            family.savesUnderWay -= 1
            if family.savesUnderWay == 0 { family.endlessInsertions = nil }
        }
        var seen: [RowIdentity: Int] = [:]
        var insertingRounds = 0
        for _ in 0..<100 {
            let former = insertionCount
            processChanges(propagatesDeletes: true)
            processedInRound = []
            try validate()
            inserted.forEachUncounted { $0.willSave() }
            updated.forEachUncounted { $0.willSave() }
            deleted.forEachUncounted { $0.willSave() }
            insertingRounds = insertionCount == former ? 0 : insertingRounds + 1
            guard insertingRounds < Self.insertingRounds else {
                throw endlessInsertions("one after the other")
            }
            // A hook may have met it in a child context and gone on.
            if let error = family.endlessInsertions { throw error }
            // A hook that fetches has processed what it changed before. Of those whose rows were
            // found missing there is nothing to be saved.
            let touched = Dictionary(
                (processedInRound + noted).filter { $0.lifecycle != .gone }
                    .map { (RowIdentity($0), $0.contentHash) }, uniquingKeysWith: { $1 })
            let isSettled = touched.allSatisfy { seen[$0.key] == $0.value }
            if isSettled, unpropagated.isEmpty { return processChanges(propagatesDeletes: true) }
            seen.merge(touched) { $1 }
        }
        let names = (processedInRound + noted).prefix(5).map { "\($0)" }.joined(separator: ", ")
        throw StoreError(
            code: .unsettled,
            message: "After 100 rounds willSave() and validation still change objects: \(names).",
            remedy: "Change a value in willSave() only if it differs.")
    }

    /// How many rounds may insert objects one after the other, each any number: hooks that insert
    /// one for each object would double their number with every round.
    private static let insertingRounds = 10

    private func endlessInsertions(_ manner: String) -> StoreError {
        let name = inserted.last?.entityDescription.name ?? "another context"
        let error = StoreError(
            code: .unsettled,
            message: "\(Self.insertingRounds) rounds of willSave() and validation have inserted "
                + "objects, \(manner); the last one is of \(name).",
            remedy: "Insert an object there only if it is missing.")
        root.endlessInsertions = error
        return error
    }

    /// Reads the row of an object of which nothing is changed but links. Where it was deleted, there
    /// is nothing of it to be saved.
    private func findsRow(of object: ManagedObject) -> Bool {
        loadOrNote([object])
        if object.record != nil || followForward(of: object) { return true }
        if !failedReads.concerns(RowIdentity(object)) { settleWithoutRow(object) }
        return false
    }

    private func validate() throws {
        var errors: [ValidationError] = []
        inserted.forEachUncounted { object in
            guard object.lifecycle == .inserted else { return }
            do { try object.validateForInsert() } catch {
                errors += object.validationErrors(in: error)
            }
        }
        updated.forEachUncounted { object in
            guard object.lifecycle == .updated, object.record != nil || findsRow(of: object)
            else { return }
            do { try object.validateForUpdate() } catch {
                errors += object.validationErrors(in: error)
            }
        }
        deleted.forEachUncounted { object in
            guard object.lifecycle == .deleted else { return }
            do { try object.validateForDelete() } catch {
                errors += object.validationErrors(in: error)
            }
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
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
        unpropagated = []
        refusedDeletions = []
        recordedErrors = []
        failedReads = FailedReads()
        failedKeys = [:]
        // Also those that were deleted again in this event.
        for object in inserted where object.isInserted || object.lifecycle == .discarded {
            if object.isInserted { object.dropTransientLinks() }
            object.lifecycle = .discarded
            forget(object)
            noteForEvent(object)
        }
        var restored: [ManagedObject] = []
        for object in updated + deleted
        where object.lifecycle == .updated || object.lifecycle == .deleted {
            restored.append(object)
            // Who did not take over what others saved meanwhile is read again.
            let isOutdated = object.lifecycle == .deleted || object.extras?.missed == .change
            object.forgetMissedChange()
            object.becomeClean(isOutdated ? nil : object.extras?.snapshot ?? object.placed)
            noteForEvent(object)
            if object.extras?.hasRelationshipChanges == true {
                object.flags.insert(.hasOtherLinks)
            }
        }
        // What was read of the links took the changes into account, also where none was noted.
        for root in objects { root.map.forEach { $0.extras?.links = [:] } }
        locked = []
        // Who came in this event was never told of.
        revivedInEvent += inserted.dropFirst(insertedBeforeEvent)
        emptyLists()
        catchUp()
        for object in restored { forgetLists(otherBecauseOf: object) }
        leftLists = [:]
        awaken(restored.filter { $0.lifecycle == .clean }, from: .rollback)
        tellChildren([], of: noted)
        processPendingChanges()
        undoManager?.removeAllActions()
    }
}
