import CambiumRecords

/// Merges the saves of other contexts into a context.
struct Merge: ContextAccess {
    let context: ManagedObjectContext

    /// Merges the saves of other contexts, and the changes of a batch operation of this context, in
    /// the order of the commits.
    ///
    /// - Parameter deferral: The objects that stay unchanged, so that the save detects the
    ///   conflict.
    func pending(with own: ChangeSet? = nil, deferring deferral: MergeDeferral = .nothing) {
        merges.deferring(deferral) { mergeMail(with: own) }
    }

    private func mergeMail(with own: ChangeSet?) {
        parent?.mergeIfAutomatic()
        let (changeSets, isComplete) = merges.takeMail(with: own)
        let hasDeferred =
            merges.deferral == .nothing
            ? !merges.deferred.isEmpty
            : merges.deferral == .deletions && merges.hasDeferredChanges
        guard !changeSets.isEmpty || !isComplete || hasDeferred else { return }
        context.processChanges()
        reads.advanceQueryGeneration()
        if !isComplete { context.refreshAllObjects() }
        merges.noteAllMerged(changeSets)
        merge(changeSets, isComplete: isComplete)
        merges.forgetFormerRows()
    }

    /// Merges the changes of other contexts.
    ///
    /// - Parameter readsAgain: Whether the rows of objects that have their values are read at once
    ///   if the change sets do not contain them.
    func merge(_ changeSets: [ChangeSet], readsAgain: Bool = false) {
        context.processChanges()
        reads.advanceQueryGeneration()
        // Changes in another context's memory are not visible from here.
        let visible = changeSets.filter { $0.holder == nil || $0.holder == parent?.identifier }
        merge(
            parent == nil ? visible : visible.map { $0.withoutRows }, isComplete: true,
            readsAgain: readsAgain)
    }

    /// Merges the changes of a batch operation of this context, or of a child. If they contradict
    /// unsaved changes, the save reports the conflict: the operation did not ask for a merge.
    func own(_ changeSet: ChangeSet) {
        if changeSet.isEmpty || context.automaticallyMergesChangesFromParent {
            return changeSet.isEmpty
                ? pending(deferring: .conflicts)
                : pending(with: changeSet, deferring: .conflictsOfEvent)
        }
        merges.noteOwn(changeSet)
        merges.deferring(.conflicts) { merge([changeSet]) }
    }

    /// Merges the saves of other contexts between two events, as Core Data does, except for
    /// deletions of objects with unsaved changes.
    func betweenEvents() {
        guard context.automaticallyMergesChangesFromParent,
            parent != nil || !merges.mailbox.hasNothing || merges.hasDeferredChanges
        else { return }
        pending(deferring: .deletions)
    }

    /// Merges several saves in their order, and notifies observers once.
    private func merge(_ changeSets: [ChangeSet], isComplete: Bool, readsAgain: Bool = false) {
        var merged = ObjectChanges()
        merged.isComplete = isComplete
        let changed = rowMerging.withoutUndoing { mergeAll(changeSets, &merged) }
        // Observers of objects look at them.
        if readsAgain || observers.wantsMerges {
            faulting.loadOrNote(
                merged.emptied.filter { $0.lifecycle == .clean && $0.record == nil })
        }
        if state.notesReads { merged.notifyObjects() }
        family.notify(changeSets.map(merges.current), of: changed, isComplete: isComplete)
        observers.notifyFollowers(merged)
        notifyObservers(merged, changeSets)
        // Links to objects that other contexts have deleted were cleared. This is a change of this
        // context.
        if !changed.isEmpty { context.processChanges() }
    }

    /// Notifies observers of the merged changes.
    private func notifyObservers(_ merged: ObjectChanges, _ changeSets: [ChangeSet]) {
        if observers.wantsChanges {
            observers.post(ObjectsDidChange(merged: merged, into: context))
        }
        observers.post(
            .didMergeChangesObjectIDs,
            ChangedObjectIDs(changeSets, refreshed: merged.refreshedObjects.map { $0.objectID }))
    }

