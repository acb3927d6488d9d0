import CambiumRecords

extension ManagedObjectContext {
    /// The objects that the next save will insert.
    public var insertedObjects: Set<ManagedObject> {
        Set(changes.inserted.filter { $0.lifecycle == .inserted })
    }

    /// The objects that were changed since they were read or saved. A new object is not among them;
    /// a changed one that was deleted is, until changes are processed.
    public var updatedObjects: Set<ManagedObject> {
        Set(changes.updated.filter { $0.lifecycle == .updated || $0.lifecycle == .deleted })
    }

    /// The objects that the next save will delete. A new object that was deleted again is not among
    /// them.
    public var deletedObjects: Set<ManagedObject> {
        Set(changes.deleted.filter { $0.lifecycle == .deleted })
    }

    /// Whether there is anything to save.
    public var hasChanges: Bool { !changes.isEmpty }

    /// Marks an object for deletion by the next save. The delete rules of its relationships are
    /// applied when changes are processed: at the end of the event or at the save.
    ///
    /// A new object is removed without a trace. If the object is deleted already, only
    /// `prepareForDeletion()` is called again.
    public func delete(_ object: ManagedObject) {
        delete(object, cause: .request)
    }

    func delete(_ object: ManagedObject, cause: DeletionCause) {
        guard object.state === state else {
            errors.recordOtherContext(object)
            return
        }
        var object = object.orReplacement
        // The delete rules and the optimistic lock need the row.
        if object.lifecycle == .clean || object.lifecycle == .updated {
            // If another context has deleted the row, there is nothing left to delete.
            guard faulting.hasRow(object) else { return deferredMerges.mergeDeletion(of: object) }
            object = object.orReplacement
            faulting.fire(object)
        }
        switch object.lifecycle {
        case .inserted, .clean, .updated:
            activity.prepareForDeletion(object, because: cause)
            // The hook may have done it.
            guard object.lifecycle != .deleted, object.lifecycle != .discarded else { return }
            deleteRules.noteDeletion(of: object)
            changes.unpropagated.append(object)
            if object.lifecycle == .inserted { object.extras?.vanished = false }
            changes.delete(object)
        case .deleted:
            if cause == .request { activity.prepareForDeletion(object, because: cause) }
        case .discarded, .invalid:
            if object.flags.contains(.isForgotten) { errors.recordForgotten(object) }
        }
    }

    /// Prepares an object for a setter: its record becomes a copy that may be written, and the
    /// change is noted.
    func willChange(_ object: ManagedObject) {
        switch object.lifecycle {
        case .invalid, .discarded:
            if object.flags.contains(.isForgotten) { errors.recordForgotten(object) }
            return
        case .clean, .updated, .deleted:
            if !object.flags.contains(.isDraft) { makeDraft(object) }
            guard object.lifecycle != .invalid else { return }
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
        changes.update(object)
        if object.notesReads { object.notifyOfChange(of: .lifecycle) }
    }

    /// Notes that the event changes an object: from now on its former values are kept.
    func note(_ object: ManagedObject) {
        object.tracking.keepEventBase()
        noteAsChanged(object)
    }

    /// Notes that all properties of an object may have changed. Observers are notified at the end
    /// of the event.
    func noteForEvent(_ object: ManagedObject) {
        if object.notesReads { object.notifyOfChanges() }
        noteAsChanged(object)
        object.flags.insert(.hasOtherValues)
    }

    /// Notes that relationships of an object changed that are kept elsewhere, and nothing else of
    /// it.
    func noteOtherLinks(_ object: ManagedObject) {
        if object.notesReads { object.notifyOfChanges() }
        if !object.flags.contains(.isNoted) { note(object) }
        object.flags.insert(.hasOtherLinks)
    }

    @inline(never)
    private func noteAsChanged(_ object: ManagedObject) {
        guard !object.flags.contains(.isNoted) else { return }
        object.flags.insert(.isNoted)
        if object.flags.contains(.isDraft) { object.extras?.lastEvent = activity.event }
        changes.noted.append(object)
        activity.scheduleEndOfEvent()
    }

    private func makeDraft(_ object: ManagedObject) {
        if object.record == nil {
            faulting.fire(object)
            if object.record == nil, object.lifecycle != .invalid {
                // The row could not be read. The changes wait for it, and so does the save.
                object.row.becomePlaceholder()
                object.flags.insert(.isUnread)
            }
        }
        guard object.lifecycle != .invalid, let record = object.record, let page = object.page
        else {
            return
        }
        object.flags.formUnion([.isDraft, .tracksSlots])
        // Safety: the object keeps its extras, and by its state the description and the writer.
        uncounted(object.ownExtras).use { extras in
            extras.changedSlots = SlotSet()
            extras.lastEvent = activity.event
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
            object.placed = copy
        }
    }
}

extension ManagedObjectContext {
    /// Inserts a new object of an entity: for generic code. Typed code uses the generated
    /// initializers.
    ///
    /// - Throws: ``StoreError`` with `unknownName` for an entity that the model does not have, or
    ///   that is abstract.
    public func insertObject(ofEntity name: String) throws -> ManagedObject {
        guard let description = coordinator.model[name], !description.isAbstract else {
            throw StoreError.noConcreteEntity(name, in: coordinator.model.model)
        }
        let object = description.objectClass.init(registration(inserting: description))
        didInsert(object)
        return object
    }

