import CambiumRecords

/// Applies the outcome of a save: updates the objects to the state of the store, and notifies the
/// other contexts. Runs after the commit, while the writer is locked.
struct SaveCompletion {
    let context: ManagedObjectContext
    /// The objects with rows that the save updated.
    let written: [ManagedObject]
    /// The objects that got other values by the merge policy.
    private(set) var resolved: [ManagedObject] = []
    /// The new objects that were replaced by others.
    private(set) var replaced: [ManagedObject] = []
    /// The change set for the other contexts.
    private(set) var changeSet: ChangeSet?
    private var changes: ChangeCollector
    private let farEnds: FarEndsByEntity
    private var keptStored: Set<RowIdentity> = []

    init(context: ManagedObjectContext, written: [ManagedObject]) {
        self.context = context
        self.written = written
        farEnds = FarEndsByEntity(in: context)
        let hasListeners = context.coordinator.hasListeners(beside: context.identifier)
        changes = ChangeCollector(
            entityCount: context.coordinator.model.entities.count,
            attachesRows: hasListeners
                && context.changes.inserted.count + context.changes.updated.count <= 10_000,
            namesOwners: hasListeners)
    }

    /// - Parameter scope: The objects of the store that has committed. Objects of other stores wait
    ///   for theirs.
    mutating func apply(_ outcome: SaveOutcome, in scope: StoreScope) {
        let (inserted, insertedElsewhere) = scope.split(context.changes.inserted)
        let (updated, updatedElsewhere) = scope.split(context.changes.updated)
        let (deleted, deletedElsewhere) = scope.split(context.changes.deleted)
        let resolutions = outcome.resolutions
        written.forEachUncounted { $0.record?.version += 1 }
        for pair in outcome.droppedPairs { forget(pair) }
        applyNotingFarEnds(resolutions)
        let rewritten = outcome.derived.isEmpty ? [] : Set(written.map { ObjectIdentifier($0) })
        let refreshed = outcome.derived.compactMap { takeDerived($0, rewritten) }
        // Survivors have their final values now.
        for resolution in resolutions {
            if case .replace(let entity, let key, let theirs) = resolution.action {
                replace(resolution.id, to: entity, key, theirs)
            }
        }
        inserted.forEachUncounted { object in
            guard object.lifecycle == .inserted else { return }
            object.record?.version += 1
            changes.insert(object)
            object.row.becomeSaved()
        }
        updated.forEachUncounted { object in
            guard object.lifecycle == .updated else { return }
            if keptStored.isEmpty || !keptStored.contains(RowIdentity(object)) {
                changes.update(object)
            }
            object.row.becomeSaved()
        }
        deleted.forEachUncounted { object in
            guard object.lifecycle == .deleted else { return }
            changes.delete(object)
            object.lifecycle = .invalid
            // Safety: this keeps the context. Counting it takes long, as it is referred to weakly.
            uncounted(context).use { $0.forget(object) }
        }
        context.changes.set(
            inserted: insertedElsewhere, updated: updatedElsewhere, deleted: deletedElsewhere)
        context.changes.locked = scope.split(context.changes.locked).outside
        for (row, slots) in refreshed {
            changes.refresh(row.key, context.coordinator.model.entities[row.entity], slots)
        }
        let changeSet = context.coordinator.publish(
            changes.entities, from: context.identifier, store: scope.identifier)
        self.changeSet = changeSet
        noteReinsertions(inserted, resolutions, in: changeSet.number)
        context.merges.noteOwn(changeSet)
        // Links that this context has read are up to date, unless rows of other contexts were
        // merged.
        for entity in Set(resolutions.map(\.entity.index)) {
            context.merges.noteTouchedRelationships(of: entity, in: changeSet.number)
        }
    }

    /// Discards both ends of a pair that the save has not written, so that they are read again.
    private func forget(_ pair: DroppedPair) {
        func object(_ id: RowIdentity) -> ManagedObject? { context.registry[id] }
        object(pair.source)?.reversal.forgetLink(
            pair.relationship.ordinal, to: pair.destination.key)
        guard let inverse = pair.relationship.inverse else { return }
        object(pair.destination)?.reversal.forgetLink(inverse, to: pair.source.key)
    }

