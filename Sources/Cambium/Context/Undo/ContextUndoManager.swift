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
/// - Undoing: ``undo()``, ``redo()``, ``canUndo``, ``canRedo``, ``removeAllActions()``
/// - Groups: ``beginUndoGrouping()``, ``endUndoGrouping()``, ``groupsByEvent``, ``levelsOfUndo``,
///   ``setActionName(_:)``
/// - Leaving out: ``disableUndoRegistration()``, ``enableUndoRegistration()``
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
