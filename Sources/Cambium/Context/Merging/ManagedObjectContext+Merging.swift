import CambiumRecords

extension ManagedObjectContext {
    /// Takes over what other contexts have saved since the last time, a child what has come to its
    /// ``parent``. Unsaved changes of the same objects stay on top, by the merge rules of the model
    /// (`merge="sum"`), and no conflict is raised. An object that others have deleted goes, together
    /// with its unsaved changes and unsaved links to it, and is told of among the deleted ones.
    ///
    /// Contexts that merge automatically do it by themselves, at the end of an event and, but for
    /// what is a conflict then, at every fetch and save; see
    /// ``automaticallyMergesChangesFromParent``.
    public func mergePending() {
        mergePending(with: nil)
    }

    /// Takes over what others have saved, and what a batch operation of this context has changed,
    /// in the order of the commits.
    ///
    /// - Parameter leaving: Which objects stay as they are, so that the save sees the conflict.
    func mergePending(with own: ChangeSet?, leaving: LeftOut = .nothing) {
        // A hook of an object may fetch in the middle of a merge.
        let outer = self.leaving
        self.leaving = leaving
        defer { self.leaving = outer }
        parent?.mergeIfAutomatic()
        let (mail, isComplete) = mailbox.take()
        var changeSets = parent == nil ? mail.filter { $0.number > mergedCommit } : mail
        if let own {
            let place = changeSets.firstIndex { $0.number > own.number } ?? changeSets.endIndex
            changeSets.insert(own, at: place)
        }
        let hasMissed =
            leaving == .nothing ? !missed.isEmpty : leaving == .deletions && hasMissedChanges
        guard !changeSets.isEmpty || !isComplete || hasMissed else { return }
        processChanges()
        advanceQueryGeneration()
        if !isComplete { refreshAllObjects() }
        if parent == nil { mergedCommit = changeSets.last?.number ?? mergedCommit }
        merge(changeSets, isComplete: isComplete)
        // What was saved before a row came or went has been told by now.
        rebirths = rebirths.filter { $0.value == .max }
        deaths = [:]
    }

    /// Takes over what one save of another context changed.
    ///
    /// A child reads the changed rows from its ``parent``, which should have merged the change
    /// before. What a child has saved concerns its parent's other children only; others ignore it.
    public func mergeChanges(from changeSet: ChangeSet) {
        mergeChanges(from: [changeSet])
    }

    /// - Parameter readsAgain: Whether the rows of objects that have their values are read at once,
    ///   where they do not come along.
    func mergeChanges(from changeSets: [ChangeSet], readsAgain: Bool = false) {
        processChanges()
        advanceQueryGeneration()
        // What is in another context's memory cannot be seen from here.
        let visible = changeSets.filter { $0.holder == nil || $0.holder == parent?.identifier }
        merge(
            parent == nil ? visible : visible.map(\.withoutRows), isComplete: true,
            readsAgain: readsAgain)
    }

    /// Takes over what a batch operation of this context, or of a child, has changed. What it
    /// contradicts is left to the conflict of the save: the operation has not asked for it.
    func mergeOwn(_ changeSet: ChangeSet) {
        if changeSet.isEmpty || automaticallyMergesChangesFromParent {
            let own = changeSet.isEmpty ? nil : changeSet
            return mergePending(with: own, leaving: own == nil ? .conflicts : .conflictsOfEvent)
        }
        noteOwn(changeSet)
        leaving = .conflicts
        defer { leaving = .nothing }
        mergeChanges(from: changeSet)
    }

    /// Notes that this context made a commit: nobody has to tell it.
    func noteOwn(_ changeSet: ChangeSet) {
        if changeSet.number == mergedCommit + 1 { mergedCommit = changeSet.number }
        noteMerged(changeSet)
    }

    /// Notes what the context knows of. Where there are commits before of which it does not know
    /// yet, these are old news when they come: their rows are not the latest, and some are gone.
    private func noteMerged(_ changeSet: ChangeSet) {
        guard parent == nil else { return }
        latestMerged = max(latestMerged, min(changeSet.number, coordinator.latestCommit))
        // After an overflow everything is read anew.
        guard changeSet.number > mergedCommit, !mailbox.hasOverflowed else { return }
        for changes in changeSet.entities {
            for key in changes.deleted {
                deaths[RowIdentity(root: changes.entity.rootIndex, key: key)] = changeSet.number
            }
        }
    }

