/// A kind of notification that a context posts, and the type of its payload.
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
    /// Posted when pending changes are processed, and when the save of another context is merged.
    /// One notification contains all changes since the last one. A fetch does not post it.
    ///
    /// If the handler changes the same objects, this makes another event and another notification.
    public static var objectsDidChange: Self { Self(handlers: \.objectsDidChange) }
}

extension ContextNotification where Payload == Void {
    /// Posted at the beginning of a save that has something to write, before validation. Changes
    /// that the handler makes are saved too.
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

    /// Posted when the saves of other contexts were merged. It names everything that they saved,
    /// including objects that this context does not have. ``ChangedObjectIDs/refreshed`` names the
    /// changed objects of this context that show the new values.
    public static var didMergeChangesObjectIDs: Self { Self(handlers: \.didMergeChangesObjectIDs) }
}

/// The handlers of one kind of notification, in the order in which they were added.
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
    /// Calls a handler with each notification of a kind, synchronously and in the context's
    /// isolation, until the token is released. Without observers, a context does no work for
    /// notifications.
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
    /// Handlers are called in the order in which they were added. A handler that uses the context
    /// should hold it weakly: the context holds the handler.
    public func observe<Payload>(
        _ notification: ContextNotification<Payload>, _ handler: @escaping (Payload) -> Void
    ) -> ObservationToken {
        observers.observe(notification, handler)
    }

    /// Returns the notifications of a kind as a sequence that can be iterated in any isolation.
    /// This is possible for notifications that carry no objects. The sequence begins with this call
    /// and ends with the context.
    ///
    /// ```swift
    /// let saves = context.notifications(.didSaveObjectIDs)
    /// Task { for await ids in saves { await index.update(ids.inserted) } }
    /// ```
    ///
    /// Notifications that a slow consumer has not read yet wait in memory. A sequence has one
    /// consumer; for several consumers, request several sequences.
    public func notifications<Payload: Sendable>(
        _ notification: ContextNotification<Payload>
    ) -> AsyncStream<Payload> {
        let (stream, continuation) = AsyncStream<Payload>.makeStream()
        let source = StreamSource(continuation)
        let token = observe(notification) { source.continuation.yield($0) }
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }

    /// A Boolean value that indicates whether changes of the context's objects notify
    /// `withObservationTracking`, and with it SwiftUI. Default: true for contexts of the main
    /// actor, false for others.
    ///
    /// If it is true, each read of a property checks for an observer, which takes a few
    /// nanoseconds. An object needs memory for it only once it is observed.
    public var objectsAreObservable: Bool {
        get { state.notesReads }
        set {
            guard newValue != state.notesReads else { return }
            state.notesReads = newValue
            registry.forEach { $0.notesReads = newValue }
        }
    }
}

/// Ends a sequence when its handler is released with the context.
private final class StreamSource<Element: Sendable> {
    let continuation: AsyncStream<Element>.Continuation

    init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }
}

/// The changes of a context since changes were last processed, by kind. An object has one kind.
///
/// An object that was inserted and deleted in between is not included.
public struct ObjectsDidChange {
    /// The objects that are new, here or because another context's save was merged.
    public private(set) var inserted: Set<ManagedObject> = []
    /// The objects that were changed here.
    public private(set) var updated: Set<ManagedObject> = []
    /// The objects that were deleted, here or in the merged save of another context.
    public private(set) var deleted: Set<ManagedObject> = []
    /// The objects that got values from the store: they were refreshed, rolled back, or changed in
    /// the merged save of another context.
    public private(set) var refreshed: Set<ManagedObject> = []
    /// The objects that turned out to have no row.
    public private(set) var invalidated: Set<ManagedObject> = []
    /// Whether the context has forgotten all its objects.
    public private(set) var invalidatedAll = false

    /// Whether nothing changed.
    public var isEmpty: Bool {
        !invalidatedAll
            && [inserted, updated, deleted, refreshed, invalidated].allSatisfy { $0.isEmpty }
    }

    private init() {}

    /// The changes of a reset.
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

    /// The changes of a merge. New rows get objects. Other rows are reported only if the context
    /// has their objects.
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

/// The changes that a save wrote, by kind. An object that was inserted and deleted again is not
/// included.
public struct SavedObjects {
    /// The objects that are new.
    public private(set) var inserted: Set<ManagedObject>
    /// The objects that were changed, including those that were only set to equal values.
    public private(set) var updated: Set<ManagedObject>
    /// The objects that were deleted.
    public private(set) var deleted: Set<ManagedObject>
    /// The arguments for another context's ``ManagedObjectContext/mergeChanges(from:)-(ChangeSet)``: one change
    /// set for each store that was written.
    public private(set) var changeSets: [ChangeSet] = []

    /// Called before the context applies the outcome.
    init(_ changes: PendingChanges) {
        inserted = Set(changes.inserted)
        updated = Set(changes.updated)
        deleted = Set(changes.deleted)
    }

    mutating func add(_ changeSet: ChangeSet) {
        changeSets.append(changeSet)
    }

    /// Removes objects that were not saved. They were discarded by a merge policy in favour of
    /// other objects, or their store could not commit.
    mutating func leaveOut(_ objects: some Sequence<ManagedObject>) {
        inserted.subtract(objects)
        updated.subtract(objects)
        deleted.subtract(objects)
    }
}

/// The ids of changed objects, by kind. They can be sent to other isolations.
public struct ChangedObjectIDs: Sendable, Hashable {
    /// The ids of the new objects.
    public private(set) var inserted: Set<ObjectID> = []
    /// The ids of the changed objects.
    public private(set) var updated: Set<ObjectID> = []
    /// The ids of the deleted objects.
    public private(set) var deleted: Set<ObjectID> = []
    /// The ids of objects that got other values from the store. In a save, these are derived
    /// values. In a merge, they are the context's objects that have their values; these may be
    /// ``updated`` too.
    public private(set) var refreshed: Set<ObjectID> = []
    /// The ids of objects that turned out to have no row.
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

    /// Combines several saves: the last one decides the kind of an object.
    ///
    /// - Parameter refreshed: The objects that have other values now, in the context that has
    ///   merged the saves. If another context has changed an object, the object is among the
    ///   updated objects too.
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