    private func mergeAll(_ changeSets: [ChangeSet], _ merged: inout ObjectChanges) {
        var unregistered = UnregisteredRows()
        let caughtUp = deferredMerges.takeDue()
        var outdated = caughtUp
        let deferral = merges.deferral
        var isOwn = false
        var bringsReinsertedRows = false
        // The keys of deleted rows, by the number of the entity.
        var gone = [Int: [Int64]]()
        let farEnds = FarEndsByEntity(in: context)
        replacements.followParent()
        for changeSet in changeSets where coordinator.hasStore(changeSet.store) {
            let commit = parent == nil ? changeSet.number : merges.startMerge()
            let isOutdated = parent == nil && commit < merges.latestMerged
            // Changes of a batch operation of this context, in any event.
            let isOwnChange = deferral.hasConflicts && changeSet.origin == context.identifier
            merges.deferral = isOwnChange ? .conflicts : deferral
            isOwn = isOwn || isOwnChange
            for entity in (isOutdated ? changeSet.withoutRows : changeSet).entities {
                if entity.touchesRelationships {
                    merges.noteTouchedRelationships(of: entity.entity.index, in: commit)
                }
                bringsReinsertedRows = bringsReinsertedRows || merges.bringsReinsertedRows(entity)
                merge(
                    merges.current(entity, of: changeSet.number), &merged, &unregistered, &outdated,
                    farEnds, &gone)
            }
            merges.noteMerged(changeSet)
        }
        for (entity, keys) in gone.ordered(by: { $0.key < $1.key }) {
            merged.updated += farEnds[coordinator.model.entities[entity]].paired(with: keys)
                .map(ObjectChanges.Update.init(ofLinksOf:))
        }
        merges.deferral = isOwn ? .conflicts : deferral
        rowMerging.reread(outdated, farEnds)
        // If they cannot be read now, a save reads them.
        if bringsReinsertedRows { try? deferredMerges.takeReinsertedRows() }
        merged.updated += caughtUp.map { .init(object: $0, slots: nil, changesLinks: false) }
        merged.unregistered = unregistered.all
    }

    private func merge(
        _ entity: EntityChanges, _ merged: inout ObjectChanges,
        _ unregistered: inout UnregisteredRows, _ outdated: inout [ManagedObject],
        _ allEnds: FarEndsByEntity, _ gone: inout [Int: [Int64]]
    ) {
        let map = registry.roots[entity.entity.rootIndex]
        let isWatched = allEnds.watched.contains(entity.entity.index)
        let farEnds = allEnds[entity.entity]
        if isWatched { unregistered.reserve(entity.inserted.count) }
        for row in entity.inserted {
            if let object = map.map[row.key] {
                // It is laid over the row when all is merged.
                if object.lifecycle == .inserted { continue }
                deferredMerges.noteReturn(of: object)
                // A new object may have been fetched before, and a child may have had it for long.
                let isKnown = object.record != nil
                rowMerging.take(row.placed, for: object, &outdated)
                if isKnown {
                    merged.updated.append(.init(object: object, slots: nil, changesLinks: false))
                } else {
                    merged.inserted.append(object)
                }
            } else if isWatched {
                unregistered.insert(row, entity.entity)
            }
        }
        for row in entity.updated {
            if let object = map.map[row.key] {
                let (hadValues, former) = (object.record != nil, farEnds.savedKeys(of: object))
                if !row.slots.isEmpty { rowMerging.take(row.placed, for: object, &outdated) }
                if hadValues, object.record == nil { merged.emptied.append(object) }
                merged.updated += farEnds.changed(
                    from: former, to: farEnds.savedKeys(of: object), slots: row.slots
                ).map(ObjectChanges.Update.init(ofLinksOf:))
                merged.updated.append(
                    .init(object: object, slots: row.slots, changesLinks: !row.links.isEmpty))
            } else if isWatched {
                unregistered.update(row, entity.entity)
            }
        }
        for row in entity.refreshed {
            if let object = map.map[row.key] {
                if object.record != nil { outdated.append(object) }
                merged.updated.append(
                    .init(object: object, slots: row.slots, changesLinks: false))
            } else if isWatched {
                unregistered.update(row, entity.entity)
            }
        }
        for key in entity.deleted {
            if let object = map.map[key] {
                merged.updated += farEnds.changed(from: farEnds.savedKeys(of: object), to: nil)
                    .map(ObjectChanges.Update.init(ofLinksOf:))
                if deferredMerges.keepsDeleted(object) {
                    // The objects that referenced it in the store do not any more.
                    merged.updated.append(.init(ofLinksOf: object))
                    continue
                }
                rowMerging.invalidate(object)
                merged.deleted.append(object)
            } else if isWatched {
                unregistered.delete(key, entity.entity)
                merged.lostRows.append((entity.entity.index, key))
            }
        }
        gone[entity.entity.index, default: []] += entity.deleted
    }

    // MARK: Changes from elsewhere