    /// Takes over what others have saved in the middle of an event. What was read before may be
    /// what the changes rest on: where others have changed the same, that is a conflict.
    func mergeIfAutomatic() {
        guard automaticallyMergesChangesFromParent, parent != nil || !mailbox.hasNothing
        else { return }
        mergePending(with: nil, leaving: .conflictsOfEvent)
    }

    /// Takes over what others have saved between two events, as Core Data does, but for deletions
    /// of what has unsaved changes.
    func mergeBetweenEvents() {
        guard automaticallyMergesChangesFromParent,
            parent != nil || !mailbox.hasNothing || hasMissedChanges
        else { return }
        mergePending(with: nil, leaving: .deletions)
    }

    /// Takes over several saves in their order, and tells observers once.
    private func merge(
        _ changeSets: [ChangeSet], isComplete: Bool, readsAgain: Bool = false
    ) {
        var changes = ObjectChanges()
        changes.isComplete = isComplete
        let changed = withoutUndoing { takeOver(changeSets, &changes) }
        // Whoever is told of objects looks at them.
        if readsAgain || observations != nil {
            loadOrNote(changes.emptied.filter { $0.lifecycle == .clean && $0.record == nil })
        }
        if state.notesReads { changes.tellObjects() }
        tellChildren(
            changeSets.map { $0.leavingOut(rebirths, deaths) }, of: changed,
            isComplete: isComplete)
        notifyFollowers(changes)
        notifyOfMerge(changes, changeSets)
        // Links to what others have deleted were cleared, which is a change of this context.
        if !changed.isEmpty { processChanges() }
    }

    private func takeOver(_ changeSets: [ChangeSet], _ changes: inout ObjectChanges) {
        var unregistered = UnregisteredRows()
        let caughtUp = takeMissed()
        var outdated = caughtUp
        let left = leaving
        var isOwn = false
        var bringsRowsOfReborn = false
        // The keys of deleted rows, by the number of the entity.
        var gone: [Int: [Int64]] = [:]
        let farEnds = FarEndsByEntity(in: self)
        followForwards()
        for changeSet in changeSets where coordinator.hasStore(changeSet.store) {
            let commit = parent == nil ? changeSet.number : startMerge()
            let isOldNews = parent == nil && commit < latestMerged
            // Of a batch operation of this context, in whichever event.
            let isOwnChange = left.hasConflicts && changeSet.origin == identifier
            leaving = isOwnChange ? .conflicts : left
            isOwn = isOwn || isOwnChange
            for entity in (isOldNews ? changeSet.withoutRows : changeSet).entities {
                if entity.touchesRelationships {
                    noteTouchedRelationships(of: entity.entity.index, in: commit)
                }
                bringsRowsOfReborn = bringsRowsOfReborn || hasRowsOfReborn(entity)
                merge(
                    entity.leavingOut(rebirths, deaths, after: changeSet.number), &changes,
                    &unregistered, &outdated, farEnds, &gone)
            }
            noteMerged(changeSet)
        }
        for (entity, keys) in gone.sorted(by: { $0.key < $1.key }) {
            changes.updated += farEnds[coordinator.model.entities[entity]].paired(with: keys)
                .map(ObjectChanges.Update.init(ofLinksOf:))
        }
        leaving = isOwn ? .conflicts : left
        reread(outdated, farEnds)
        // Where they cannot be read now, a save reads them.
        if bringsRowsOfReborn { try? takeRowsOfReborn() }
        changes.updated += caughtUp.map { .init(object: $0, slots: nil, changesLinks: false) }
        changes.unregistered = unregistered.all
    }

    /// Whether others have inserted again what an undo of this context has brought back.
    private func hasRowsOfReborn(_ entity: EntityChanges) -> Bool {
        !rebirths.isEmpty
            && entity.inserted.contains {
                rebirths[RowIdentity(root: entity.entity.rootIndex, key: $0.key)] == .max
            }
    }

