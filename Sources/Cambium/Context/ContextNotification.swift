/// A kind of notification that a context gives, and the type of what comes with it.
///
/// ```swift
/// let token = context.observe(.objectsDidChange) { changes in
///     for object in changes.inserted { … }
/// }
/// for await ids in context.notifications(.didSaveObjectIDs) { … }
/// ```
///
/// ## Topics
///
/// ### In the context's isolation
///
/// - ``objectsDidChange``
/// - ``willSave``
/// - ``didSave``
///
/// ### In any isolation
///
/// - ``objectIDsDidChange``
/// - ``didSaveObjectIDs``
/// - ``didMergeChangesObjectIDs``
public struct ContextNotification<Payload> {
    let handlers: ReferenceWritableKeyPath<ObserverHub, NotificationHandlers<Payload>>
}

extension ContextNotification where Payload == ObjectsDidChange {
    /// Given when pending changes are processed, once for all that changed since the last time, and
    /// when what another context has saved is merged. A fetch gives none.
    ///
    /// Changing the same objects in the handler makes another event, and another notification.
    public static var objectsDidChange: Self { Self(handlers: \.objectsDidChange) }
}

extension ContextNotification where Payload == Void {
    /// Given at the beginning of a save that has something to write, before validation. What the
    /// handler changes is saved too.
    public static var willSave: Self { Self(handlers: \.willSave) }
}

extension ContextNotification where Payload == SavedObjects {
    /// Given when a save was committed, after the objects' `didSave()`.
    public static var didSave: Self { Self(handlers: \.didSave) }
}

extension ContextNotification where Payload == ChangedObjectIDs {
    /// The same as ``objectsDidChange``, with ids in place of objects.
    public static var objectIDsDidChange: Self { Self(handlers: \.objectIDsDidChange) }

    /// Given after ``didSave``, with ids in place of objects.
    public static var didSaveObjectIDs: Self { Self(handlers: \.didSaveObjectIDs) }

    /// Given when what other contexts have saved was merged, with everything that they saved, also
    /// what this context had no objects for: ``ChangedObjectIDs/refreshed`` names the changed objects
    /// that this context has and that show the new values.
    public static var didMergeChangesObjectIDs: Self { Self(handlers: \.didMergeChangesObjectIDs) }
}

/// The handlers of one kind of notification, in the order in which they came.
struct NotificationHandlers<Payload> {
    private struct Entry {
        let isCancelled: CancellationFlag
        let handle: (Payload) -> Void
    }

    private var entries: [Entry] = []

    /// Whether a handler is left.
    var isInUse: Bool { entries.contains { !$0.isCancelled.isSet } }

    mutating func add(_ handle: @escaping (Payload) -> Void, until isCancelled: CancellationFlag) {
        entries.removeAll { $0.isCancelled.isSet }
        entries.append(Entry(isCancelled: isCancelled, handle: handle))
    }

    /// Calls the handlers. One that another one cancels meanwhile is not called any more.
    func call(_ payload: Payload) {
        for entry in entries where !entry.isCancelled.isSet { entry.handle(payload) }
    }
}

extension ManagedObjectContext {
    /// Calls a handler with each notification of a kind, at once and in the context's isolation,
    /// until the token goes. Without observers a context does nothing for them.
    ///
    /// ```swift
    /// final class Counter {
    ///     var count = 0
    ///     var token: ObservationToken?
    ///
    ///     func start(_ context: ManagedObjectContext) {
    ///         token = context.observe(.didSave) { [weak self] saved in
    ///             self?.count += saved.inserted.count
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Handlers are called in the order in which they came. One that uses the context should hold
    /// it weakly: the context holds the handler.
    public func observe<Payload>(
        _ notification: ContextNotification<Payload>, _ handler: @escaping (Payload) -> Void
    ) -> ObservationToken {
        observers.observe(notification, handler)
    }

    /// The notifications of a kind as a sequence, which may be gone through in any isolation: those
    /// that carry no objects. It begins when it is asked for and ends with the context.
    ///
    /// ```swift
    /// let saves = context.notifications(.didSaveObjectIDs)
    /// Task { for await ids in saves { await index.update(ids.inserted) } }
    /// ```
    ///
    /// What a slow consumer has not taken yet waits in memory. There is one consumer for a
    /// sequence; ask for another where there are several.
    public func notifications<Payload: Sendable>(
        _ notification: ContextNotification<Payload>
    ) -> AsyncStream<Payload> {
        let (stream, continuation) = AsyncStream<Payload>.makeStream()
        let source = StreamSource(continuation)
        let token = observe(notification) { source.continuation.yield($0) }
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }

    /// Whether `withObservationTracking`, and so SwiftUI, is notified of changes of the context's
    /// objects. Default: true for contexts of the main actor, false for others.
    ///
    /// Where it is true, each read of a property asks whether somebody is observing, which takes
    /// a few nanoseconds. An object needs memory for it only once it is observed.
    public var objectsAreObservable: Bool {
        get { state.notesReads }
        set {
            guard newValue != state.notesReads else { return }
            state.notesReads = newValue
            registry.forEach { $0.notesReads = newValue }
        }
    }
}

/// Ends a sequence when the handler that feeds it goes, with the context.
private final class StreamSource<Element: Sendable> {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}