    func registration(inserting type: ManagedObject.Type) -> ObjectRegistration {
        registry.withEntity(of: type) { registration(inserting: $0) }
    }

    private func registration(inserting description: EntityDescription) -> ObjectRegistration {
        let key = keys.next(root: description.rootIndex)
        let placed: PlacedRecord
        do {
            placed = try description.makeRecord(
                by: state.draftWriter, at: Date(), keeping: coordinator.datePrecision)
        } catch {
            // An initializer cannot throw. No save succeeds while the object exists.
            keys.fail(RowIdentity(root: description.rootIndex, key: key), error)
            placed = state.draftWriter.copy(
                description.template.record, description.shape, room: 128)
        }
        placed.record.key = key
        return ObjectRegistration(
            state: state, entity: description, key: key, placed: placed, lifecycle: .inserted)
    }

    func didInsert(_ object: ManagedObject) {
        addInserted(object)
        object.awakeFromInsert()
    }

    func addInserted(_ object: ManagedObject) {
        // Safety: the state holds the coordinator, and this holds the descriptions. The context
        // keeps its parts.
        uncounted(object.entityDescription).use { entity in
            uncounted(registry).use { $0.insert(object, in: entity) }
            if entity.remembersDefaults { object.row.rememberDefaults() }
        }
        uncounted(changes).use { $0.insert(object) }
        activity.scheduleEndOfEvent()
    }
}

// The end of an event: the changes since the last time are collected, and observers are notified.
extension ManagedObjectContext {
    /// Processes the changes since the last call. It applies the delete rules, keeps inverse
    /// relationships consistent, registers the changes with the undo manager, and notifies
    /// controllers and observers.
    ///
    /// It is called automatically before a fetch and a save, and at the end of every `perform`. A
    /// context that you create with `newContext(isolation:)` has no end of events. In this case,
    /// the changes until you call it are one group of the undo manager.
    public func processPendingChanges() {
        processChanges()
        if !activity.hasEvents { undoManager?.endEvent() }
    }

    /// Processes changes in the middle of an event.
    ///
    /// - Parameter propagatesDeletes: Whether the delete rules are followed; nil means as the
    ///   context is set.
    func processChanges(propagatesDeletes: Bool? = nil) {
        if activity.isProcessing { return }
        // Every fetch runs this.
        if observers.followersAreBehind { observers.retryFollowers() }
        guard changes.needProcessing else { return }
        activity.isProcessing = true
        defer { activity.isProcessing = false }
        if propagatesDeletes ?? propagatesDeletesAtEndOfEvent { deleteRules.propagate() }
        let notifies = observers.wantsChanges
        let isRegistering =
            changes.processedInMerge == nil && undoManager?.isUndoRegistrationEnabled == true
        let event = notifies || isRegistering ? Event(changes) : nil
        settleChanges()
        if let event, isRegistering { undoManager?.register(event) }
        let followed = observers.hasFollowers ? ObjectChanges(of: changes.noted) : ObjectChanges()
        let changed = changes.endEvent(isSaving: activity.isSaving)
        changed.forEachUncounted { $0.tracking.endEvent() }
        observers.notifyFollowers(followed)
        if let event, notifies { observers.post(ObjectsDidChange(event)) }
    }

    /// Removes objects from the lists of changes that have moved on.
    func settleChanges() {
        for object in changes.settle() { forget(object) }
    }
}

/// The changes of an event, before the event ends.
struct Event {
    /// The objects in the order of their first change.
    let changed: [ManagedObject]
    private let inserted: Set<ObjectIdentifier>
    private let deleted: Set<ObjectIdentifier>
    private let refreshed: Set<ObjectIdentifier>
    private let invalidated: Set<ObjectIdentifier>

