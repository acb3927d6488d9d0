import CambiumSQLite

/// Puts together what a save writes, and takes over the outcome when it has been written.
struct SaveRequestBuilder {
    let context: ManagedObjectContext
    private(set) var saved: [ManagedObject] = []
    /// The objects to which the merge policy gave other values.
    private(set) var resolved: [ManagedObject] = []
    /// What was saved, for those who are told of objects.
    private var savedObjects: SavedObjects?
    private var written: [ManagedObject] = []
    private var links: [String: SaveRequest.Links] = [:]
    private var orders: [Int: SaveRequest.Order] = [:]
    private var checks: [Int: SaveRequest.Check] = [:]

    init(context: ManagedObjectContext) {
        self.context = context
    }

    mutating func build() -> SaveRequest {
        var request = SaveRequest()
        // By the number of the entity, so that equal saves write equal files.
        let entityCount = context.coordinator.model.entities.count
        var insertions = [SaveRequest.Insertion?](repeating: nil, count: entityCount)
        for object in context.inserted {
            guard let record = object.record else { continue }
            let entity = object.entityDescription
            if insertions[entity.index] == nil {
                insertions[entity.index] = .init(entity: entity, records: [])
            }
            insertions[entity.index]?.records.append(record)
            collectLinks(of: object)
        }
        var deletions = [SaveRequest.Deletion?](repeating: nil, count: entityCount)
        for object in context.deleted {
            let base = object.extras?.snapshot?.record ?? object.record
            guard let record = base else { continue }
            let entity = object.entityDescription
            if deletions[entity.index] == nil {
                deletions[entity.index] = .init(entity: entity, records: [])
            }
            deletions[entity.index]?.records.append(record)
        }
        request.insertions = insertions.compactMap(\.self)
        request.updates = collectUpdates()
        request.checks = checks.sorted { $0.key < $1.key }.map(\.value)
        request.deletions = deletions.compactMap(\.self)
        request.links = links.sorted { $0.key < $1.key }.map(\.value)
        request.orders = orders.sorted { $0.key < $1.key }.map(\.value)
        saved = context.inserted + context.updated + context.deleted
        if context.observations?.wantsSaves == true { savedObjects = SavedObjects(of: context) }
        return request
    }

    /// The changed rows, grouped by entity and by what was changed, in that order.
    private mutating func collectUpdates() -> [SaveRequest.Update] {
        var updates: [SaveRequest.Update] = []
        var places: [UpdateGroup: Int] = [:]
        for object in context.updated {
            collectLinks(of: object)
            guard let record = object.record, let slots = changedSlots(of: object) else { continue }
            let entity = object.entityDescription
            if slots.isEmpty {
                checks[entity.index, default: .init(entity: entity)].records.append(record)
                continue
            }
            written.append(object)
            // Most objects are changed like the one before.
            if let last = updates.indices.last, updates[last].entity === entity,
                updates[last].slots == slots
            {
                updates[last].records.append(record)
                continue
            }
            let group = UpdateGroup(entity: entity.index, slots: slots)
            if let place = places[group] {
                updates[place].records.append(record)
            } else {
                places[group] = updates.count
                updates.append(.init(entity: entity, slots: slots, records: [record]))
            }
        }
        return places.sorted { $0.key < $1.key }.map { updates[$0.value] }
    }

    private struct UpdateGroup: Hashable, Comparable {
        let entity: Int
        let slots: SlotSet

        static func < (one: UpdateGroup, other: UpdateGroup) -> Bool {
            one.entity == other.entity
                ? one.slots.slots.lexicographicallyPrecedes(other.slots.slots)
                : one.entity < other.entity
        }
    }

    /// The stored slots that were set: empty where all have the values they had, nil where none was
    /// set.
    private func changedSlots(of object: ManagedObject) -> SlotSet? {
        object.noteQuietChanges()
        guard let extras = object.extras, let base = extras.snapshot?.record,
            let record = object.record
        else { return nil }
        let entity = object.entityDescription
        let stored = extras.changedSlots.intersection(entity.storedSlots)
        var differs = false
        stored.forEach { slot in
            differs = differs || !record.isEqual(slot, entity.shape.kinds[slot], to: base)
        }
        if stored.isEmpty { return nil }
        return differs ? stored : SlotSet()
    }

    private mutating func collectLinks(of object: ManagedObject) {
        guard let changed = object.extras?.links, !changed.isEmpty else { return }
        for (ordinal, set) in changed where set.hasChanges {
            let relationship = object.entityDescription.relationships[ordinal]
            if let sql = relationship.orderSQL, let order = set.order, !order.isEmpty {
                orders[relationship.identity, default: .init(sql: sql, lists: [])].lists
                    .append(.init(owner: object.key, order: order))
            }
            guard relationship.ownsPairs,
                case .joinTable(let name, let source, let destination) = relationship.storage
            else { continue }
            var links =
                self.links.removeValue(forKey: name)  // or each object would copy what is there
                ?? .init(table: name, sourceColumn: source, destinationColumn: destination)
            for key in set.added.keys.sorted() { links.added.append((object.key, key)) }
            for key in set.removed.sorted() { links.removed.append((object.key, key)) }
            self.links[name] = links
        }
    }

    // MARK: The outcome

    /// Tells observers what was saved.
    func tellObservers() {
        guard let savedObjects else { return }
        context.post(.didSave, savedObjects)
        context.post(
            .didSaveObjectIDs, ChangedObjectIDs(savedObjects.changeSet.map { [$0] } ?? []))
    }

