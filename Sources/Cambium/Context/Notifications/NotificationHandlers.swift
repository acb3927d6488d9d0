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
