import CambiumRecords

/// Makes the unsaved changes of a child context unsaved changes of its parent. What can fail fails
/// when it is made; nothing has changed then.
struct ParentSave {
    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    /// The changed objects, with the slots that were set.
    private let updates: [(object: ManagedObject, slots: SlotSet)]

    /// Called when the changes of both contexts are processed.
    ///
    /// - Throws: ``StoreError`` where the parent has deleted an object that was changed here,
    ///   ``ValidationError`` where one that is linked to here; what reading the parent throws.
    init(of child: ManagedObjectContext, to parent: ManagedObjectContext) throws {
        self.child = child
        self.parent = parent
        updates = child.updated.map { ($0, $0.settableChangedSlots) }
        try readTargets()
        try requireTargets()
        try requireDestinations()
    }

    // MARK: Checking

    /// Makes the parent have all objects that are looked at below.
    private func readTargets() throws {
        var keys: [Int: Set<Int64>] = [:]
        func want(_ id: RowIdentity) { keys[id.root, default: []].insert(id.key) }
        for object in child.updated + child.deleted { want(RowIdentity(object)) }
        forEachLink { _, _, id, _ in want(id) }
        let new = Set(child.inserted.map { RowIdentity($0) })
        for (root, keys) in keys.sorted(by: { $0.key < $1.key }) {
            let others = keys.filter { !new.contains(RowIdentity(root: root, key: $0)) }
            _ = try parent.presentObjects(others.sorted(), root: root)
            for key in others {
                let survivor = parent.survivor(of: RowIdentity(root: root, key: key))
                if let survivor, survivor.isFault { try parent.load(survivor) }
            }
        }
    }

    /// The parent's object of a row; nil where the parent has deleted it.
    private func target(of id: RowIdentity) -> ManagedObject? {
        let found = parent.objects[id.root].map[id.key] ?? parent.survivor(of: id)
        return found.flatMap { $0.isThere ? $0 : nil }
    }

    private func target(of object: ManagedObject) -> ManagedObject? {
        target(of: RowIdentity(object))
    }

    private func requireTargets() throws {
        let lost = updates.filter { target(of: $0.object) == nil }
        guard !lost.isEmpty else { return }
        let names = lost.prefix(5).map { "\($0.object.objectID)" }.joined(separator: ", ")
        throw StoreError(
            code: .missingRow,
            message: "The parent context has deleted objects that were changed here: \(names).",
            remedy: "Delete them here too, or discard the changes with "
                + "refresh(_:mergeChanges: false).")
    }

    private func requireDestinations() throws {
        let new = Set(child.inserted.map { RowIdentity($0) })
        let leaving = Set(child.deleted.map { RowIdentity($0) })
        var errors: [ValidationError] = []
        forEachLink { object, relationship, id, isAdded in
            guard isAdded, leaving.contains(id) || (!new.contains(id) && target(of: id) == nil),
                !hasKey(object, relationship, id)
            else { return }
            let name = relationship.relationship.name
            errors.append(
                ValidationError(
                    code: .missing, entityName: object.entityDescription.name,
                    objectID: object.objectID, property: name,
                    message:
                        "\(name) references an object that is deleted here or in the parent "
                        + "context. Clear the reference first."))
        }
        if !errors.isEmpty { throw ValidationErrors.combined(errors) }
    }

    /// Whether the parent's object leads there, too: what a child deletes it is led away from then.
    private func hasKey(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ id: RowIdentity
    ) -> Bool {
        guard let slot = relationship.slot, let record = target(of: object)?.record else {
            return false
        }
        return record.hasValue(slot) && record.integer(slot) == id.key
    }

    /// Calls the body with each link that was set, and with each that was taken away from a join
    /// table.
    private func forEachLink(
        _ body: (
            _ object: ManagedObject, _ relationship: RelationshipDescription, _ id: RowIdentity,
            _ isAdded: Bool
        ) -> Void
    ) {
        func visit(_ object: ManagedObject, _ slots: SlotSet?) {
            guard let record = object.record else { return }
            for relationship in object.entityDescription.relationships {
                let root = child.coordinator.model.entities[relationship.destination].rootIndex
                if let slot = relationship.slot {
                    guard record.hasValue(slot), slots?.contains(slot) ?? true else { continue }
                    body(
                        object, relationship, RowIdentity(root: root, key: record.integer(slot)),
                        true)
                } else if relationship.isJoinTable || relationship.isTransient,
                    let links = object.extras?.currentLinks(of: relationship)
                {
                    let isStored = !relationship.isTransient
                    for key in links.added.keys {
                        body(object, relationship, RowIdentity(root: root, key: key), isStored)
                    }
                    for key in links.removed {
                        body(object, relationship, RowIdentity(root: root, key: key), false)
                    }
                }
            }
        }
        for object in child.inserted { visit(object, nil) }
        for (object, slots) in updates { visit(object, slots) }
    }

