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
        let flag = CancellationFlag()
        let former = observations
        var changed = former ?? ContextObservations()
        changed[keyPath: notification.handlers].add(handler, until: flag)
        observations = changed
        // Only now: with a cancelled handler may go objects that observe in turn.
        withExtendedLifetime(former) {}
        return ObservationToken(flag)
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

    /// Gives a notification.
    func post<Payload>(
        _ notification: ContextNotification<Payload>, _ payload: @autoclosure () -> Payload
    ) {
        guard let handlers = observations?[keyPath: notification.handlers], handlers.isInUse else {
            return
        }
        handlers.call(payload())
    }

    /// Tells of changed objects, where there are any.
    func tell(_ changes: ObjectsDidChange) {
        guard !changes.isEmpty else { return }
        post(.objectsDidChange, changes)
        post(.objectIDsDidChange, ChangedObjectIDs(changes))
    }

    /// Tells of what was merged.
    func notifyOfMerge(_ changes: ObjectChanges, _ changeSets: [ChangeSet]) {
        guard let observations else { return }
        if observations.wantsChanges { tell(ObjectsDidChange(merged: changes, into: self)) }
        post(
            .didMergeChangesObjectIDs,
            ChangedObjectIDs(changeSets, refreshed: changes.refreshedObjects.map(\.objectID)))
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
