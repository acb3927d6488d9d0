import CambiumRecords

/// Makes the unsaved changes of a child context unsaved changes of its parent. Everything that can
/// fail is checked in the initializer, before anything is changed.
struct ParentSave {
    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    /// The changed objects, with the slots that were set.
    private let updates: [(object: ManagedObject, slots: SlotSet)]

    /// Called when the changes of both contexts are processed.
    ///
    /// - Throws: ``StoreError`` if the parent has deleted an object that was changed here.
    ///   ``ValidationError`` if the parent has deleted an object that is referenced here. Any error
    ///   of reading the parent.
    init(of child: ManagedObjectContext, to parent: ManagedObjectContext) throws {
        self.child = child
        self.parent = parent
        updates = child.changes.updated.map { ($0, $0.settableChangedSlots) }
        try readTargets()
        try requireTargets()
        try requireDestinations()
    }

    // MARK: Checking

    /// Loads all objects that are needed below in the parent.
    private func readTargets() throws {
        var keys = [Int: Set<Int64>]()
        func want(_ id: RowIdentity) { keys[id.root, default: []].insert(id.key) }
        for object in child.changes.updated + child.changes.deleted { want(RowIdentity(object)) }
        forEachLink { _, _, id, _ in want(id) }
        let new = Set(child.changes.inserted.map { RowIdentity($0) })
        for (root, keys) in keys.ordered(by: { $0.key < $1.key }) {
            let others = keys.filter { !new.contains(RowIdentity(root: root, key: $0)) }
            _ = try parent.fetching.presentObjects(others.sorted(), root: root)
            for key in others {
                let replacement = parent.replacements.replacement(
                    of: RowIdentity(root: root, key: key))
                if let replacement, replacement.isFault { try parent.faulting.load(replacement) }
            }
        }
    }

    /// The parent's object of a row, or nil if the parent has deleted it.
    @inline(never)
    private func target(of id: RowIdentity) -> ManagedObject? {
        let found = parent.registry[id] ?? parent.replacements.replacement(of: id)
        return found.flatMap { $0.exists ? $0 : nil }
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
        let new = Set(child.changes.inserted.map { RowIdentity($0) })
        let leaving = Set(child.changes.deleted.map { RowIdentity($0) })
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

    /// Whether the parent's object has the same reference. If it has, the deletion in the child
    /// clears it.
    private func hasKey(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ id: RowIdentity
    ) -> Bool {
        guard let slot = relationship.slot, let record = target(of: object)?.record else {
            return false
        }
        return record.hasValue(slot) && record.integer(slot) == id.key
    }

    /// Calls the body with each link that was set, and with each that was removed from a join
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
        for object in child.changes.inserted { visit(object, nil) }
        for (object, slots) in updates { visit(object, slots) }
    }

    // MARK: Saving

    /// The change sets that the save posts.
    var changeSets: [ChangeSet] {
        var changes = ChangeCollector(
            entityCount: child.coordinator.model.entities.count, attachesRows: false,
            namesOwners: true)
        for object in child.changes.inserted { changes.insert(object) }
        for (object, _) in updates { changes.update(object) }
        for object in child.changes.deleted { changes.delete(object) }
        let all = child.changes.inserted + updates.map { $0.object } + child.changes.deleted
        return child.family.changeSets(of: changes.entities, unsavedAmong: all).map { changeSet in
            var changeSet = changeSet
            changeSet.holder = parent.identifier
            return changeSet
        }
    }

    /// Changes the parent.
    func apply() {
        let unseen = unseenChanges
        let insertion = ChildInsertion(context: parent)
        // First, while deleted objects still have their relationships.
        for object in child.changes.deleted { target(of: object).map(parent.delete) }
        var transfer = ChangeTransfer(to: parent)
        for object in child.changes.inserted {
            if let known = insertion.revived(object) {
                transfer.add(object, object.allSettableSlots, to: known, replacesLinks: true)
            } else if let inserted = insertion.insert(object) {
                // Its deletion is in the store, and other contexts may have merged it.
                if child.merges.reinsertedRows[RowIdentity(object)] != nil {
                    parent.merges.reinsertedRows[RowIdentity(object)] = .max
                }
                transfer.add(object, object.keySlots, to: inserted)
            }
        }
        for (object, slots) in updates {
            if let target = target(of: object) { transfer.add(object, slots, to: target) }
        }
        transfer.apply()
        for object in child.changes.locked { target(of: object).map(parent.detectConflicts) }
        unseen.apply()
        parent.family.notify([], of: parent.deleteRules.propagateOfChild())
    }

    private var unseenChanges: UnseenChanges {
        var unseen = UnseenChanges(of: child, in: parent)
        for (object, slots) in updates {
            if let target = target(of: object) { unseen.look(at: object, slots, target) }
        }
        for object in child.changes.deleted + child.changes.locked {
            if let target = target(of: object) { unseen.look(at: object, nil, target) }
        }
        return unseen
    }

    /// Ends the re-insertion of objects that the parent has now: later changes from the parent
    /// concern the re-inserted rows.
    private func endReinsertions() {
        if child.merges.reinsertedRows.isEmpty { return }
        let reborn = Set(child.changes.inserted.map { RowIdentity($0) })
            .intersection(child.merges.reinsertedRows.keys)
        child.merges.mailbox.discardDeletions(of: reborn)
        for id in reborn { child.merges.reinsertedRows[id] = nil }
    }

