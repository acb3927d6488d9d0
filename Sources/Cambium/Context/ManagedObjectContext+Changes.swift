import CambiumSQLite

extension ManagedObjectContext {
    /// The objects that the next save will insert.
    public var insertedObjects: Set<ManagedObject> {
        Set(inserted.filter { $0.lifecycle == .inserted })
    }

    /// The objects that were changed since they were read or saved. A new object is not among them.
    public var updatedObjects: Set<ManagedObject> {
        Set(updated.filter { $0.lifecycle == .updated })
    }

    /// The objects that the next save will delete. A new object that was deleted again is not among
    /// them.
    public var deletedObjects: Set<ManagedObject> {
        Set(deleted.filter { $0.lifecycle == .deleted })
    }

    /// Whether there is anything to save.
    public var hasChanges: Bool {
        inserted.contains { $0.lifecycle == .inserted }
            || updated.contains { $0.lifecycle == .updated }
            || deleted.contains { $0.lifecycle == .deleted }
    }

    /// Marks an object for deletion by the next save. What its relationships' delete rules say
    /// happens when changes are processed, at the end of the event or at the save.
    ///
    /// A new object simply vanishes.
    public func delete(_ object: ManagedObject) {
        guard object.state === state else {
            recordForeign(object)
            return
        }
        // The delete rules and the optimistic lock need the row.
        if object.lifecycle == .clean || object.lifecycle == .updated { fire(object) }
        switch object.lifecycle {
        case .inserted, .clean, .updated:
            object.prepareForDeletion()
            if !object.flags.contains(.isNoted) { note(object) }
            unpropagated.append(object)
            listsAreStale = true
            if object.lifecycle == .inserted {
                object.extras?.vanished = false
                object.lifecycle = .discarded
            } else {
                object.lifecycle = .deleted
                deleted.append(object)
            }
        case .deleted, .discarded, .gone:
            break
        }
    }

    /// Makes an object ready for a setter: its record becomes a copy that may be written, and the
    /// change is known.
    func willChange(_ object: ManagedObject) {
        switch object.lifecycle {
        case .gone, .discarded:
            return
        case .clean, .updated, .deleted:
            if !object.flags.contains(.isDraft) { makeDraft(object) }
            guard object.lifecycle != .gone else { return }
            if object.lifecycle == .clean { becomeUpdated(object) }
        case .inserted:
            break
        }
        if !object.flags.contains(.isNoted) { note(object) }
    }

    /// Notes that a relationship of the object changed that is kept elsewhere: the object counts as
    /// updated, but its row need not be written.
    func willChangeLinks(_ object: ManagedObject) {
        if object.lifecycle == .clean { becomeUpdated(object) }
        if !object.flags.contains(.isNoted) { note(object) }
    }

    private func becomeUpdated(_ object: ManagedObject) {
        // An object that was refreshed is still in the list, and must not be in it twice.
        if listsAreStale { settleLists() }
        object.lifecycle = .updated
        updated.append(object)
    }

    private func note(_ object: ManagedObject) {
        object.flags.insert(.isNoted)
        noted.append(object)
        scheduleProcessing()
    }

    private func makeDraft(_ object: ManagedObject) {
        if object.record == nil { fire(object) }
        guard object.lifecycle != .gone, let record = object.record, let page = object.page else {
            return
        }
        let copy = draftWriter.copy(record, object.entityDescription.shape)
        let extras = object.ownExtras
        extras.snapshot = PlacedRecord(page: page, record: record)
        extras.changedSlots = SlotSet()
        object.record = copy.record
        object.page = copy.page
        object.flags.formUnion([.isDraft, .tracksSlots])
    }

    /// Processes what changed since the last time: propagates deletes along the delete rules and
    /// tells controllers and observers.
    ///
    /// It happens by itself before a fetch and a save, and at the end of every `perform`.
    public func processPendingChanges() {
        guard !isProcessing else { return }
        isProcessing = true
        defer { isProcessing = false }
        while !unpropagated.isEmpty {
            let objects = unpropagated
            unpropagated = []
            for object in objects { propagateDelete(of: object) }
        }
        settleLists()
        let changed = noted
        noted = []
        for object in changed { object.flags.remove(.isNoted) }
        guard !observers.isEmpty, !changed.isEmpty else { return }
        var changes = ObjectChanges()
        for object in changed {
            switch object.lifecycle {
            case .inserted: changes.inserted.append(object)
            case .updated, .clean: changes.updated.append(object.latestUpdate)
            case .deleted, .discarded, .gone: changes.deleted.append(object)
            }
        }
        notifyObservers(changes)
    }

    /// Removes objects from the lists that have moved on.
    func settleLists() {
        guard listsAreStale else { return }
        listsAreStale = false
        for object in inserted where object.lifecycle == .discarded { forget(object) }
        inserted.removeAll { $0.lifecycle != .inserted }
        updated.removeAll { $0.lifecycle != .updated }
        deleted.removeAll { $0.lifecycle != .deleted }
    }

    // MARK: Mistakes that cannot be thrown where they happen

    func recordForeign(_ object: ManagedObject) {
        recordedErrors.append(
            StoreError(
                code: .foreignObject,
                message: "\(object) belongs to another context. "
                    + "Look it up in this one with object(with: its objectID)."))
    }

    func recordForeignLink(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        recordedErrors.append(
            StoreError(
                code: .foreignObject,
                message: "\(owner).\(relationship.relationship.name) was set to \(object), which "
                    + "belongs to another context or is gone. "
                    + "Look it up in this context with object(with: its objectID)."))
    }

    func recordWrongEntity(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        recordedErrors.append(
            StoreError(
                code: .invalidRequest,
                message: "\(owner).\(relationship.relationship.name) leads to objects of "
                    + "\(relationship.relationship.destination); it was set to \(object)."))
    }
}

extension ManagedObject {
    /// What changed since the object was read or saved. After changes were taken back, anything may
    /// have.
    fileprivate final var latestUpdate: ObjectChanges.Update {
        guard lifecycle == .updated else {
            return ObjectChanges.Update(object: self, slots: nil, changesLinks: false)
        }
        return ObjectChanges.Update(
            object: self, slots: extras?.changedSlots ?? SlotSet(),
            changesLinks: extras?.hasRelationshipChanges ?? false)
    }
}
