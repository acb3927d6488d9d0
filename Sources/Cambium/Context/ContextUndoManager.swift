import CambiumRecords

/// Records the changes of a context, and reverts them.
///
/// Set it as a context's ``ManagedObjectContext/undoManager``. From then on, the changes of every
/// event are a group that ``undo()`` reverts at once: values, relationships on both sides,
/// insertions and deletions. An undo is itself an unsaved change, even if the group was saved
/// already. In this case, undo deletes a saved insertion, and inserts a deleted object again with
/// the same key.
///
/// ```swift
/// context.undoManager = ContextUndoManager()
/// product.price = 12
/// context.undoManager?.setActionName("Change Price")
/// context.undo()      // the old price
/// context.redo()      // 12
/// ```
///
/// The saves of other contexts are not recorded. A rollback and a reset remove all groups.
///
/// The event of a view context ends when the main actor continues with other work, including the
/// `perform` of other contexts (as in Core Data). All changes of one function are therefore one
/// group. To undo a part of an event by itself, enclose it in ``beginUndoGrouping()`` and
/// ``endUndoGrouping()``. A program that never suspends needs these calls for every group.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init()``
///
/// ### Undoing
///
/// - ``undo()``
/// - ``redo()``
/// - ``canUndo``
/// - ``canRedo``
/// - ``isUndoing``
/// - ``isRedoing``
/// - ``removeAllActions()``
///
/// ### Groups
///
/// - ``beginUndoGrouping()``
/// - ``endUndoGrouping()``
/// - ``groupingLevel``
/// - ``groupsByEvent``
/// - ``levelsOfUndo``
///
/// ### Names of groups
///
/// - ``setActionName(_:)``
/// - ``undoActionName``
/// - ``redoActionName``
///
/// ### Changes without undo
///
/// - ``disableUndoRegistration()``
/// - ``enableUndoRegistration()``
/// - ``isUndoRegistrationEnabled``
public final class ContextUndoManager {
    /// The greatest number of groups; 0, the default, for any number.
    public var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }
    /// A Boolean value that indicates whether the end of an event ends a group. If it is false,
    /// ``beginUndoGrouping()`` and ``endUndoGrouping()`` make the groups. Changes outside of them
    /// are one group until the next of these calls, or the next undo. Default: true.
    public var groupsByEvent = true
    /// Whether the manager is undoing changes.
    public private(set) var isUndoing = false
    /// Whether the manager is redoing changes.
    public private(set) var isRedoing = false
    /// The number of groups that ``beginUndoGrouping()`` has begun and that have not ended yet.
    public private(set) var groupingLevel = 0

    private weak var context: ManagedObjectContext?
    private var undoGroups: [UndoGroup] = []
    private var redoGroups: [UndoGroup] = []
    /// The changes that were registered in the current event or group.
    private var current = UndoGroup()
    private var disabledLevel = 0

    /// Creates a manager without anything to undo. It belongs to one context at a time.
    public init() {}

    /// The manager is that of a context from now on, or of none.
    func connect(to context: ManagedObjectContext?) {
        removeAllActions()
        groupingLevel = 0
        self.context = context
    }

    // MARK: Undoing

    /// A Boolean value that indicates whether there is a group to undo. Changes that are not
    /// processed yet are not considered.
    public var canUndo: Bool { !undoGroups.isEmpty || !current.isEmpty }

    /// Whether there is an undone group to do again. Any other change forgets them.
    public var canRedo: Bool { !redoGroups.isEmpty }

    /// Reverts the last group. The changes of the current event are the last group if there are
    /// any. Objects are notified with ``ManagedObject/awake(fromSnapshotEvents:)``, and observers
    /// as of any change.
    ///
    /// Objects that another context has deleted meanwhile are skipped. A required to-one
    /// relationship that referenced one of them stays as it is.
    ///
    /// - Precondition: No group is open that ``beginUndoGrouping()`` began.
    public func undo() {
        precondition(groupingLevel == 0, "End the undo group before undo() is called.")
        guard let context, !context.activity.isProcessing, !isUndoing, !isRedoing else { return }
        context.processChanges()
        endGroup()
        guard let group = undoGroups.popLast() else { return }
        isUndoing = true
        let inverse = apply(group, in: context)
        isUndoing = false
        if let inverse { redoGroups.append(inverse) }
        mergeDeferred(context)
    }

    /// Does the group again that was undone last.
    ///
    /// - Precondition: No group is open that ``beginUndoGrouping()`` began.
    public func redo() {
        precondition(groupingLevel == 0, "End the undo group before redo() is called.")
        guard let context, !context.activity.isProcessing, !isUndoing, !isRedoing else { return }
        context.processChanges()
        endGroup()
        guard let group = redoGroups.popLast() else { return }
        isRedoing = true
        let inverse = apply(group, in: context)
        isRedoing = false
        if let inverse { undoGroups.append(inverse) }
        mergeDeferred(context)
    }

    /// If the undo has removed changes that deferred a merge, the merge is done now. It cannot be
    /// undone.
    private func mergeDeferred(_ context: ManagedObjectContext) {
        if context.merges.deferred.isEmpty { return }
        context.deferredMerges.merge()
        context.processChanges()
    }

    /// Applies a group. Returns the inverse: the group of the changes that it made.
    private func apply(_ group: UndoGroup, in context: ManagedObjectContext) -> UndoGroup? {
        Undoing(context: context).apply(group)
        context.family.notify([], of: context.changes.noted)
        context.processChanges()
        defer { current = UndoGroup() }
        current.actionName = group.actionName
        return current.isEmpty ? nil : current
    }

    /// Forgets everything that could be undone and redone.
    public func removeAllActions() {
        // Released when the lists are empty: the `deinit` of an object's property may undo in turn.
        let former = (undoGroups, redoGroups, current)
        undoGroups = []
        redoGroups = []
        current = UndoGroup()
        withExtendedLifetime(former) {}
    }

    /// Removes some objects from all groups.
    func forget(_ objects: [ManagedObject]) {
        let objects = Set(objects.map { ObjectIdentifier($0) })
        func rest(_ group: UndoGroup) -> UndoGroup {
            var group = group
            group.steps = group.steps
                .map { $0.filter { !objects.contains(ObjectIdentifier($0.object)) } }
                .filter { !$0.isEmpty }
            return group
        }
        let former = (undoGroups, redoGroups, current)
        undoGroups = undoGroups.map(rest).filter { !$0.isEmpty }
        redoGroups = redoGroups.map(rest).filter { !$0.isEmpty }
        current = rest(current)
        withExtendedLifetime(former) {}
    }

    // MARK: Groups

    /// Begins a group that lasts, over the ends of events, until the matching
    /// ``endUndoGrouping()``. A group inside another one is part of it.
    public func beginUndoGrouping() {
        if groupingLevel == 0 {
            context?.processChanges()
            endGroup()
        }
        groupingLevel += 1
    }

    /// Ends the group of the matching ``beginUndoGrouping()``.
    ///
    /// - Precondition: There is one.
    public func endUndoGrouping() {
        precondition(groupingLevel > 0, "endUndoGrouping() was called without a group.")
        groupingLevel -= 1
        guard groupingLevel == 0 else { return }
        context?.processChanges()
        endGroup()
    }

    /// Names the current group, or the last one if nothing was changed since. The name is for a
    /// menu, such as "Undo Change Price".
    public func setActionName(_ name: String) {
        guard context?.changes.noted.isEmpty == false || !current.isEmpty || undoGroups.isEmpty
        else {
            undoGroups[undoGroups.count - 1].actionName = name
            return
        }
        current.actionName = name
    }

    /// The name of the group that ``undo()`` would revert; empty if there is none.
    public var undoActionName: String {
        (current.isEmpty ? undoGroups.last : current)?.actionName ?? ""
    }

    /// The name of the group that ``redo()`` would do again; empty without one.
    public var redoActionName: String { redoGroups.last?.actionName ?? "" }

    /// Called at the end of an event.
    func endEvent() {
        if groupsByEvent, groupingLevel == 0 { endGroup() }
    }

    private func endGroup() {
        defer { current = UndoGroup() }
        guard !current.isEmpty else { return }
        undoGroups.append(current)
        dropOldGroups()
    }

    private func dropOldGroups() {
        guard levelsOfUndo > 0 else { return }
        let former = (undoGroups, redoGroups)
        undoGroups = Array(undoGroups.suffix(levelsOfUndo))
        redoGroups = Array(redoGroups.suffix(levelsOfUndo))
        withExtendedLifetime(former) {}
    }

    // MARK: Registering

    /// Whether changes are remembered.
    public var isUndoRegistrationEnabled: Bool { disabledLevel == 0 }

    /// Stops recording changes until the matching ``enableUndoRegistration()``. Use it for bulk
    /// work, to save memory. Earlier changes are processed first and recorded.
    public func disableUndoRegistration() {
        if disabledLevel == 0 { context?.processChanges() }
        disabledLevel += 1
    }

    /// Records changes again. The changes until now are processed first and not recorded.
    ///
    /// - Precondition: ``disableUndoRegistration()`` was called.
    public func enableUndoRegistration() {
        precondition(disabledLevel > 0, "enableUndoRegistration() was called too often.")
        if disabledLevel == 1 { context?.processChanges() }
        disabledLevel -= 1
    }

    /// Records the changes of an event.
    func register(_ event: Event) {
        let step = event.changed.compactMap { ObjectUndo($0, in: event) }
        guard !step.isEmpty else { return }
        let former = redoGroups
        if !isUndoing, !isRedoing { redoGroups = [] }
        current.steps.append(step)
        withExtendedLifetime(former) {}
    }
}