    /// Notes the rows that were inserted again after other contexts or this one had deleted them.
    private func noteReinsertions(
        _ inserted: [ManagedObject], _ resolutions: [ConflictResolution], in commit: Int64
    ) {
        for resolution in resolutions {
            if case .reinsert = resolution.action {
                context.merges.reinsertedRows[resolution.id] = commit
            }
        }
        if context.merges.reinsertedRows.isEmpty { return }
        for object in inserted where context.merges.reinsertedRows[RowIdentity(object)] != nil {
            context.merges.reinsertedRows[RowIdentity(object)] = commit
        }
    }

    /// Applies resolutions, and notes the objects whose relationships they change.
    private mutating func applyNotingFarEnds(_ resolutions: [ConflictResolution]) {
        // The keys of rows, by the number of the entity.
        var restored: [Int: Set<Int64>] = [:]
        var lost: [Int: [Int64]] = [:]
        for resolution in resolutions {
            let object = context.registry[resolution.id]
            let wasDeleted = object?.lifecycle == .deleted
            applyNotingFarEnds(resolution, object)
            nameOwners(resolution)
            let exists = object?.exists ?? !resolution.action.leavesNoRow
            if wasDeleted, exists {
                restored[resolution.entity.index, default: []].insert(resolution.id.key)
            } else if !wasDeleted, !exists {
                lost[resolution.entity.index, default: []].append(resolution.id.key)
            }
        }
        let entities = context.coordinator.model.entities
        for (entity, keys) in restored.ordered(by: { $0.key < $1.key }) {
            takeBackRemovals(of: keys, entities[entity])
        }
        for (entity, keys) in lost.ordered(by: { $0.key < $1.key }) {
            for end in farEnds[entities[entity]].paired(with: keys) where end.canBeRestored {
                context.noteOtherLinks(end)
            }
        }
    }

    private mutating func applyNotingFarEnds(
        _ resolution: ConflictResolution, _ object: ManagedObject?
    ) {
        guard let object else { return apply(resolution) }
        let ends = farEnds[resolution.entity]
        let wasDeleted = object.lifecycle == .deleted
        var former = ends.shownKeys(of: object)
        // No relationship has an object that is to be deleted.
        if wasDeleted { former = former.map { _ in nil } }
        // A deleted row referenced no others.
        if case .reinsert = resolution.action { former = former.map { _ in nil } }
        apply(resolution)
        let now = object.exists ? ends.shownKeys(of: object) : nil
        for end in ends.changed(from: former, to: now) { context.noteOtherLinks(end) }
        // Relationships that were read since the deletion were read without the object.
        if wasDeleted, now != nil { context.divergentLists.forget(otherBecauseOf: object) }
    }

    /// Reverts the removal of objects from relationships in join tables, if their deletion did not
    /// happen in the end.
    private func takeBackRemovals(of keys: Set<Int64>, _ entity: EntityDescription) {
        for relationship in entity.relationships where relationship.isJoinTable {
            guard let inverse = relationship.inverse else { continue }
            let others = context.registry.registered(family: relationship.destination) {
                $0.extras?.links[inverse]?.removed.isDisjoint(with: keys) == false
            }
            for other in others where other.canBeRestored {
                let removed = other.extras?.links[inverse]?.removed.intersection(keys) ?? []
                for key in removed.sorted() { other.reversal.forgetLink(inverse, to: key) }
            }
        }
    }

    /// Names the objects with relationships that the save changed in a way unknown to its context:
    /// by writing over a row that other contexts had changed or deleted.
    private mutating func nameOwners(_ resolution: ConflictResolution) {
        let (entity, theirs) = (resolution.entity, resolution.theirs?.record)
        switch resolution.action {
        case .update(let placed, _) where theirs != nil:
            changes.nameOwners(of: entity, from: theirs, to: placed.record, in: context)
        case .reinsert(let placed):
            changes.nameOwners(of: entity, from: nil, to: placed.record, in: context)
        case .delete: changes.nameOwners(of: entity, from: theirs, to: nil, in: context)
        case .update, .insert, .keepStored, .replace: break
        }
    }