    /// Called before the lists are settled.
    init(_ changes: PendingChanges) {
        changed = changes.noted
        inserted = Set(changes.insertedInEvent.map { ObjectIdentifier($0) })
        deleted = Set(changes.deletedInEvent.map { ObjectIdentifier($0) })
        refreshed = Set(changes.refreshedInEvent.map { ObjectIdentifier($0) })
        invalidated = Set(changes.invalidatedInEvent.map { ObjectIdentifier($0) })
    }

    /// Whether the object was not there before the event.
    func isNew(_ object: ManagedObject) -> Bool {
        inserted.contains(ObjectIdentifier(object))
    }

    /// Whether the event deleted the object.
    func isLeaving(_ object: ManagedObject) -> Bool {
        switch object.lifecycle {
        case .deleted: deleted.contains(ObjectIdentifier(object))
        case .discarded, .invalid: true
        case .clean, .inserted, .updated: false
        }
    }

    /// Whether the object's row was found missing.
    func isInvalid(_ object: ManagedObject) -> Bool {
        invalidated.contains(ObjectIdentifier(object))
    }

    /// Whether the object was refreshed and kept its changes.
    func isRefreshed(_ object: ManagedObject) -> Bool {
        refreshed.contains(ObjectIdentifier(object))
    }
}

extension ObjectChanges {
    /// Creates the changes that controllers and observers receive. Called before the event ends.
    init(of changed: [ManagedObject]) {
        for object in changed {
            switch object.lifecycle {
            case .inserted:
                inserted.append(object)
                // The links of an object of an earlier event may have changed.
                if object.changesLinksInEvent { updated.append(object.latestUpdate) }
            case .updated, .clean: updated.append(object.latestUpdate)
            case .deleted, .discarded, .invalid: deleted.append(object)
            }
        }
    }
}

extension ManagedObject {
    /// The possible changes in the current event: the differences from the store, and reverted
    /// changes. A reverted value does not differ from the store any more.
    fileprivate final var latestUpdate: ObjectChanges.Update {
        let isKnown = lifecycle == .updated && !flags.contains(.hasOtherValues)
        return ObjectChanges.Update(
            object: self, slots: isKnown ? extras?.changedSlots ?? SlotSet() : nil,
            changesLinks: changesLinksInEvent || extras?.hasRelationshipChanges ?? false)
    }

    /// Whether the current event changed relationships that are kept elsewhere.
    fileprivate final var changesLinksInEvent: Bool {
        flags.contains(.hasOtherLinks) || extras?.eventLinks != nil
    }
}

/// The changes in a context, as its controllers and observers receive them.
///
/// They may combine several saves of other contexts. In this case an object can be named more than
/// once, and has the values of the last save.
struct ObjectChanges {
    /// An object that was changed.
    struct Update {
        let object: ManagedObject
        /// The slots that may have other values now; nil means any.
        let slots: SlotSet?
        /// Whether a relationship changed that is kept elsewhere than in the object's row.
        let changesLinks: Bool
    }

    /// A row that another context inserted or changed and that this context has no object for.
    struct UnregisteredRow {
        /// The number of the row's entity.
        let entity: Int
        let key: Int64
        /// The row, if the change set contained it.
        var placed: PlacedRecord?
        /// The slots that were set; nil for a new row.
        var slots: SlotSet?
    }

    var inserted: [ManagedObject] = []
    var updated: [Update] = []
    var deleted: [ManagedObject] = []
    /// Rows of the entities that the context's observers watch.
    var unregistered: [UnregisteredRow] = []
    /// The updated objects that lost their values, because the change set did not contain the row.
    var emptied: [ManagedObject] = []
    /// The rows that others deleted and that this context has no objects for.
    var lostRows: [(entity: Int, key: Int64)] = []
    /// Whether these are all changes; if not, anything may have changed.
    var isComplete = true

    /// The changed objects that have their values.
    var refreshedObjects: [ManagedObject] {
        updated.map { $0.object }.filter { $0.record != nil }
    }

    /// Whether an existing object is among the changed ones; true if not all changes are named.
    func mayConcern(_ object: ManagedObject) -> Bool {
        !isComplete || updated.contains { $0.object === object }
            || inserted.contains { $0 === object }
    }

    var isEmpty: Bool {
        isComplete && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && unregistered.isEmpty
            && lostRows.isEmpty
    }
}

extension ObjectChanges {
    /// Notifies the observers of the objects that anything about these may have changed.
    func notifyObjects() {
        for object in inserted { object.notifyOfChanges() }
        for update in updated { update.object.notifyOfChanges() }
        for object in deleted { object.notifyOfChanges() }
    }
}