/// The changes that are undone at once: the steps in which they were processed.
struct UndoGroup {
    var steps: [[ObjectUndo]] = []
    var actionName = ""

    var isEmpty: Bool { steps.isEmpty }
}

extension ManagedObjectContext {
    /// Takes the last group of the ``undoManager`` back. Does nothing without one.
    public func undo() {
        undoManager?.undo()
    }

    /// Does the group of the ``undoManager`` again that was undone last. Does nothing without one.
    public func redo() {
        undoManager?.redo()
    }
}

/// Undoes a group of changes: deleted objects are restored, changed objects get their former values
/// and links, and new objects are deleted, in this order. As far as possible, this is done with
/// setters. These update inverse relationships, and the changes can be redone.
struct Undoing: ContextAccess {
    let context: ManagedObjectContext

    /// Restores the state before the changes of a group.
    func apply(_ group: UndoGroup) {
        var events: [(object: ManagedObject, event: SnapshotEvents)] = []
        for step in group.steps.reversed() {
            let revived = step.filter { $0.kind == .went && revive($0) }
            let present =
                revived
                + step.filter {
                    $0.kind == .changed && $0.object.canBeRestored && faulting.hasRow($0.object)
                }
            for undo in present { undo.restoreValues() }
            for undo in revived { undo.object.ownLinks.relinkToOnes() }
            for undo in present { undo.restoreLinks() }
            let leaving = step.filter { $0.kind == .came && withdraw($0.object) }
            deleteRules.clearOneWayLinks(to: leaving.map { $0.object })
            for undo in present { undo.restoreOrders() }
            events += revived.map { ($0.object, .undoDeletion) }
            events += present.filter { $0.kind == .changed }.map { ($0.object, .undoUpdate) }
            events += leaving.map { ($0.object, .undoInsertion) }
        }
        // If everything is as in the store again, there is nothing to save.
        for object in changes.noted { UndoneObject(subject: object).dropEqualValues() }
        for object in changes.noted { UndoneObject(subject: object).becomeCleanIfUnchanged() }
        for (object, event) in events {
            activity.awaken(CollectionOfOne(object), from: event)
        }
    }