    private mutating func apply(_ resolution: ConflictResolution) {
        let id = resolution.id
        let object = context.registry[id]
        switch resolution.action {
        case .update(let placed, let slots):
            if let object, !resolution.isUnrequested {
                take(placed, for: object)
                resolved.append(object)
                object.extras?.changedSlots.formUnion(slots)
                if object.lifecycle == .inserted { becomeChanged(object, slots) }
            } else {
                placed.record.version += 1
                changes.update(resolution.entity, placed, slots)
                if let object { follow(placed, object) }
            }
        case .insert(let placed):
            guard let object else { return }
            object.placed = placed
            context.noteForEvent(object)
        case .reinsert(let placed):
            guard let object else { return }
            take(placed, for: object)
            // The other contexts have merged its deletion, so it is a new object for them, with all
            // its relationships.
            changes.insert(object)
            object.row.becomeSaved()
        case .delete:
            // If the context has deleted the object itself, it is reported with all its
            // relationships.
            if object?.lifecycle == .deleted { return }
            changes.delete(resolution.entity, id.key)
            object.map(invalidate)
        case .keepStored(let theirs?):
            keptStored.insert(id)
            guard let object else { return }
            object.row.forgetDeferredChange()
            let wasWritten = object.lifecycle == .updated || object.lifecycle == .inserted
            object.row.becomeClean(object.row.keepingTransients(theirs))
            resolved.append(object)
            // The row is theirs, but pairs of join tables were still written. Others must be
            // notified of the pairs, not of the reverted values.
            if wasWritten, object.extras?.hasRelationshipChanges == true { changes.update(object) }
            // Written, or reverted with the row; the next use reads them again.
            if object.extras?.hasRelationshipChanges == true { context.noteOtherLinks(object) }
            object.extras?.links = [:]
            context.noteForEvent(object)
        case .keepStored(nil):
            object.map(invalidate)
        case .replace:
            break
        }
    }

    /// The row to be inserted again existed. Other contexts have read it, so it is a changed row
    /// for them.
    private mutating func becomeChanged(_ object: ManagedObject, _ slots: SlotSet) {
        object.ownExtras.changedSlots = slots
        changes.update(object)
        object.row.becomeSaved()
    }

    /// Shows the row that the save wrote in an object that had no changes to be saved.
    private mutating func follow(_ placed: PlacedRecord, _ object: ManagedObject) {
        let record = object.row.keepingTransients(placed)
        if object.lifecycle == .clean {
            object.row.becomeClean(record)
        } else {
            // Links changed, or values that are in memory only.
            object.placed = record
            keptStored.insert(RowIdentity(object))
        }
        resolved.append(object)
        context.noteForEvent(object)
    }

    private func invalidate(_ object: ManagedObject) {
        object.lifecycle = .invalid
        object.ownExtras.vanished = true
        context.forget(object)
        context.noteForEvent(object)
    }

    /// Replaces a new object by the one that has its unique values. The replacement shows the row
    /// that the save found.
    private mutating func replace(
        _ id: RowIdentity, to entity: EntityDescription, _ key: Int64, _ theirs: PlacedRecord?
    ) {
        guard let object = context.registry[id] else { return }
        let replacement = context.registry.object(entity: entity.index, key: key)
        if let record = replacement.record, let theirs, !replacement.flags.contains(.isDraft),
            theirs.record.version > record.version
        {
            replacement.placed = replacement.row.keepingTransients(theirs)
        }
        context.replacements.replace(object, by: replacement)
        replaced.append(object)
    }

