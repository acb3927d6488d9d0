import CambiumRecords

extension ManagedObjectContext {
    /// The objects that the next save will insert.
    public var insertedObjects: Set<ManagedObject> {
        Set(inserted.filter { $0.lifecycle == .inserted })
    }

    /// The objects that were changed since they were read or saved. A new object is not among them;
    /// a changed one that was deleted is, until changes are processed.
    public var updatedObjects: Set<ManagedObject> {
        Set(updated.filter { $0.lifecycle == .updated || $0.lifecycle == .deleted })
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
    /// A new object simply vanishes. Deleting an object again only asks it to prepare again.
    public func delete(_ object: ManagedObject) {
        delete(object, cause: .request)
    }

    func delete(_ object: ManagedObject, cause: DeletionCause) {
        guard object.state === state else {
            recordForeign(object)
            return
        }
        var object = object.standIn
        // The delete rules and the optimistic lock need the row.
        if object.lifecycle == .clean || object.lifecycle == .updated {
            // What others have deleted is as it is to be.
            guard hasRow(object) else { return lose(object) }
            object = object.standIn
            fire(object)
        }
        switch object.lifecycle {
        case .inserted, .clean, .updated:
            prepareForDeletion(object, because: cause)
            // The hook may have done it.
            guard object.lifecycle != .deleted, object.lifecycle != .discarded else { return }
            noteForDeletion(object)
            unpropagated.append(object)
            listsAreStale = true
            if object.lifecycle == .inserted {
                object.extras?.vanished = false
                object.lifecycle = .discarded
            } else {
                object.lifecycle = .deleted
                deleted.append(object)
            }
        case .deleted:
            if cause == .request { prepareForDeletion(object, because: cause) }
        case .discarded, .gone:
            if object.flags.contains(.isForgotten) { recordForgotten(object) }
        }
    }

    /// Notes that an object is about to go, with what has to come back with it.
    func noteForDeletion(_ object: ManagedObject) {
        guard undoManager?.isUndoRegistrationEnabled == true else { return noteForEvent(object) }
        if !object.flags.contains(.isNoted) { note(object) }
        // While it is there: a relationship that is read later does not lead to it any more.
        for relationship in object.entityDescription.relationships
        where relationship.isKeptByUndo {
            object.keepEventLinks(relationship)
        }
        keepPlaces(of: object)
    }

    /// Keeps the lists that an object is about to be taken out of.
    private func keepPlaces(of object: ManagedObject) {
        for relationship in object.entityDescription.relationships
        where relationship.relationship.deleteRule == .nullify && !relationship.isTransient {
            guard let inverse = relationship.inverse,
                coordinator.model.entities[relationship.destination].relationships[inverse]
                    .isOrdered
            else { continue }
            for other in targets(of: relationship, object) where other.canBeRestored {
                if !other.flags.contains(.isNoted) { note(other) }
                other.keepEventLinks(other.entityDescription.relationships[inverse])
            }
        }
    }

    func prepareForDeletion(_ object: ManagedObject, because cause: DeletionCause) {
        // Hooks that delete each other's objects end here.
        guard !object.flags.contains(.isPreparingDeletion) else { return }
        object.flags.insert(.isPreparingDeletion)
        let former = deletionCause
        deletionCause = cause
        object.prepareForDeletion()
        deletionCause = former
        object.flags.remove(.isPreparingDeletion)
    }

    /// Makes an object ready for a setter: its record becomes a copy that may be written, and the
    /// change is known.
    func willChange(_ object: ManagedObject) {
        switch object.lifecycle {
        case .gone, .discarded:
            if object.flags.contains(.isForgotten) { recordForgotten(object) }
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
        if updatedHoldsClean {
            updated.removeAll { $0.lifecycle == .clean }
            updatedHoldsClean = false
        }
        object.lifecycle = .updated
        updated.append(object)
        if object.notesReads { object.tellOfChange(of: .lifecycle) }
    }

    /// Notes that the event changes an object: from now on its former values are kept.
    func note(_ object: ManagedObject) {
        object.keepEventBase()
        noteAsChanged(object)
    }

    /// Notes that an object, which may be another one in all its properties now, is to be told of
    /// at the end of the event.
    func noteForEvent(_ object: ManagedObject) {
        if object.notesReads { object.tellOfChanges() }
        noteAsChanged(object)
        object.flags.insert(.hasOtherValues)
    }

    /// Notes that unsaved links of an object were dropped, and nothing else of it.
    func noteOtherLinks(_ object: ManagedObject) {
        if !object.flags.contains(.isNoted) { note(object) }
        object.flags.insert(.hasOtherLinks)
    }

    private func noteAsChanged(_ object: ManagedObject) {
        guard !object.flags.contains(.isNoted) else { return }
        object.flags.insert(.isNoted)
        if object.flags.contains(.isDraft) { object.extras?.lastEvent = eventNumber }
        noted.append(object)
        scheduleProcessing()
    }

    private func makeDraft(_ object: ManagedObject) {
        if object.record == nil {
            fire(object)
            if object.record == nil, object.lifecycle != .gone {
                // The row could not be read. The changes wait for it, and so does the save.
                object.becomePlaceholder()
                object.flags.insert(.isUnread)
            }
        }
        guard object.lifecycle != .gone, let record = object.record, let page = object.page else {
            return
        }
        object.flags.formUnion([.isDraft, .tracksSlots])
        // Safety: the object keeps its extras, and by its state the description and the writer.
        uncounted(object.ownExtras).use { extras in
            extras.changedSlots = SlotSet()
            extras.lastEvent = eventNumber
            extras.eventBase = .snapshot
            if let quiet = extras.quietChanges, let base = quiet.base {
                // The record is a copy already.
                extras.snapshot = base
                quiet.base = nil
                extras.eventBase = .copy(
                    RecordWriter.compactCopy(record, object.entityDescription.shape))
                return
            }
            extras.snapshot = PlacedRecord(page: page, record: record)
            let copy = uncounted(object.entityDescription.shape).use { shape in
                uncounted(state.draftWriter).use { $0.copy(record, shape) }
            }
            object.record = copy.record
            object.page = copy.page
        }
    }

    // MARK: Mistakes that cannot be thrown where they happen

    func recordForeign(_ object: ManagedObject) {
        recordedErrors.append(
            StoreError.otherContext(of: object))
    }

    func recordForgotten(_ object: ManagedObject) {
        recordedErrors.append(
            StoreError(
                code: .foreignObject,
                message: "\(object.entityDescription.name)/\(object.key) was changed after its "
                    + "context was reset.",
                remedy: "Look it up again with object(with: its objectID)."))
    }

    func recordForeignLink(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        recordedErrors.append(
            StoreError(
                code: .foreignObject,
                message: "\(owner).\(relationship.relationship.name) was set to \(object), which "
                    + "belongs to another context or was deleted.",
                remedy: "Look it up in this context with object(with: its objectID)."))
    }

    func recordWrongEntity(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ object: ManagedObject
    ) {
        recordedErrors.append(
            StoreError(
                code: .invalidRequest,
                message: "\(owner).\(relationship.relationship.name) was set to \(object).",
                remedy: "Set it to an object of \(relationship.relationship.destination)."))
    }
}
