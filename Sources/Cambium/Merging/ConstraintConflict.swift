/// Objects that would have the same unique values, or one partner in a one-to-one relationship.
///
/// Where the store has an object with these values, that is the database object and one object of
/// the context conflicts with it. Where two objects of the context do, there is none.
public struct ConstraintConflict: Sendable {
    /// The properties that must be unique together; for a one-to-one, the relationship.
    public let constraint: [String]
    /// The object that the store has with these values; nil where all are this context's.
    public let databaseObjectID: ObjectID?
    /// The objects that this context wants to save with them; at least one.
    public let conflictingObjectIDs: [ObjectID]
    /// What happens to them; a custom policy sets it. Another custom policy counts as
    /// ``MergePolicy/error``.
    public var policy: MergePolicy

    let database: RowSnapshot?
    let conflicting: [RowSnapshot]

    /// The values that are not unique. A to-one relationship shows as the key that it leads to.
    public var constraintValues: [String: Value] {
        let values = conflicting.first?.values ?? [:]
        return values.filter { constraint.contains($0.key) }
    }

    /// The values of the object that the store has; nil where all are this context's.
    public var databaseSnapshot: [String: Value]? { database?.values }

    /// The values of the objects that this context wants to save.
    public var conflictingSnapshots: [[String: Value]] { conflicting.map(\.values) }
}

/// The save met unique values that other objects have, and the merge policy does not resolve it.
///
/// Nothing was written, and the context can be used as before: change one of the objects, delete
/// it, or set another policy.
public struct ConstraintConflictError: Error, Sendable {
    /// The conflicts; at least one.
    public let conflicts: [ConstraintConflict]

    /// Core Data's code for a save that met unique values.
    public var coreDataCode: Int { 133021 }
}

extension ConstraintConflictError: CustomStringConvertible {
    /// The objects, the properties and what helps; no values.
    public var description: String { "\(summary) \(remedy)" }

    var remedy: String { "Change or delete one of them." }

    /// The first ten conflicts, and the number of the others.
    var summary: String {
        conflicts.map(\.description).excerpts(10, separator: ".\n") + "."
    }
}

extension ConstraintConflict: CustomStringConvertible {
    /// The objects and the properties; no values.
    public var description: String {
        let objects = (databaseObjectID.map { [$0] } ?? []) + conflictingObjectIDs
        return objects.map(\.description).excerpts(10, separator: " and ") + " have the same "
            + constraint.joined(separator: ", ") + ", which must be unique"
    }
}

extension ConstraintConflict: CustomReflectable {
    /// The properties and the objects.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "constraint": constraint, "databaseObjectID": databaseObjectID as Any,
                "conflictingObjectIDs": conflictingObjectIDs,
            ])
    }
}
