import CambiumRecords

/// Merges the row that another context has saved, or its deletion, into an object.
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
            // A child first checks which context has changed it.
            if parent == nil { deferredMerges.postpone(object) } else { outdated.append(object) }
        case .clean:
            // A child reads the rows from its parent, at almost no cost.
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
            // The save of the deletion detects the change, unless the deletion is reverted before.
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

    /// Reads the rows of changed objects if the change set did not contain them.
    func reread(_ outdated: [ManagedObject], _ farEnds: FarEndsByEntity) {
        let commit = coordinator.rowCache.commit
        for group in Dictionary(grouping: outdated, by: { $0.entityDescription.rootIndex }) {
            let request = RowRequest(
                entity: coordinator.model.entities[group.key],
                selection: .keys(group.value.map { $0.key }))
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

    /// Makes an object without changes show another row. Changes that its former and present
    /// targets have noted because of it are reverted.
    private func replaceRow(of object: ManagedObject, by placed: PlacedRecord?) {
        let former = object.placed
        object.row.becomeClean(object.row.keepingTransients(placed))
        guard let former else { return }
        withExtendedLifetime(former.page) {
            object.reversal.takeBackLinks(whereOtherThan: former.record)
        }
    }

    /// Invalidates an object after another context has deleted its row. The object can still be
    /// read. Unsaved links that reference it are cleared, regardless of its delete rules.
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

    /// Clears the keys of unsaved links that reference an object with a deleted row.
    private func clearUnsavedLinks(to object: ManagedObject) {
        for relationship in object.entityDescription.relationships
        where relationship.isOwnInverse {
            guard let slot = relationship.slot, let record = object.record, record.hasValue(slot),
                let partner = registry.registered(relationship, record.integer(slot)),
                partner.lifecycle == .updated || partner.lifecycle == .inserted,
                partner.ownLinks.isMember(of: object, relationship)
            else { continue }
            partner.withRelationship(relationship.ordinal) {
                partner.setDestination(of: $0, to: nil)
            }
        }
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

    /// Runs a body that merges the saves of other contexts. Changes that it makes here cannot be
    /// undone.
    ///
    /// - Returns: The objects that were not changed in the event before.
    func withoutUndoing(_ body: () -> Void) -> [ManagedObject] {
        let (count, former) = (changes.noted.count, changes.processedInMerge)
        changes.processedInMerge = []
        body()
        // A hook may have fetched, and this has processed the changes until then.
        let processed = changes.processedInMerge ?? []
        changes.processedInMerge = former
        let changed = Array(changes.noted.dropFirst(processed.isEmpty ? count : 0))
        for object in changed { object.tracking.restartEvent() }
        return processed + changed
    }
}

/// The objects that to-one relationships of an entity's rows reference, while a merge or a save
/// applies the saves of other contexts.
///
/// Their relationships change when a row references another object or is deleted. The context that
/// saved the row may not have had them.
struct FarEnds {
    private let context: ManagedObjectContext
    private let relationships: [RelationshipDescription]
    /// The relationships in join tables that reference objects of the entity: by the number of the
    /// entity that has it, its own number there.
    private let lists: [(owner: Int, ordinal: Int)]

    /// - Parameter watched: The numbers of the entities with observed changes.
    fileprivate init(
        of entity: EntityDescription, watched: Set<Int>, in context: ManagedObjectContext
    ) {
        self.context = context
        let model = context.coordinator.model
        func isWatched(_ entity: Int) -> Bool {
            context.state.notesReads || model.families[entity].contains(where: watched.contains)
        }
        relationships = entity.relationships.filter { relationship in
            relationship.slot != nil && relationship.inverse != nil
                && isWatched(relationship.destination)
        }
        let paired = entity.relationships.compactMap { relationship in
            relationship.isJoinTable
                ? relationship.inverse.map { (owner: relationship.destination, ordinal: $0) } : nil
        }
        let oneWay = model.oneWayLinks[entity.index].filter { $0.relationship.isJoinTable }
            .map { (owner: $0.owner, ordinal: $0.relationship.ordinal) }
        lists = (paired + oneWay).filter { isWatched($0.owner) }
    }

    /// The keys that the row of an object has, by the relationships that matter.
    func savedKeys(of object: ManagedObject) -> [Int64?] {
        keys(in: object.extras?.snapshot?.record ?? object.record)
    }

    /// The keys that an object shows.
    func shownKeys(of object: ManagedObject) -> [Int64?] { keys(in: object.record) }

    private func keys(in record: Record?) -> [Int64?] {
        relationships.map { relationship in
            guard let record, let slot = relationship.slot, record.hasValue(slot) else {
                return nil
            }
            return record.integer(slot)
        }
    }

    /// Returns the objects that have one of these keys in a relationship with a join table, if the
    /// context has read the relationship. The rows of the objects do not show such links.
    func paired(with keys: [Int64]) -> [ManagedObject] {
        if keys.isEmpty || lists.isEmpty { return [] }
        let keys = Set(keys)
        return lists.flatMap { list in
            context.registry.registered(family: list.owner) {
                $0.extras?.links[list.ordinal]?.mentions(keys) == true
            }
        }
    }

    /// The objects that a row has ceased to reference or references now, as far as the context has
    /// them.
    ///
    /// - Parameters:
    ///   - former: The keys before.
    ///   - now: The keys now; nil if the row was deleted.
    ///   - slots: The slots that were set; nil if any may have been.
    func changed(
        from former: [Int64?], to now: [Int64?]?, slots: SlotSet? = nil
    ) -> [ManagedObject] {
        var ends: [ManagedObject] = []
        for (index, relationship) in relationships.enumerated() {
            let (old, new) = (former[index], now.flatMap { $0[index] })
            guard old != new, let slot = relationship.slot, slots?.contains(slot) ?? true
            else { continue }
            ends += [old, new].compactMap { key in
                key.flatMap {
                    context.registry.registered(relationship, $0)
                }
            }
        }
        return ends
    }
}

/// The far ends of each entity. They are computed once for a merge or a save.
final class FarEndsByEntity {
    private let context: ManagedObjectContext
    private(set) lazy var watched = context.observers.watchedEntities(in: context.coordinator.model)
    private var known = [Int: FarEnds]()

    init(in context: ManagedObjectContext) {
        self.context = context
    }

    subscript(entity: EntityDescription) -> FarEnds {
        if let ends = known[entity.index] { return ends }
        let ends = FarEnds(of: entity, watched: watched, in: context)
        known[entity.index] = ends
        return ends
    }
}

extension ObjectChanges.Update {
    /// A change of nothing but relationships that are kept elsewhere.
    init(ofLinksOf object: ManagedObject) {
        self.init(object: object, slots: SlotSet(), changesLinks: true)
    }
}