    // MARK: Saving

    /// What the save is told as.
    var changeSets: [ChangeSet] {
        var changes = ChangeCollector(
            entityCount: child.coordinator.model.entities.count, attachesRows: false,
            namesOwners: true)
        for object in child.inserted { changes.insert(object) }
        for (object, _) in updates { changes.update(object) }
        for object in child.deleted { changes.delete(object) }
        let all = child.inserted + updates.map(\.object) + child.deleted
        return child.changeSets(of: changes.entities, unsavedAmong: all).map { changeSet in
            var changeSet = changeSet
            changeSet.holder = parent.identifier
            return changeSet
        }
    }

    /// Changes the parent.
    func apply() {
        let unseen = unseenChanges
        // First, while the relationships of what goes are as they were.
        for object in child.deleted { target(of: object).map(parent.delete) }
        var transfer = ChangeTransfer(to: parent)
        for object in child.inserted {
            if let known = parent.revived(object) {
                transfer.add(object, object.allSettableSlots, to: known, replacesLinks: true)
            } else if let inserted = parent.insert(object) {
                // Its deletion is in the store, and others may have heard of it.
                if child.rebirths[RowIdentity(object)] != nil {
                    parent.rebirths[RowIdentity(object)] = .max
                }
                transfer.add(object, object.keySlots, to: inserted)
            }
        }
        for (object, slots) in updates {
            if let target = target(of: object) { transfer.add(object, slots, to: target) }
        }
        transfer.apply()
        for object in child.locked { target(of: object).map(parent.detectConflicts) }
        unseen.apply()
        parent.tellChildren([], of: parent.propagateDeletesOfChild())
    }

    private var unseenChanges: UnseenChanges {
        var unseen = UnseenChanges(of: child, in: parent)
        for (object, slots) in updates {
            if let target = target(of: object) { unseen.look(at: object, slots, target) }
        }
        for object in child.deleted + child.locked {
            if let target = target(of: object) { unseen.look(at: object, nil, target) }
        }
        return unseen
    }

    /// The parent has what came back in the child: what comes from there from now on is about this
    /// life of it.
    private func endRebirths() {
        if child.rebirths.isEmpty { return }
        let reborn = Set(child.inserted.map { RowIdentity($0) })
            .intersection(child.rebirths.keys)
        child.mailbox.discardDeletions(of: reborn)
        for id in reborn { child.rebirths[id] = nil }
    }

    /// Makes the child's objects what the parent has now.
    ///
    /// - Returns: Those that got other values by it.
    func adopt() -> [ManagedObject] {
        var resolved: [ManagedObject] = []
        var outdated: Set<Int> = []
        endRebirths()
        for object in child.inserted {
            object.becomeSaved()
            object.commitTransientLinks()
        }
        for (object, _) in updates {
            object.becomeSaved()
            object.commitTransientLinks()
            guard let target = target(of: object) else { continue }
            if target.key != object.key {
                child.followForward(of: object)
            } else if object.take(valuesOf: target, child.rowWriter) {
                outdated.insert(object.entityDescription.index)
                resolved.append(object)
                child.noteForEvent(object)
            }
        }
        for object in child.deleted {
            object.lifecycle = .gone
            child.forget(object)
        }
        child.emptyLists()
        child.locked = []
        // The other ends of what the parent had changed meanwhile are read again.
        if !outdated.isEmpty {
            let commit = child.startMerge()
            for entity in outdated { child.noteTouchedRelationships(of: entity, in: commit) }
        }
        return resolved
    }
}

extension ManagedObject {
    /// All slots but those that nobody sets.
    fileprivate final var allSettableSlots: SlotSet {
        var slots = entityDescription.storedSlots
        for slot in entityDescription.transientSlots { slots.insert(slot) }
        return slots.subtracting(entityDescription.derivedSlots)
    }

    /// The slots of to-ones.
    fileprivate final var keySlots: SlotSet {
        entityDescription.relationships.reduce(into: SlotSet()) { slots, relationship in
            if let slot = relationship.slot { slots.insert(slot) }
        }
    }

    /// Shows the values of the parent's object.
    ///
    /// - Returns: Whether they differ.
    fileprivate final func take(
        valuesOf above: ManagedObject, _ writer: RecordWriter
    ) -> Bool {
        guard let record, let other = above.record,
            entityDescription === above.entityDescription
        else { return false }
        let differs = entityDescription.shape.kinds.enumerated().contains { slot, kind in
            !record.isEqual(slot, kind, to: other)
        }
        guard differs, let placed = above.handedDown(by: writer) else { return false }
        self.record = placed.record
        page = placed.page
        return true
    }
}