    /// Shows derived values in the object, if the context has it.
    ///
    /// - Parameter rewritten: The objects with rows that the save updated.
    /// - Returns: The row and its slots with other values, if others must be notified because the
    ///   save did not write the row itself.
    private func takeDerived(
        _ row: DerivedRow, _ rewritten: Set<ObjectIdentifier>
    ) -> (row: DerivedRow, slots: SlotSet)? {
        let entity = context.coordinator.model.entities[row.entity]
        var changed = SlotSet()
        let object = context.registry.roots[entity.rootIndex].map[row.key]
        guard let object, let record = object.record, let page = object.page else {
            for (slot, _) in row.values { changed.insert(slot) }
            return (row, changed)
        }
        for (slot, value) in row.values
        where record.storedValue(slot, entity.shape.kinds[slot]) != value { changed.insert(slot) }
        let isWritten =
            object.lifecycle == .inserted || rewritten.contains(ObjectIdentifier(object))
        if changed.isEmpty { return nil }
        // A record that other contexts may have is not changed.
        var placed =
            isWritten && object.flags.contains(.isDraft)
            ? PlacedRecord(page: page, record: record)
            : context.state.draftWriter.copy(record, entity.shape)
        for (slot, value) in row.values {
            context.state.draftWriter.set(value, slot, of: &placed, entity.shape)
        }
        withExtendedLifetime(page) {
            object.placed = placed
        }
        context.noteForEvent(object)
        guard isWritten else { return (row, changed) }
        object.extras?.changedSlots.formUnion(changed)
        return nil
    }

    /// Shows a merged row, as it was written, in its object.
    private func take(_ placed: PlacedRecord, for object: ManagedObject) {
        placed.record.version += 1
        object.placed = placed
        context.noteForEvent(object)
    }
}

extension StoreScope {
    func contains(_ object: ManagedObject) -> Bool {
        roots?.contains(object.entityDescription.rootIndex) ?? true
    }

    func objects(among objects: [ManagedObject]) -> [ManagedObject] {
        roots == nil ? objects : objects.filter(contains)
    }

    /// The objects in the store, and the others.
    func split(_ objects: [ManagedObject]) -> (inside: [ManagedObject], outside: [ManagedObject]) {
        guard roots != nil else { return (objects, []) }
        return (objects.filter(contains), objects.filter { !contains($0) })
    }
}

/// The notifications of a save.
struct SaveNotice {
    /// The saved objects: the lists of the context, which are not copied this way.
    private(set) var saved: [[ManagedObject]]
    /// The objects that got other values by the save: from the merge policy, or from the parent of
    /// a child.
    private(set) var resolved: [ManagedObject] = []
    /// The saved changes.
    private(set) var changeSets: [ChangeSet] = []
    /// The error if some of several stores could not save.
    private(set) var failure: IncompleteSaveError?
    private var replaced: [ManagedObject] = []
    /// The saved objects, for observers of objects.
    private var savedObjects: SavedObjects?

    /// Called before the context applies the outcome.
    init(of context: ManagedObjectContext) {
        let changes = context.changes
        saved = [changes.inserted, changes.updated, changes.deleted]
        if context.observers.wantsSaves { savedObjects = SavedObjects(changes) }
    }

    /// Adds the changes that one store has committed.
    mutating func add(_ completion: SaveCompletion) {
        resolved += completion.resolved
        replaced += completion.replaced
        if let changeSet = completion.changeSet { changeSets.append(changeSet) }
    }

    /// Adds that not all stores have committed.
    ///
    /// - Parameter pending: The objects that are still to be saved.
    mutating func add(_ failure: IncompleteSaveError, pending: [ManagedObject]) {
        self.failure = failure
        let pending = Set(pending)
        saved = saved.map { list in list.filter { !pending.contains($0) } }
        savedObjects?.leaveOut(pending)
    }

    /// Adds the changes that a parent has received.
    mutating func add(_ changeSets: [ChangeSet], resolved: [ManagedObject]) {
        self.changeSets += changeSets
        self.resolved += resolved
    }

    /// Notifies observers of the saved objects.
    func notify(_ observers: ObserverHub) {
        guard var savedObjects else { return }
        for changeSet in changeSets { savedObjects.add(changeSet) }
        savedObjects.leaveOut(replaced)
        observers.post(.didSave, savedObjects)
        observers.post(.didSaveObjectIDs, ChangedObjectIDs(savedObjects.changeSets))
    }

    /// Removes replaced objects from the undo manager: there is nothing of them to revert.
    func notify(_ undoManager: ContextUndoManager?) {
        if !replaced.isEmpty { undoManager?.forget(replaced) }
    }
}

extension ConflictResolution.Action {
    /// Whether the row does not exist after the save.
    fileprivate var leavesNoRow: Bool {
        switch self {
        case .delete, .keepStored(nil): true
        case .update, .insert, .reinsert, .keepStored, .replace: false
        }
    }
}