/// What changed in a context since changes were last processed, by kind; an object is of one kind.
///
/// An object that was inserted and deleted in between is not there.
public struct ObjectsDidChange {
    /// The objects that are new, here or because another context's save was merged.
    public private(set) var inserted: Set<ManagedObject> = []
    /// The objects that were changed here.
    public private(set) var updated: Set<ManagedObject> = []
    /// The objects that were deleted, here or by another context whose save was merged.
    public private(set) var deleted: Set<ManagedObject> = []
    /// The objects that got values from the store: they were refreshed, rolled back, or changed by
    /// another context whose save was merged.
    public private(set) var refreshed: Set<ManagedObject> = []
    /// The objects whose rows were found missing.
    public private(set) var invalidated: Set<ManagedObject> = []
    /// Whether the context has forgotten all its objects.
    public private(set) var invalidatedAll = false

    /// Whether nothing changed.
    public var isEmpty: Bool {
        !invalidatedAll
            && [inserted, updated, deleted, refreshed, invalidated].allSatisfy { $0.isEmpty }
    }

    private init() {}

    /// What a reset leaves.
    static var allInvalidated: ObjectsDidChange {
        var changes = ObjectsDidChange()
        changes.invalidatedAll = true
        return changes
    }

    init(_ event: Event) {
        for object in event.changed {
            let isNew = event.isNew(object)
            switch object.lifecycle {
            case .clean, .inserted, .updated:
                if isNew {
                    inserted.insert(object)
                } else if object.lifecycle == .clean || event.isRefreshed(object) {
                    refreshed.insert(object)
                } else {
                    updated.insert(object)
                }
            case .deleted, .discarded, .invalid:
                if event.isInvalid(object) {
                    invalidated.insert(object)
                } else if event.isLeaving(object), !isNew {
                    deleted.insert(object)
                }
            }
        }
    }

    /// What a merge changed. Objects are made for new rows. Of other rows only those are reported
    /// whose objects the context has.
    init(merged changes: ObjectChanges, into context: ManagedObjectContext) {
        let new = changes.unregistered.filter { $0.slots == nil }.map {
            context.faulting.registerFresh(entity: $0.entity, key: $0.key, placed: $0.placed)
        }
        inserted = Set(changes.inserted + new)
        refreshed = Set(changes.refreshedObjects).subtracting(inserted)
        deleted = Set(changes.deleted)
        inserted.subtract(deleted)
        refreshed.subtract(deleted)
    }
}

/// What a save wrote, by kind. An object that was inserted and deleted again is not there.
public struct SavedObjects {
    /// The objects that are new.
    public private(set) var inserted: Set<ManagedObject>
    /// The objects that were changed, also those that were set to equal values only.
    public private(set) var updated: Set<ManagedObject>
    /// The objects that were deleted.
    public private(set) var deleted: Set<ManagedObject>
    /// What another context's ``ManagedObjectContext/mergeChanges(from:)-(ChangeSet)`` takes: one for each
    /// store that was written.
    public private(set) var changeSets: [ChangeSet] = []

    /// Called before the context takes the outcome over.
    init(_ changes: PendingChanges) {
        inserted = Set(changes.inserted)
        updated = Set(changes.updated)
        deleted = Set(changes.deleted)
    }

    mutating func add(_ changeSet: ChangeSet) {
        changeSets.append(changeSet)
    }

    /// Leaves out objects that were not saved after all: new ones that a merge policy has given up
    /// for others, those of a store that could not commit.
    mutating func leaveOut(_ objects: some Sequence<ManagedObject>) {
        inserted.subtract(objects)
        updated.subtract(objects)
        deleted.subtract(objects)
    }
}

/// The ids of changed objects, by kind: what may cross isolations.
public struct ChangedObjectIDs: Sendable, Hashable {
    /// Those that are new.
    public private(set) var inserted: Set<ObjectID> = []
    /// Those that were changed.
    public private(set) var updated: Set<ObjectID> = []
    /// Those that were deleted.
    public private(set) var deleted: Set<ObjectID> = []
    /// Those that got other values from the store: in a save, derived ones; in a merge, those of the
    /// context's objects that have their values, which may be among the ``updated`` ones, too.
    public private(set) var refreshed: Set<ObjectID> = []
    /// Those whose rows were found missing.
    public private(set) var invalidated: Set<ObjectID> = []
    /// Whether the context has forgotten all its objects.
    public private(set) var invalidatedAll = false

    init(_ changes: ObjectsDidChange) {
        inserted = Set(changes.inserted.map { $0.objectID })
        updated = Set(changes.updated.map { $0.objectID })
        deleted = Set(changes.deleted.map { $0.ownObjectID })
        refreshed = Set(changes.refreshed.map { $0.objectID })
        invalidated = Set(changes.invalidated.map { $0.objectID })
        invalidatedAll = changes.invalidatedAll
    }

    /// What several saves came to: the last one decides of what kind an object is.
    ///
    /// - Parameter refreshed: The objects of the context that has merged them which have other
    ///   values now. Those that other contexts have changed are among the updated ones, too.
    init(_ changeSets: [ChangeSet], refreshed merged: [ObjectID] = []) {
        for changes in changeSets {
            for id in changes.insertedObjectIDs {
                deleted.remove(id)
                inserted.insert(id)
            }
            for id in changes.updatedObjectIDs.keys where !inserted.contains(id) {
                updated.insert(id)
            }
            for id in changes.refreshedObjectIDs.keys where !inserted.contains(id) {
                refreshed.insert(id)
            }
            for id in changes.deletedObjectIDs {
                let wasNew = inserted.remove(id) != nil
                updated.remove(id)
                refreshed.remove(id)
                if !wasNew { deleted.insert(id) }
            }
        }
        refreshed.subtract(updated)
        refreshed.formUnion(merged.filter { !inserted.contains($0) && !deleted.contains($0) })
    }
}