    /// Restores a deleted object.
    private func revive(_ undo: ObjectUndo) -> Bool {
        let object = undo.object
        switch object.lifecycle {
        case .deleted:
            restoration.takeBackDeletion(of: object)
        case .discarded, .invalid:
            guard !object.isInvalidObject, let before = undo.before, register(again: object) else {
                return false
            }
            object.row.becomeNew(before)
            changes.inserted.append(object)
        case .clean, .inserted, .updated:
            return false
        }
        changes.revivedInEvent.append(object)
        context.noteForEvent(object)
        return true
    }

    /// Registers an object with its key again.
    private func register(again object: ManagedObject) -> Bool {
        let id = RowIdentity(object)
        guard registry[id] == nil else { return false }
        registry.insert(object, in: object.entityDescription)
        merges.reinsertedRows[id] = .max
        return true
    }

    /// Removes an object that was created. Unlike a deletion, it does not cascade: the objects that
    /// were created with it are removed by themselves.
    private func withdraw(_ object: ManagedObject) -> Bool {
        if object.lifecycle == .clean || object.lifecycle == .updated {
            guard faulting.hasRow(object) else { return false }
            faulting.fire(object)
        }
        guard object.exists else { return false }
        deleteRules.noteDeletion(of: object)
        detachFromLinkedObjects(object)
        changes.delete(object)
        return true
    }

