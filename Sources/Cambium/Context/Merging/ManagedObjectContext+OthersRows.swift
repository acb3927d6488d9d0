import CambiumRecords

// How an object takes over the row that another context has saved, or its loss.
extension ManagedObjectContext {
    /// Gives an object the row that another context saved, unless its own is as new.
    func take(
        _ placed: PlacedRecord?, for object: ManagedObject, _ outdated: inout [ManagedObject]
    ) {
        let base = object.extras?.snapshot?.record ?? object.record
        if let placed, let base, placed.record.version <= base.version { return }
        defer { forgetLists(otherBecauseOf: object) }
        switch object.lifecycle {
        case .clean where keepsLocked(object):
            // A child is to see first who has changed it.
            if parent == nil { miss(object) } else { outdated.append(object) }
        case .clean:
            // A child reads the rows from its parent, where that costs next to nothing.
            if parent != nil, object.record != nil { outdated.append(object) }
            replaceRow(of: object, by: placed)
        case .updated where object.flags.contains(.isDraft):
            if let placed {
                rebase(object, on: placed)
            } else {
                outdated.append(object)
            }
        case .updated:
            object.record = placed?.record
            object.page = placed?.page
        case .deleted:
            // The deletion meets the change at its save, unless it is taken back before.
            object.ownExtras.missed = .change
        case .inserted, .discarded, .gone:
            break
        }
    }

    /// Gives a changed object the row that another context saved, below its changes.
    func rebase(_ object: ManagedObject, on placed: PlacedRecord) {
        if object.flags.contains(.isUnread) { return complete(object, with: placed) }
        if leavesOut(object, placed.record) {
            miss(object)
        } else {
            object.rebase(on: placed, draftWriter)
        }
    }

    /// Reads the rows of changed objects whose rows did not come with the change set.
    func reread(_ outdated: [ManagedObject], _ farEnds: FarEndsByEntity) {
        let commit = coordinator.rowCache.commit
        for group in Dictionary(grouping: outdated, by: { $0.entityDescription.rootIndex }) {
            let request = RowRequest(
                entity: coordinator.model.entities[group.key],
                selection: .keys(group.value.map(\.key)))
            do {
                try store(of: request.entity).fetch(request) { row in
                    let placed = try row.record(in: rowWriter)
                    if usesRowCache {
                        coordinator.rowCache.insert(
                            CollectionOfOne(
                                RowCache.Row(
                                    entity: coordinator.model.entities[row.entity],
                                    placed: placed)),
                            readAt: commit, replacesOnly: true)
                    }
                    guard let object = objects[group.key].map[row.key] else { return }
                    guard object.record != nil else { return take(reread: placed, for: object) }
                    let ends = farEnds[object.entityDescription]
                    let former = ends.shownKeys(of: object)
                    take(reread: placed, for: object)
                    for end in ends.changed(from: former, to: ends.shownKeys(of: object)) {
                        noteOtherLinks(end)
                    }
                }
            } catch {
                // Whatever the context takes over next reads them again, and so does a save.
                for object in group.value { miss(object) }
                recordedErrors.append(error)
            }
        }
    }

    /// Gives an object its row as the store has it now.
    private func take(reread placed: PlacedRecord, for object: ManagedObject) {
        if object.lifecycle == .clean, leavesOut(object, placed.record) {
            miss(object)
        } else if object.lifecycle == .clean, object.record != nil || parent != nil {
            replaceRow(of: object, by: placed)
        } else if object.lifecycle == .updated, !object.flags.contains(.isDraft) {
            // Its links alone have changed.
            let kept = object.keepingTransients(placed, draftWriter)
            object.record = kept?.record
            object.page = kept?.page
        } else {
            rebase(object, on: placed)
        }
        forgetLists(otherBecauseOf: object)
    }

    /// Lets an object without changes show another row. What objects that it led to, or leads to now,
    /// have noted of it is no change of theirs.
    private func replaceRow(of object: ManagedObject, by placed: PlacedRecord?) {
        let former = object.placed
        object.becomeClean(object.keepingTransients(placed, draftWriter))
        guard let former else { return }
        withExtendedLifetime(former.page) { object.takeBackLinks(whereOtherThan: former.record) }
    }

    /// The row of an object was deleted by another context. Whoever holds the object can still read
    /// it. Unsaved links that lead to it are cleared, whatever its delete rules say.
    func vanish(_ object: ManagedObject) {
        guard
            object.lifecycle == .clean || object.lifecycle == .updated
                || object.lifecycle == .deleted
        else { return }
        if object.record == nil { object.becomePlaceholder() }
        if object.lifecycle != .deleted { prepareForDeletion(object, because: .merge) }
        object.takeBackLinksElsewhere()
        object.dropTransientLinks()
        object.becomeGone()
        forgetLists(otherBecauseOf: object)
        clearUnsavedLinks(to: object)
    }

    /// Clears the keys of unsaved links that lead to an object whose row is gone.
    private func clearUnsavedLinks(to object: ManagedObject) {
        for (ordinal, links) in object.extras?.links ?? [:] where !links.added.isEmpty {
            let relationship = object.entityDescription.relationships[ordinal]
            guard !relationship.isJoinTable, let inverse = relationship.inverse else { continue }
            for member in links.added.members {
                guard let other = registered(entity: member.entity, key: member.key),
                    other.isMember(of: object, relationship)
                else { continue }
                other.withRelationship(inverse) { other.setDestination(of: $0, to: nil) }
            }
        }
    }

    /// Runs a body that takes over what others have saved: what it changes here is not to be undone.
    ///
    /// - Returns: The objects that were not changed in the event before.
    func withoutUndoing(_ body: () -> Void) -> [ManagedObject] {
        let (count, former) = (noted.count, processedInMerge)
        processedInMerge = []
        body()
        // A hook may have fetched, and so processed what was changed by then.
        let processed = processedInMerge ?? []
        processedInMerge = former
        let changed = Array(noted.dropFirst(processed.isEmpty ? count : 0))
        for object in changed { object.restartEvent() }
        return processed + changed
    }
}
