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
/// - In the context's isolation: ``objectsDidChange``, ``willSave``, ``didSave``
/// - In any isolation: ``objectIDsDidChange``, ``didSaveObjectIDs``, ``didMergeChangesObjectIDs``
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
    /// token = context.observe(.didSave) { [weak self] saved in
    ///     self?.show(saved.inserted)
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