    /// Makes the objects what the store has now, and tells the other contexts. Called after the
    /// commit, while the writer is locked.
    mutating func adopt(_ outcome: SaveOutcome) {
        let resolutions = outcome.resolutions
        var changes = ChangeCollector(
            entityCount: context.coordinator.model.entities.count,
            attachesRows: context.coordinator.hasListeners(beside: context.identifier)
                && context.inserted.count + context.updated.count <= 10_000)
        for object in written { object.record?.version += 1 }
        for resolution in resolutions { adopt(resolution, &changes) }
        let rewritten = outcome.derived.isEmpty ? [] : Set(written.map { ObjectIdentifier($0) })
        let refreshed = outcome.derived.compactMap { takeDerived($0, rewritten) }
        let yielded = Set(
            resolutions.filter { if case .yield = $0.action { true } else { false } }
                .map { ObjectIdentifierKey($0.conflict) })
        for object in context.inserted {
            object.record?.version = 1
            changes.insert(object)
            object.becomeSaved()
        }
        for object in context.updated where object.lifecycle == .updated {
            if yielded.isEmpty || !yielded.contains(ObjectIdentifierKey(object)) {
                changes.update(object)
            }
            object.becomeSaved()
        }
        for object in context.deleted where object.lifecycle == .deleted {
            changes.delete(object)
            object.lifecycle = .gone
            context.forget(object)
        }
        context.emptyLists()
        for (row, slots) in refreshed {
            changes.refresh(row.key, context.coordinator.model.entities[row.entity], slots)
        }
        let changeSet = context.coordinator.publish(changes.entities, from: context.identifier)
        savedObjects?.changeSet = changeSet
        // Links that this context knows are up to date, except where others' rows were taken over.
        for entity in Set(resolutions.map(\.conflict.entity.index)) {
            context.noteTouchedRelationships(of: entity, in: changeSet.number)
        }
    }

    private mutating func adopt(
        _ resolution: ConflictResolution, _ changes: inout ChangeCollector
    ) {
        guard
            let object = context.objects[resolution.conflict.entity.rootIndex]
                .map[resolution.conflict.key]
        else { return }
        switch resolution.action {
        case .update(let placed, _):
            take(placed, for: object)
            resolved.append(object)
        case .reinsert(let placed):
            take(placed, for: object)
            // For the others, who have seen it go, it is new, with all its relationships.
            changes.insert(object)
            object.becomeSaved()
        case .delete:
            break
        case .yield(let theirs?):
            object.becomeClean(theirs)
            resolved.append(object)
            // The row is theirs, but pairs of join tables were written all the same, and others must
            // hear of them.
            if !resolution.conflict.isDeletion, object.extras?.hasRelationshipChanges == true {
                changes.update(object)
            }
            // Written, or taken back with the row; read again when asked.
            object.extras?.links = [:]
            context.noteForEvent(object)
        case .yield(nil):
            object.lifecycle = .gone
            object.ownExtras.vanished = true
            context.forget(object)
            context.noteForEvent(object)
        }
    }

    /// Makes a merged row, as it was written, the object's own.
    /// Shows derived values in the object, if the context has it.
    ///
    /// - Parameter rewritten: The objects whose rows the save updated.
    /// - Returns: The row and its slots that have other values now, where others must hear of it
    ///   because the save did not write the row itself.
    private func takeDerived(
        _ row: DerivedRow, _ rewritten: Set<ObjectIdentifier>
    ) -> (row: DerivedRow, slots: SlotSet)? {
        let entity = context.coordinator.model.entities[row.entity]
        var changed = SlotSet()
        let object = context.objects[entity.rootIndex].map[row.key]
        guard let object, let record = object.record, let page = object.page else {
            for (slot, _) in row.values { changed.insert(slot) }
            return (row, changed)
        }
        for (slot, value) in row.values
        where record.storedValue(slot, entity.shape.kinds[slot]) != value { changed.insert(slot) }
        let isWritten =
            object.lifecycle == .inserted || rewritten.contains(ObjectIdentifier(object))
        if changed.isEmpty { return nil }
        // A record that others may have is not changed.
        var placed =
            isWritten && object.flags.contains(.isDraft)
            ? PlacedRecord(page: page, record: record)
            : context.draftWriter.copy(record, entity.shape)
        for (slot, value) in row.values {
            context.draftWriter.set(value, slot, of: &placed, entity.shape)
        }
        withExtendedLifetime(page) {
            object.record = placed.record
            object.page = placed.page
        }
        context.noteForEvent(object)
        guard isWritten else { return (row, changed) }
        object.extras?.changedSlots.formUnion(changed)
        return nil
    }

    private func take(_ placed: PlacedRecord, for object: ManagedObject) {
        placed.record.version += 1
        object.record = placed.record
        object.page = placed.page
        context.noteForEvent(object)
    }

    private struct ObjectIdentifierKey: Hashable {
        let root: Int
        let key: Int64

        init(_ conflict: RowConflict) {
            root = conflict.entity.rootIndex
            key = conflict.key
        }

        init(_ object: ManagedObject) {
            root = object.entityDescription.rootIndex
            key = object.key
        }
    }
}

extension ManagedObject {
    /// The record, which may be handed on now, is what the store has.
    final func becomeSaved() {
        guard lifecycle == .inserted || lifecycle == .updated else { return }
        lifecycle = .clean
        flags.subtract([.isDraft, .tracksSlots])
        guard let extras else { return }
        extras.snapshot = nil
        extras.changedSlots = SlotSet()
        extras.quietChanges = nil
        guard !extras.links.isEmpty else { return }
        for ordinal in Array(extras.links.keys) { extras.links[ordinal]?.commit() }
    }
}
