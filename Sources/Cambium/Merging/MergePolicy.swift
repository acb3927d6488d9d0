/// How a save resolves conflicts with what others saved meanwhile.
///
/// A conflict is an object that this context changed or deleted and whose row has another version
/// than the one the change is based on.
public enum MergePolicy: Sendable, Hashable {
    /// The save fails with ``ConflictError``; nothing is written and nothing changes in memory.
    case error
    /// Property by property, the store's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyStoreTrump`). Of a deletion against a change, the store's side stays.
    case storeTrump
    /// Property by property, this context's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyObjectTrump`). Of a deletion against a change, this context's side stays.
    case objectTrump
}

/// An object that two contexts changed.
public struct MergeConflict: Sendable {
    /// The object.
    public let objectID: ObjectID
    /// Whether this context wanted to delete it.
    public let isDeletion: Bool
    /// Whether its row is gone from the store.
    public let isRowGone: Bool
    /// The properties that both sides changed.
    public let properties: [String]
}

/// The save met rows that others changed meanwhile, under ``MergePolicy/error``.
///
/// Nothing was written. Refresh the objects (``ManagedObjectContext/refresh(_:mergeChanges:)``) and
/// save again, or set another policy.
public struct ConflictError: Error, Sendable {
    /// The conflicts; at least one.
    public let conflicts: [MergeConflict]

    /// Core Data's code for a save that met conflicts.
    public var coreDataCode: Int { 133020 }
}

extension ConflictError: CustomStringConvertible {
    /// The objects and what helps.
    public var description: String {
        let objects = conflicts.map { "\($0.objectID)" }.joined(separator: ", ")
        return "Others have changed \(objects) since this context read them. Refresh them and save "
            + "again, or set a merge policy that resolves conflicts."
    }
}
