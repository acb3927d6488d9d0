/// Objects that were changed without a context of this coordinator knowing of it: by a batch
/// operation, another process, or SQL.
public struct RemoteChanges: Sendable {
    /// The objects that are new.
    public var inserted: [ObjectID]
    /// The objects that have other values or links.
    public var updated: [ObjectID]
    /// The objects that are gone.
    public var deleted: [ObjectID]

    /// Lists changes by their kind.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

extension ManagedObjectContext {
    /// Takes changes that were made elsewhere over into contexts: reads the rows of the objects
    /// that they have registered again, and brings the coordinator's row cache up to date.
    ///
    /// Unsaved changes stay on top, and no conflict is raised. Controllers hear of the changes.
    ///
    /// ```swift
    /// ManagedObjectContext.mergeChanges(
    ///     fromRemoteContextSave: RemoteChanges(updated: ids), into: [container.viewContext])
    /// ```
    ///
    /// - Parameters:
    ///   - changes: The objects, by what happened to them. Those of other stores are left out.
    ///   - contexts: Contexts of the isolation that calls.
    public static func mergeChanges(
        fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { Merge(context: context).remote(changes) }
    }
}