    /// Updates the child's objects to the state of the parent.
    ///
    /// - Returns: The objects that got other values.
    func updateChild() -> [ManagedObject] {
        var resolved: [ManagedObject] = []
        var outdated: Set<Int> = []
        endReinsertions()
        for object in child.changes.inserted {
            object.row.becomeSaved()
            object.transients.commit()
        }
        for (object, _) in updates {
            object.row.becomeSaved()
            object.transients.commit()
            guard let target = target(of: object) else { continue }
            if target.key != object.key {
                child.replacements.followParent(object)
            } else if take(valuesOf: target, for: object) {
                outdated.insert(object.entityDescription.index)
                resolved.append(object)
                child.noteForEvent(object)
            }
        }
        for object in child.changes.deleted {
            object.lifecycle = .invalid
            child.forget(object)
        }
        child.changes.removeAll()
        child.changes.locked = []
        // Inverse relationships that the parent had changed meanwhile are read again.
        if !outdated.isEmpty {
            let commit = child.merges.startMerge()
            for entity in outdated { child.merges.noteTouchedRelationships(of: entity, in: commit) }
        }
        return resolved
    }

    /// Shows the values of the parent's object.
    ///
    /// - Returns: Whether the values differ.
    private func take(valuesOf above: ManagedObject, for object: ManagedObject) -> Bool {
        guard let record = object.record, let other = above.record,
            object.entityDescription === above.entityDescription
        else { return false }
        let differs = object.entityDescription.shape.kinds.enumerated().contains { slot, kind in
            !record.isEqual(slot, kind, to: other)
        }
        guard differs, let placed = above.row.handedDown(by: child.reads.rowWriter) else {
            return false
        }
        object.placed = placed
        return true
    }
}

extension ManagedObject {
    /// All slots except derived ones.
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
}

/// Inserts new objects of a child into its parent. The parts are those of the parent.
struct ChildInsertion: ContextAccess {
    let context: ManagedObjectContext

    /// Takes a new object of a child in, with its attributes. It awoke in the child.
    func insert(_ source: ManagedObject) -> ManagedObject? {
        guard let values = source.record else { return nil }
        let entity = source.entityDescription
        let placed = state.draftWriter.copy(values, entity.shape, room: 128)
        // Links are made by their setters.
        for relationship in entity.relationships {
            if let slot = relationship.slot { placed.record.setNull(slot) }
            if let slot = relationship.entitySlot { placed.record.setNull(slot) }
        }
        let object: ManagedObject
        if let fault = registry[RowIdentity(source)] {
            // The object was requested before, by its identity.
            fault.row.becomeNew(placed)
            changes.inserted.append(fault)
            context.noteForEvent(fault)
            object = fault
        } else {
            object = entity.objectClass.init(
                ObjectRegistration(
                    state: state, entity: entity, key: source.key, placed: placed,
                    lifecycle: .inserted))
            context.addInserted(object)
        }
        if let defaults = source.extras?.dynamicDefaults, !defaults.isEmpty {
            object.ownExtras.dynamicDefaults = defaults
        }
        return object
    }

    /// The parent's object of a child's new object, if the parent has it already: the child has
    /// reverted a deletion that it had saved.
    func revived(_ source: ManagedObject) -> ManagedObject? {
        guard let known = registry[RowIdentity(source)],
            known.record != nil
        else { return nil }
        if known.lifecycle == .deleted {
            restoration.takeBackDeletion(of: known)
            deferredMerges.merge()
            known.ownLinks.relinkToOnes()
            changes.revivedInEvent.append(known)
            context.noteForEvent(known)
        }
        return known.exists ? known : nil
    }
}

/// New objects that a save merged into others with the same unique values, and the objects of
/// children that were read from them.
struct Replacements: ContextAccess {
    let context: ManagedObjectContext

    /// Replaces an object by another one.
    func replace(_ object: ManagedObject, by replacement: ManagedObject) {
        context.forget(object)
        object.row.becomeReplaced(by: replacement)
        registry.replacements[RowIdentity(object)] = RowIdentity(replacement)
        context.noteForEvent(object)
        if replacement.lifecycle == .clean { context.noteForEvent(replacement) }
    }

    /// The replacement for the object of a row, here or in an ancestor; nil if there is none.
    func replacement(of id: RowIdentity) -> ManagedObject? {
        if let other = registry.replacement(id.root, id.key) { return other }
        guard let above = parent?.replacements.replacement(of: id) else { return nil }
        return registry.object(entity: above.entityDescription.index, key: above.key)
    }

    /// Replaces the objects of a child that the parent has replaced.
    func followParent() {
        guard let parent else { return }
        for id in parent.replacements.replacedIDs.ordered(by: <) {
            if let object = registry[id] { followParent(object) }
        }
    }

    /// Replaces an object of a child if the parent has replaced its object. Unsaved changes are
    /// applied to the replacement.
    ///
    /// - Returns: Whether the object was replaced.
    @discardableResult
    func followParent(_ object: ManagedObject) -> Bool {
        guard let above = parent?.replacements.replacement(of: RowIdentity(object)) else {
            return false
        }
        let replacement = registry.object(entity: above.entityDescription.index, key: above.key)
        switch object.lifecycle {
        case .clean:
            break
        case .updated:
            var transfer = ChangeTransfer(to: context)
            transfer.add(object, object.settableChangedSlots, to: replacement)
            transfer.apply()
            object.reversal.takeBackLinks()
        case .deleted:
            context.delete(replacement)
        case .inserted, .discarded, .invalid:
            return false
        }
        changes.areStale = true
        replace(object, by: replacement)
        return true
    }

    /// The rows with a replacement, here or in an ancestor.
    private var replacedIDs: Set<RowIdentity> {
        Set(registry.replacements.keys).union(parent?.replacements.replacedIDs ?? [])
    }
}
