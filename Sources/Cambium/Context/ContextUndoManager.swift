import CambiumRecords

/// Remembers what a context changed, and changes it back.
///
/// Set it as a context's ``ManagedObjectContext/undoManager``. From then on every event (what is
/// changed until changes are processed at its end) is a group that ``undo()`` takes back as a
/// whole: values, relationships on both sides, insertions and deletions. Undoing is itself a
/// change, which waits for a save like any other, also where what it takes back was saved already:
/// then a saved insertion is deleted, and a saved deletion inserted again under the same key.
///
/// ```swift
/// context.undoManager = ContextUndoManager()
/// product.price = 12
/// context.undoManager?.setActionName("Change Price")
/// context.undo()      // the old price
/// context.redo()      // 12
/// ```
///
/// What other contexts save is not remembered. A rollback and a reset forget everything.
///
/// A view context's event ends when the main actor turns to other work, that of other contexts
/// with their `perform` (as in Core Data): whatever one function changes is one group. What is to
/// be undone by itself within an event goes between ``beginUndoGrouping()`` and
/// ``endUndoGrouping()``; a program that waits for nothing needs them for every group.
///
/// ## Topics
///
/// ### Undoing
///
/// - ``undo()``
/// - ``redo()``
/// - ``canUndo``
/// - ``canRedo``
/// - ``removeAllActions()``
///
/// ### Groups
///
/// - ``beginUndoGrouping()``
/// - ``endUndoGrouping()``
/// - ``groupsByEvent``
/// - ``levelsOfUndo``
/// - ``setActionName(_:)``
///
/// ### Leaving out
///
/// - ``disableUndoRegistration()``
/// - ``enableUndoRegistration()``
public final class ContextUndoManager {
    /// How many groups are kept; 0, the default, for any number.
    public var levelsOfUndo = 0 {
        didSet { dropOldGroups() }
    }
    /// Whether the end of an event ends a group. If not, groups are made by ``beginUndoGrouping()``
    /// and ``endUndoGrouping()``; what is changed outside of them is one group until the next of
    /// these calls, or the next undo. Default: true.
    public var groupsByEvent = true
    /// Whether it is taking changes back.
    public private(set) var isUndoing = false
    /// Whether it is doing changes again.
    public private(set) var isRedoing = false
    /// How many ``beginUndoGrouping()`` have not been ended yet.
    public private(set) var groupingLevel = 0

    private weak var context: ManagedObjectContext?
    private var undoGroups: [UndoGroup] = []
    private var redoGroups: [UndoGroup] = []
    /// What was registered in the current event or group.
    private var current = UndoGroup()
    private var disabledLevel = 0

    /// Makes a manager without anything to undo. It serves one context at a time.
    public init() {}

    /// The manager is that of a context from now on, or of none.
    func connect(to context: ManagedObjectContext?) {
        removeAllActions()
        groupingLevel = 0
        self.context = context
    }

    // MARK: Undoing

    /// Whether there is a group to undo. What was changed since changes were last processed is not
    /// taken into account.
    public var canUndo: Bool { !undoGroups.isEmpty || !current.isEmpty }

    /// Whether there is an undone group to do again. Any other change forgets them.
    public var canRedo: Bool { !redoGroups.isEmpty }

    /// Takes the last group back, with what was changed in the current event as the last. Objects
    /// are notified of it by ``ManagedObject/awake(fromSnapshotEvents:)``, observers like of any
    /// change.
    ///
    /// Objects that another context has deleted meanwhile are left out. A required to-one that led
    /// to one of them stays as it is.
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

    /// Where changes are gone that kept others' away, these show: they are not to be undone.
    private func mergeDeferred(_ context: ManagedObjectContext) {
        if context.merges.deferred.isEmpty { return }
        context.deferredMerges.merge()
        context.processChanges()
    }

