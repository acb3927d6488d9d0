/// Whoever observes a context, by kind of notification.
struct ContextObservations {
    var objectsDidChange = NotificationHandlers<ObjectsDidChange>()
    var objectIDsDidChange = NotificationHandlers<ChangedObjectIDs>()
    var willSave = NotificationHandlers<Void>()
    var didSave = NotificationHandlers<SavedObjects>()
    var didSaveObjectIDs = NotificationHandlers<ChangedObjectIDs>()
    var didMergeChangesObjectIDs = NotificationHandlers<ChangedObjectIDs>()

    /// Whether anybody wants to know of changed objects.
    var wantsChanges: Bool { objectsDidChange.isInUse || objectIDsDidChange.isInUse }

    /// Whether anybody wants to know of saved objects.
    var wantsSaves: Bool { didSave.isInUse || didSaveObjectIDs.isInUse }
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
