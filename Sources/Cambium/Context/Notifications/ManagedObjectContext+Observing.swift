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

    /// Whether `withObservationTracking`, and so SwiftUI, hears of changes of the context's
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