    /// Applies a group; what it changed is the inverse.
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
        // Released when the lists are empty: what goes with an object may undo in turn.
        let former = (undoGroups, redoGroups, current)
        undoGroups = []
        redoGroups = []
        current = UndoGroup()
        withExtendedLifetime(former) {}
    }

    /// Forgets what could be undone of some objects.
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

    /// Names the group that is being made, or the last one where nothing was changed since. The
    /// name is for a menu, such as "Undo Change Price".
    public func setActionName(_ name: String) {
        guard context?.changes.noted.isEmpty == false || !current.isEmpty || undoGroups.isEmpty
        else {
            undoGroups[undoGroups.count - 1].actionName = name
            return
        }
        current.actionName = name
    }

    /// The name of the group that ``undo()`` would take back; empty without one.
    public var undoActionName: String {
        (current.isEmpty ? undoGroups.last : current)?.actionName ?? ""
    }

    /// The name of the group that ``redo()`` would do again; empty without one.
    public var redoActionName: String { redoGroups.last?.actionName ?? "" }

    /// An event is over.
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

    /// Remembers no changes until the matching ``enableUndoRegistration()``: for bulk work, which
    /// costs memory otherwise. What was changed before is processed first and remembered.
    public func disableUndoRegistration() {
        if disabledLevel == 0 { context?.processChanges() }
        disabledLevel += 1
    }

    /// Remembers changes again. What was changed until now is processed first and not remembered.
    ///
    /// - Precondition: ``disableUndoRegistration()`` was called.
    public func enableUndoRegistration() {
        precondition(disabledLevel > 0, "enableUndoRegistration() was called too often.")
        if disabledLevel == 1 { context?.processChanges() }
        disabledLevel -= 1
    }

    /// Remembers what an event changed.
    func register(_ event: Event) {
        let step = event.changed.compactMap { ObjectUndo($0, in: event) }
        guard !step.isEmpty else { return }
        let former = redoGroups
        if !isUndoing, !isRedoing { redoGroups = [] }
        current.steps.append(step)
        withExtendedLifetime(former) {}
    }
}

/// What is undone at once: the steps in which changes were processed.
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

/// Undoes a group of changes: objects come back, get their former values and links, and are deleted, in
/// this order. It happens through setters as far as it can, so that inverses are kept, and what it
/// changed can be redone.
struct Undoing: ContextAccess {
    let context: ManagedObjectContext

    /// Brings back the state before the changes of a group.
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
        // Where everything is again as the store has it, there is nothing to save.
        for object in changes.noted { UndoneObject(subject: object).dropEqualValues() }
        for object in changes.noted { UndoneObject(subject: object).becomeCleanIfUnchanged() }
        for (object, event) in events {
            activity.awaken(CollectionOfOne(object), from: event)
        }
    }

    /// Brings a deleted object back.
    private func revive(_ undo: ObjectUndo) -> Bool {
        let object = undo.object
        switch object.lifecycle {
        case .deleted:
            revival.takeBackDeletion(of: object)
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

    /// Makes an object known again under its key.
    private func register(again object: ManagedObject) -> Bool {
        let id = RowIdentity(object)
        guard registry[id] == nil else { return false }
        registry.insert(object, in: object.entityDescription)
        merges.reinsertedRows[id] = .max
        return true
    }

    /// Takes an object away that came into being. Unlike a deletion it cascades to nobody: what the
    /// object brought along came with it, and goes by itself.
    private func withdraw(_ object: ManagedObject) -> Bool {
        if object.lifecycle == .clean || object.lifecycle == .updated {
            guard faulting.hasRow(object) else { return false }
            faulting.fire(object)
        }
        guard object.isThere else { return false }
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
        // An object that was gone has taken the whole row over already.
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
        let destination = object.managedObjectContext?.revival.livingObject(former)
        // Who has to lead somewhere stays where it is, rather than lead nowhere.
        if destination == nil, !relationship.relationship.isOptional { return }
        object.setDestination(of: relationship, to: destination)
    }

    fileprivate func restoreLinks() {
        guard let context = object.managedObjectContext else { return }
        for links in links {
            for member in links.added {
                if let other = context.revival.livingObject(member) {
                    object.ownLinks.unlink(links.ordinal, from: other)
                } else if !object.entityDescription.relationships[links.ordinal].isTransient {
                    object.ownLinks.noteUnlink(links.ordinal, member.key)
                }
            }
            for member in links.removed {
                if let other = context.revival.livingObject(member) {
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
    /// Whether the object is there, or a fault that may be.
    final var canBeRestored: Bool {
        switch lifecycle {
        case .clean, .inserted, .updated: true
        case .deleted, .discarded, .invalid: false
        }
    }
}
