import CambiumRecords

/// How an object merges the row that another context has saved, or its deletion.
struct RowMerging: ContextAccess {
    let context: ManagedObjectContext

    /// Gives an object the row that another context saved, unless its own is as new.
    func take(
        _ placed: PlacedRecord?, for object: ManagedObject, _ outdated: inout [ManagedObject]
    ) {
        let base = object.extras?.snapshot?.record ?? object.record
        if let placed, let base, placed.record.version <= base.version { return }
        defer { divergentLists.forget(otherBecauseOf: object) }
        switch object.lifecycle {
        case .clean where deferredMerges.keepsLocked(object):
            // A child is to see first who has changed it.
            if parent == nil { deferredMerges.postpone(object) } else { outdated.append(object) }
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
            object.placed = placed
        case .deleted:
            // The deletion meets the change at its save, unless it is taken back before.
            object.ownExtras.deferred = .change
        case .inserted, .discarded, .invalid:
            break
        }
    }

    /// Gives a changed object the row that another context saved, below its changes.
    func rebase(_ object: ManagedObject, on placed: PlacedRecord) {
        if object.flags.contains(.isUnread) { return faulting.complete(object, with: placed) }
        if deferredMerges.defers(object, placed.record) {
            deferredMerges.postpone(object)
        } else {
            object.row.rebase(on: placed)
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
                try reads.store(of: request.entity).fetch(request) { row in
                    let placed = try row.record(in: reads.rowWriter)
                    reads.updateCache(
                        coordinator.model.entities[row.entity], placed, readAt: commit)
                    guard let object = registry.roots[group.key].map[row.key] else { return }
                    guard object.record != nil else { return take(reread: placed, for: object) }
                    let ends = farEnds[object.entityDescription]
                    let former = ends.shownKeys(of: object)
                    take(reread: placed, for: object)
                    for end in ends.changed(from: former, to: ends.shownKeys(of: object)) {
                        context.noteOtherLinks(end)
                    }
                }
            } catch {
                // Whatever the context merges next reads them again, and so does a save.
                for object in group.value { deferredMerges.postpone(object) }
                errors.record(error)
            }
        }
    }

    /// Gives an object its row as the store has it now.
    private func take(reread placed: PlacedRecord, for object: ManagedObject) {
        if object.lifecycle == .clean, deferredMerges.defers(object, placed.record) {
            deferredMerges.postpone(object)
        } else if object.lifecycle == .clean, object.record != nil || parent != nil {
            replaceRow(of: object, by: placed)
        } else if object.lifecycle == .updated, !object.flags.contains(.isDraft) {
            // Its links alone have changed.
            object.placed = object.row.keepingTransients(placed)
        } else {
            rebase(object, on: placed)
        }
        divergentLists.forget(otherBecauseOf: object)
    }

    /// Lets an object without changes show another row. What objects that it led to, or leads to now,
    /// have noted of it is no change of theirs.
    private func replaceRow(of object: ManagedObject, by placed: PlacedRecord?) {
        let former = object.placed
        object.row.becomeClean(object.row.keepingTransients(placed))
        guard let former else { return }
        withExtendedLifetime(former.page) {
            object.reversal.takeBackLinks(whereOtherThan: former.record)
        }
    }

    /// The row of an object was deleted by another context. Whoever holds the object can still read
    /// it. Unsaved links that reference it are cleared, whatever its delete rules say.
    func invalidate(_ object: ManagedObject) {
        guard
            object.lifecycle == .clean || object.lifecycle == .updated
                || object.lifecycle == .deleted
        else { return }
        if object.record == nil { object.row.becomePlaceholder() }
        if object.lifecycle != .deleted { activity.prepareForDeletion(object, because: .merge) }
        object.reversal.takeBackLinksElsewhere()
        object.transients.drop()
        object.row.becomeInvalid()
        divergentLists.forget(otherBecauseOf: object)
        clearUnsavedLinks(to: object)
    }

    /// Clears the keys of unsaved links that reference an object whose row was deleted.
    private func clearUnsavedLinks(to object: ManagedObject) {
        for (ordinal, links) in object.extras?.links ?? [:] where !links.added.isEmpty {
            let relationship = object.entityDescription.relationships[ordinal]
            guard !relationship.isJoinTable, let inverse = relationship.inverse else { continue }
            for member in links.added.members {
                guard let other = registry.registered(member),
                    other.ownLinks.isMember(of: object, relationship)
                else { continue }
                other.withRelationship(inverse) { other.setDestination(of: $0, to: nil) }
            }
        }
    }

    /// Runs a body that merges what other contexts have saved: what it changes here is not to be
    /// undone.
    ///
    /// - Returns: The objects that were not changed in the event before.
    func withoutUndoing(_ body: () -> Void) -> [ManagedObject] {
        let (count, former) = (changes.noted.count, changes.processedInMerge)
        changes.processedInMerge = []
        body()
        // A hook may have fetched, and so processed what was changed by then.
        let processed = changes.processedInMerge ?? []
        changes.processedInMerge = former
        let changed = Array(changes.noted.dropFirst(processed.isEmpty ? count : 0))
        for object in changed { object.tracking.restartEvent() }
        return processed + changed
    }
}