    private func detachFromLinkedObjects(_ object: ManagedObject) {
        for relationship in object.entityDescription.relationships where !relationship.isTransient {
            guard let inverse = relationship.inverse else { continue }
            if relationship.slot != nil {
                deleteRules.detach(object, relationship, inverse)
                continue
            }
            for other in deleteRules.targets(of: relationship, object) {
                if relationship.isJoinTable {
                    other.ownLinks.detachLink(inverse, from: object)
                } else if faulting.hasRow(other) {
                    other.setDestination(
                        of: other.entityDescription.relationships[inverse], to: nil)
                }
            }
        }
        object.transients.drop()
    }
}

extension ObjectUndo {
    fileprivate func restoreValues() {
        guard let before else { return }
        var slots = slots
        // A restored object has its complete row already.
        if object.lifecycle == .inserted, kind == .went { slots = SlotSet() }
        slots.forEach { slot in
            if object.entityDescription.attributes[slot] != nil {
                object.row.restore(slot, from: before)
            } else if let relationship = object.entityDescription.relationships
                .first(where: { $0.slot == slot })
            {
                restoreDestination(of: relationship, before.record)
            }
        }
    }

    private func restoreDestination(of relationship: RelationshipDescription, _ before: Record) {
        guard let slot = relationship.slot else { return }
        guard before.hasValue(slot) else { return object.setDestination(of: relationship, to: nil) }
        let former = LinkSet.Member(
            key: before.integer(slot),
            entity: object.state.destinationEntity(of: relationship, in: before)
        )
        let destination = object.managedObjectContext?.restoration.linkableObject(former)
        // A required relationship keeps its reference rather than lose it.
        if destination == nil, !relationship.relationship.isOptional { return }
        object.setDestination(of: relationship, to: destination)
    }

    fileprivate func restoreLinks() {
        guard let context = object.managedObjectContext else { return }
        for links in links {
            for member in links.added {
                if let other = context.restoration.linkableObject(member) {
                    object.ownLinks.unlink(links.ordinal, from: other)
                } else if !object.entityDescription.relationships[links.ordinal].isTransient {
                    object.ownLinks.noteUnlink(links.ordinal, member.key)
                }
            }
            for member in links.removed {
                if let other = context.restoration.linkableObject(member) {
                    object.ownLinks.link(links.ordinal, to: other)
                }
            }
        }
    }

    fileprivate func restoreOrders() {
        for links in links {
            guard let order = links.order else { continue }
            let relationship = object.entityDescription.relationships[links.ordinal]
            let present = object.ownLinks.linksToChange(relationship.ordinal).members.map { $0.key }
            let known = Set(present)
            let former = order.filter(known.contains)
            let others = Set(former)
            let wanted = former + present.filter { !others.contains($0) }
            if wanted != present { object.orderedLinks.arrange(others, in: wanted, links.ordinal) }
        }
    }
}

extension ManagedObject {
    /// Whether the object exists, or is a fault that may have a row.
    final var canBeRestored: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: true
        case .deleted, .discarded, .invalid: false
        }
    }
}