    private func merge(
        _ entity: EntityChanges, _ changes: inout ObjectChanges,
        _ unregistered: inout UnregisteredRows, _ outdated: inout [ManagedObject],
        _ allEnds: FarEndsByEntity, _ gone: inout [Int: [Int64]]
    ) {
        let map = objects[entity.entity.rootIndex]
        let isWatched = allEnds.watched.contains(entity.entity.index)
        let farEnds = allEnds[entity.entity]
        if isWatched { unregistered.reserve(entity.inserted.count) }
        for row in entity.inserted {
            if let object = map.map[row.key] {
                // It is laid over the row when all is merged.
                if object.lifecycle == .inserted { continue }
                noteReturn(of: object)
                // What is new may have been fetched before, and a child may have had it for long.
                let isKnown = object.record != nil
                take(row.placed, for: object, &outdated)
                if isKnown {
                    changes.updated.append(.init(object: object, slots: nil, changesLinks: false))
                } else {
                    changes.inserted.append(object)
                }
            } else if isWatched {
                unregistered.insert(row, entity.entity)
            }
        }
        for row in entity.updated {
            if let object = map.map[row.key] {
                let (hadValues, former) = (object.record != nil, farEnds.savedKeys(of: object))
                if !row.slots.isEmpty { take(row.placed, for: object, &outdated) }
                if hadValues, object.record == nil { changes.emptied.append(object) }
                changes.updated += farEnds.changed(
                    from: former, to: farEnds.savedKeys(of: object), slots: row.slots
                ).map(ObjectChanges.Update.init(ofLinksOf:))
                changes.updated.append(
                    .init(object: object, slots: row.slots, changesLinks: !row.links.isEmpty))
            } else if isWatched {
                unregistered.update(row, entity.entity)
            }
        }
        for row in entity.refreshed {
            if let object = map.map[row.key] {
                if object.record != nil { outdated.append(object) }
                changes.updated.append(
                    .init(object: object, slots: row.slots, changesLinks: false))
            } else if isWatched {
                unregistered.update(row, entity.entity)
            }
        }
        for key in entity.deleted {
            if let object = map.map[key] {
                changes.updated += farEnds.changed(from: farEnds.savedKeys(of: object), to: nil)
                    .map(ObjectChanges.Update.init(ofLinksOf:))
                if keepsDeleted(object) {
                    // What led to it in the store has left it.
                    changes.updated.append(.init(ofLinksOf: object))
                    continue
                }
                vanish(object)
                changes.deleted.append(object)
            } else if isWatched {
                unregistered.delete(key, entity.entity)
                changes.lostRows.append((entity.entity.index, key))
            }
        }
        gone[entity.entity.index, default: []] += entity.deleted
    }

    /// Makes the links of an entity's relationships be read again at their next use.
    func noteTouchedRelationships(of entity: Int, in commit: Int64) {
        for identity in coordinator.model.touchedRelationships[entity] {
            lastChanges[identity] = max(commit, lastChanges[identity] ?? 0)
        }
    }

    /// The object of a row that another context saved, for an observer that wants it.
    func adopt(entity: Int, key: Int64, placed: PlacedRecord?) -> ManagedObject {
        let description = coordinator.model.entities[entity]
        if let known = objects[description.rootIndex].map[key] { return known }
        let object = register(description, key: key, placed: placed)
        if placed != nil { awaken(CollectionOfOne(object)) }
        return object
    }
}

extension ChangeSet {
    /// The same changes, without those of rows that came back or went in a later commit.
    fileprivate func leavingOut(
        _ rebirths: [RowIdentity: Int64], _ deaths: [RowIdentity: Int64]
    ) -> ChangeSet {
        if rebirths.isEmpty, deaths.isEmpty { return self }
        var changes = self
        changes.entities = entities.map { $0.leavingOut(rebirths, deaths, after: number) }
        return changes
    }
}

extension EntityChanges {
    /// The changes without those of rows that came back or went in a later commit: they are of a
    /// life that is over.
    fileprivate func leavingOut(
        _ rebirths: [RowIdentity: Int64], _ deaths: [RowIdentity: Int64], after commit: Int64
    ) -> EntityChanges {
        if rebirths.isEmpty, deaths.isEmpty { return self }
        func isOver(_ key: Int64) -> Bool {
            let row = RowIdentity(root: entity.rootIndex, key: key)
            return max(rebirths[row] ?? .min, deaths[row] ?? .min) > commit
        }
        var changes = self
        changes.inserted.removeAll { isOver($0.key) }
        changes.updated.removeAll { isOver($0.key) }
        changes.refreshed.removeAll { isOver($0.key) }
        changes.deleted.removeAll(where: isOver)
        return changes
    }

    /// Whether links may have changed: by new and deleted objects always, by changed ones when a
    /// relationship was set.
    var touchesRelationships: Bool {
        if !inserted.isEmpty || !deleted.isEmpty { return true }
        let slots = Set(entity.relationships.compactMap(\.slot))
        return updated.contains { row in
            !row.links.isEmpty || row.slots.slots.contains { slots.contains($0) }
        }
    }
}