    /// Merges changes that were made elsewhere.
    func remote(_ changes: RemoteChanges) {
        let (inserted, updated, deleted) = (
            rows(of: changes.inserted), rows(of: changes.updated), rows(of: changes.deleted)
        )
        var entities = [Int: EntityChanges]()
        for (entity, id) in inserted {
            entities[entity.index, default: EntityChanges(entity: entity)].inserted
                .append(.init(key: id.key, placed: nil))
        }
        for (entity, id) in updated {
            entities[entity.index, default: EntityChanges(entity: entity)].updated
                .append(.anything(of: entity, id.key))
        }
        for (entity, id) in deleted {
            entities[entity.index, default: EntityChanges(entity: entity)].deleted.append(id.key)
        }
        remote(
            entities.ordered { $0.key < $1.key }.map { $0.value },
            (inserted + updated + deleted).map { $0.id })
    }

    /// Merges changes that have no commit in this coordinator.
    ///
    /// - Parameter ids: The changed rows.
    func remote(_ entities: [EntityChanges], _ ids: [RowIdentity]) {
        context.processChanges()
        coordinator.rowCache.remove(ids)
        for store in coordinator.persistentStores { store.store.seeOthersCommits() }
        forgetLinks(of: Set(entities.map { $0.entity.index }))
        merge(family.changeSets(of: entities), readsAgain: true)
    }

    /// Discards all links that changes of some entities can touch, so that they are read again.
    /// There is no commit that would show when they were read.
    private func forgetLinks(of entities: Set<Int>) {
        let touched = Set(entities.flatMap { coordinator.model.touchedRelationships[$0] })
        registry.forEach { object in
            guard let extras = object.extras else { return }
            for ordinal in extras.links.keys
            where touched.contains(object.entityDescription.relationships[ordinal].identity) {
                extras.links[ordinal]?.forget()
            }
        }
    }

    private func rows(of ids: [ObjectID]) -> [(entity: EntityDescription, id: RowIdentity)] {
        ids.compactMap { id in
            guard let entity = coordinator.model[id.entityName],
                id.store == coordinator.storeIdentifier(ofRoot: entity.rootIndex)
            else { return nil }
            return (entity, RowIdentity(root: entity.rootIndex, key: id.key))
        }
    }
}

extension EntityChanges {
    /// Whether links may have changed. They may if there are new or deleted objects, or changed
    /// objects with a relationship that was set.
    var touchesRelationships: Bool {
        if !inserted.isEmpty || !deleted.isEmpty { return true }
        let slots = Set(entity.relationships.compactMap { $0.slot })
        return updated.contains { row in
            !row.links.isEmpty || row.slots.slots.contains { slots.contains($0) }
        }
    }
}

/// Gathers, over several saves of other contexts, the rows that a context has no objects for: one
/// entry for each row, as the last save left it.
struct UnregisteredRows {
    private var rows: [ObjectChanges.UnregisteredRow?] = []
    private var places = [RowIdentity: Int]()

    /// The rows in the order in which they were added.
    var all: [ObjectChanges.UnregisteredRow] { rows.compactMap(\.self) }

    /// Reserves capacity for rows, if there are none yet.
    mutating func reserve(_ count: Int) {
        guard rows.isEmpty else { return }
        places.reserveCapacity(count)
        rows.reserveCapacity(count)
    }

    mutating func insert(_ row: EntityChanges.InsertedRow, _ entity: EntityDescription) {
        places[RowIdentity(root: entity.rootIndex, key: row.key)] = rows.count
        rows.append(
            .init(entity: entity.index, key: row.key, placed: row.placed, slots: nil))
    }

    mutating func update(_ row: EntityChanges.UpdatedRow, _ entity: EntityDescription) {
        let place = RowIdentity(root: entity.rootIndex, key: row.key)
        guard let index = places[place], let known = rows[index] else {
            places[place] = rows.count
            rows.append(
                .init(entity: entity.index, key: row.key, placed: row.placed, slots: row.slots))
            return
        }
        // A change without the row makes the row of an earlier change outdated.
        if !row.slots.isEmpty { rows[index]?.placed = row.placed }
        var slots = known.slots
        slots?.formUnion(row.slots)
        rows[index]?.slots = slots
    }

    mutating func delete(_ key: Int64, _ entity: EntityDescription) {
        guard let index = places.removeValue(forKey: RowIdentity(root: entity.rootIndex, key: key))
        else { return }
        rows[index] = nil
    }
}
