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
