import CambiumRecords

/// An object that two contexts changed.
///
/// It holds up to three snapshots of the row beside the object's own values: as this context read
/// it (the base of its changes), as the coordinator last saw it, and as it is in the store. Their
/// values are decoded when they are asked for. A to-one relationship shows as the key that it leads
/// to.
public struct MergeConflict: Sendable {
    /// The object.
    public let objectID: ObjectID
    /// Whether this context wanted to delete it.
    public let isDeletion: Bool
    /// Whether its row is gone from the store.
    public let isRowGone: Bool
    /// The properties that both sides changed.
    public let properties: [String]
    /// The version that this context's changes are based on.
    public let oldVersion: Int64
    /// The version that the row has now; 0 where it is gone.
    public let newVersion: Int64
    /// What happens to the object; a custom policy sets it. Another custom policy counts as
    /// ``MergePolicy/error``.
    public var policy: MergePolicy

    let object: RowSnapshot?
    let base: RowSnapshot?
    let cached: RowSnapshot?
    let persisted: RowSnapshot?
    private(set) var chosen: [Int: StoredValue] = [:]

    /// The values that this context wanted to save.
    public var objectValues: [String: Value] { object?.values ?? [:] }

    /// The values that this context last read or saved.
    public var objectSnapshot: [String: Value] { base?.values ?? [:] }

    /// The values that the coordinator last saw, of whichever context; nil where it keeps none.
    public var cachedSnapshot: [String: Value]? { cached?.values }

    /// The values that the store has; nil where the row is gone, and where the conflict was found
    /// before the store was asked.
    public var persistedSnapshot: [String: Value]? { persisted?.values }

    /// Chooses the value that is saved for an attribute, whatever the policy makes of the others.
    /// The value is not validated, beyond what the store itself checks.
    ///
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such attribute, with
    ///   `invalidRequest` where the value is of another type, does not fit or cannot be set.
    public mutating func setValue(_ value: Value, forKey name: String) throws {
        let entity = objectID.entity
        guard let slot = entity.layout.slot(of: name), let attribute = entity.attributes[slot],
            entity.layout.slots[slot].isStored
        else {
            throw StoreError.unknownName(
                "The entity \(entity.name) has no stored attribute \(name).", name,
                among: entity.layout.slots.filter(\.isStored).map(\.property))
        }
        guard attribute.derivation == nil else { throw entity.isDerived(name) }
        guard let stored = entity.model.stored(value, of: attribute) else {
            throw entity.misfit(attribute, name)
        }
        chosen[slot] = stored
    }
}

/// The save met rows that others changed meanwhile, under ``MergePolicy/error``.
///
/// Nothing was written. Refresh the objects (``ManagedObjectContext/refresh(_:mergeChanges:)``) and
/// save again, or set another policy.
public struct ConflictError: Error, Sendable {
    /// The conflicts; at least one.
    public let conflicts: [MergeConflict]
    /// The deletions that are in conflict with links that others have made: their delete rules are
    /// followed once more at the next save.
    var refusedDeletions: [RowIdentity] = []

    /// Core Data's code for a save that met conflicts.
    public var coreDataCode: Int { 133020 }
}

extension MergeConflict: CustomStringConvertible {
    /// The object, and what both sides have done to it; no values.
    public var description: String {
        let other = "another context or process"
        if isRowGone { return "\(objectID) was changed here and deleted by \(other)" }
        if isDeletion { return "\(objectID) was deleted here and changed by \(other)" }
        if properties.isEmpty { return "\(objectID) was changed by \(other)" }
        return "\(objectID) was changed here and by \(other): "
            + properties.joined(separator: ", ")
    }
}

extension ConflictError: CustomStringConvertible {
    /// What is in conflict and what helps: the first ten objects, and the number of the others.
    public var description: String { "\(summary) \(remedy)" }

    var summary: String {
        conflicts.map(\.description).excerpts(10, separator: "; ") + "."
    }

    var remedy: String {
        "Refresh the objects and save again, or set a merge policy that resolves conflicts."
    }
}

extension MergeConflict: CustomReflectable {
    /// The object, the properties that both sides changed, and the versions.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "objectID": objectID, "properties": properties, "isDeletion": isDeletion,
                "isRowGone": isRowGone, "oldVersion": oldVersion, "newVersion": newVersion,
            ])
    }
}
