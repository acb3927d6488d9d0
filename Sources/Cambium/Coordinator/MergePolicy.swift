import CambiumRecords

/// A rule by which a save resolves conflicts with changes that other contexts saved meanwhile.
///
/// There are two kinds of conflicts. In the first, this context changed or deleted an object, and
/// its row has another version than the base of the change. In the second, another object has a
/// unique value of a saved object.
///
/// | | both changed it | deleted there | deleted here | unique value taken |
/// |---|---|---|---|---|
/// | ``error`` | error | error | error | error |
/// | ``rollback`` | all of theirs | deleted | kept, theirs | new object discarded |
/// | ``overwrite`` | all of ours | inserted again | deleted | ours to the stored row |
/// | ``storeTrump`` | theirs wins | deleted | kept, theirs | new object discarded |
/// | ``objectTrump`` | ours wins | inserted again | deleted | set values to the stored row |
///
/// If the unique values of a new object are taken, the new object is merged into the object that
/// has them. From then on it reads and writes that object's values, and references to it point
/// there. An object that was saved before keeps its old unique values under `storeTrump` and
/// `rollback`. Under `overwrite` and `objectTrump`, the save fails with
/// ``ConstraintConflictError``, because the policies never replace one stored object by another.
///
/// `storeTrump` and `objectTrump` merge by property: a property that only one side changed keeps
/// that side's value. Attributes of the model with their own merge rule (`merge="sum"`) follow it
/// under these two policies.
///
/// Links of to-many relationships are merged as sets of additions and removals: the result has the
/// additions of both sides, without the removals of either side. For an object in conflict, the
/// members of a many-to-many relationship are exactly this context's under `overwrite`, and the
/// store's under `rollback`.
///
/// An object that is inserted again has the links that this context has read or set. An optional
/// link to a deleted object is cleared. If a link to a deleted object is required, the object stays
/// deleted. If two contexts changed the same one-to-one relationship, the policy decides which link
/// is kept.
///
/// If another context has linked an object to one that is deleted here, after its delete rules were
/// applied, the link conflicts with the deletion:
///
/// - Under `error`, the conflict is that of the object with the link. After it was refreshed, the
///   delete rule is applied to it too.
/// - `rollback` and `storeTrump` keep the deleted object.
/// - `overwrite` and `objectTrump` apply the delete rule to the link.
/// - A custom policy is not called; its base decides.
///
/// If the rule is deny, or the link is required, the save fails with ``ValidationError``, unless
/// the object is kept.
public enum MergePolicy: Sendable, Hashable {
    /// The save fails with ``ConflictError`` or ``ConstraintConflictError``. It writes nothing and
    /// changes nothing in memory.
    case error
    /// The changes of objects in conflict are discarded in favour of the store's values. Other
    /// objects are saved.
    case rollback
    /// The object is written with this context's values, including properties that only the other
    /// context changed.
    case overwrite
    /// Merges by property. If both sides changed a property, the store's value is kept (Core Data's
    /// `mergeByPropertyStoreTrump`). If one side deleted the object, the store's side is kept.
    case storeTrump
    /// Merges by property. If both sides changed a property, this context's value is kept (Core
    /// Data's `mergeByPropertyObjectTrump`). If one side deleted the object, this context's side is
    /// kept.
    case objectTrump
    /// The program decides.
    case custom(CustomMergePolicy)

    /// The strategy for conflicts, or nil if the policy has none.
    var strategy: ConflictStrategy? {
        switch self {
        case .error, .custom: nil
        case .rollback: .rollback
        case .overwrite: .overwrite
        case .storeTrump: .storeTrump
        case .objectTrump: .objectTrump
        }
    }

    /// Whether this context's side is kept if only one can be.
    var keepsOurs: Bool { strategy?.keepsOurs ?? false }

    /// Whether the resolution of a conflict may write all links of an object.
    var mayWriteAllLinks: Bool {
        switch self {
        case .overwrite, .objectTrump, .custom: true
        case .error, .rollback, .storeTrump: false
        }
    }
}

/// A merge policy of the program. It is called for each conflict.
///
/// ```swift
/// context.mergePolicy = .custom(CustomMergePolicy(basedOn: .objectTrump) { conflict in
///     guard let theirs = conflict.persistedSnapshot?["stock"] else { return }
///     try conflict.setValue(theirs, forKey: "stock")      // the store knows the stock best
/// })
/// ```
///
/// It is called for objects first, and for unique values after that, inside the transaction of the
/// save. It must not use a context. Its decisions take effect when the save succeeds.
public final class CustomMergePolicy: Sendable {
    let base: MergePolicy
    let resolve: @Sendable (inout MergeConflict) throws -> Void
    let resolveConstraint: @Sendable (inout ConstraintConflict) throws -> Void

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - base: The policy for conflicts that the closures do not resolve; with
    ///     ``MergePolicy/error``, such a conflict makes the save fail.
    ///   - resolve: Resolves the conflict of an object that another context changed or deleted. The
    ///     closure sets the ``MergeConflict/policy`` of the conflict, or values. If the closure
    ///     throws, the save fails.
    ///   - resolveConstraint: Resolves the conflict of a unique value that another object has.
    public init(
        basedOn base: MergePolicy = .error,
        resolve: @escaping @Sendable (inout MergeConflict) throws -> Void,
        resolveConstraint: @escaping @Sendable (inout ConstraintConflict) throws -> Void = { _ in }
    ) {
        self.base = base
        self.resolve = resolve
        self.resolveConstraint = resolveConstraint
    }
}

extension CustomMergePolicy: Hashable {
    /// Returns whether both are the same policy.
    public static func == (one: CustomMergePolicy, other: CustomMergePolicy) -> Bool {
        one === other
    }

    /// Hashes the policy's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// An object that two contexts changed.
///
/// Besides the object's own values, it has up to three snapshots of the row: as this context read
/// it (the base of its changes), as the coordinator last read it, and as it is in the store. Their
/// values are decoded on access. A to-one relationship is shown as the key that it references.
///
/// ## Topics
///
/// ### Object
///
/// - ``objectID``
/// - ``isDeletion``
/// - ``isRowDeleted``
/// - ``oldVersion``
/// - ``newVersion``
///
/// ### Values
///
/// - ``properties``
/// - ``objectValues``
/// - ``objectSnapshot``
/// - ``persistedSnapshot``
/// - ``cachedSnapshot``
///
/// ### Resolution
///
/// - ``policy``
/// - ``setValue(_:forKey:)``
public struct MergeConflict: Sendable {
    /// The object.
    public let objectID: ObjectID
    /// Whether this context deleted it.
    public let isDeletion: Bool
    /// Whether its row was deleted from the store.
    public let isRowDeleted: Bool
    /// The names of the properties that both sides changed.
    public let properties: [String]
    /// The version that this context's changes are based on.
    public let oldVersion: Int64
    /// The version that the row has now; 0 if it was deleted.
    public let newVersion: Int64
    /// The resolution for the object; a custom policy sets it. Another custom policy counts as
    /// ``MergePolicy/error``.
    public var policy: MergePolicy

    let object: RowSnapshot?
    let base: RowSnapshot?
    let cached: RowSnapshot?
    let persisted: RowSnapshot?
    private(set) var chosen = [Int: StoredValue]()

    /// The values that this context tried to save.
    public var objectValues: [String: Value] { object?.values ?? [:] }

    /// The values that this context last read or saved.
    public var objectSnapshot: [String: Value] { base?.values ?? [:] }

    /// The values that the coordinator last read or saved, for any context, or nil if it has none.
    public var cachedSnapshot: [String: Value]? { cached?.values }

    /// The values in the store. Nil if the row was deleted, or if the conflict was found before the
    /// store was read.
    public var persistedSnapshot: [String: Value]? { persisted?.values }

    /// Sets the value that is saved for an attribute. The policy only decides the other attributes.
    /// The value is not validated, except by the store itself.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the entity has no such attribute, with
    ///   `invalidRequest` if the value is of another type, does not fit or cannot be set.
    public mutating func setValue(_ value: Value, forKey name: String) throws {
        let entity = objectID.entity
        guard let slot = entity.layout.slot(of: name), let attribute = entity.attributes[slot],
            entity.layout.slots[slot].isStored
        else {
            throw StoreError.unknownName(
                "The entity \(entity.name) has no stored attribute \(name).", name,
                among: entity.layout.slots.filter { $0.isStored }.map { $0.property })
        }
        guard attribute.derivation == nil else { throw entity.isDerived(name) }
        guard let stored = entity.model.stored(value, of: attribute) else {
            throw entity.misfit(attribute, name)
        }
        chosen[slot] = stored
    }
}

/// An error for a save with conflicts under ``MergePolicy/error``: other contexts had changed its
/// rows.
///
/// Nothing was written. Refresh the objects (``ManagedObjectContext/refresh(_:mergeChanges:)``) and
/// save again, or set another policy.
public struct ConflictError: Error, Sendable {
    /// The conflicts; at least one. They are in the order of the entities in the model,
    /// sub-entities with their parents, and then in the order of the objects' keys. Links of other
    /// contexts to objects that are deleted here are first in the order of the relationships.
    public let conflicts: [MergeConflict]
    /// The deletions that conflict with links of other contexts. Their delete rules are applied
    /// again at the next save.
    var refusedDeletions: [RowIdentity] = []

    /// Core Data's error code for a save with conflicts.
    public var coreDataCode: Int { 133020 }
}

extension MergeConflict: CustomStringConvertible {
    /// The object, and the changes of both sides, without values.
    public var description: String {
        let other = "another context or process"
        if isRowDeleted { return "\(objectID) was changed here and deleted by \(other)" }
        if isDeletion { return "\(objectID) was deleted here and changed by \(other)" }
        if properties.isEmpty { return "\(objectID) was changed by \(other)" }
        return "\(objectID) was changed here and by \(other): "
            + properties.joined(separator: ", ")
    }
}

extension ConflictError: CustomStringConvertible {
    /// The conflicts and their remedy: the first ten objects, and the number of the others.
    public var description: String { "\(summary) \(remedy)" }

    var summary: String {
        conflicts.map { $0.description }.excerpts(10, separator: "; ") + "."
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
                "isRowDeleted": isRowDeleted, "oldVersion": oldVersion, "newVersion": newVersion,
            ])
    }
}

/// A row at one moment. Its values are decoded on access.
final class RowSnapshot: Sendable {
    let placed: PlacedRecord
    let entity: EntityDescription
    let store: any StoreEngine

    init(placed: PlacedRecord, entity: EntityDescription, store: any StoreEngine) {
        self.placed = placed
        self.entity = entity
        self.store = store
    }

    /// The stored attributes, and the keys that to-one relationships reference.
    var values: [String: Value] {
        var values = [String: Value]()
        for (slot, place) in entity.layout.slots.enumerated()
        where place.isStored && !place.isEntityOfKey {
            values[place.property] = value(at: slot)
        }
        return values
    }

    func value(at slot: Int) -> Value {
        let stored = placed.record.storedValue(slot, entity.shape.kinds[slot])
        guard let attribute = entity.attributes[slot] else {
            return if case .integer(let key) = stored { .int(key) } else { .null }
        }
        guard attribute.usesExternalForm, case .blob(let bytes) = stored else {
            return entity.model.value(stored, as: attribute.type) ?? .null
        }
        guard bytes.first == ExternalForm.file else { return .data(Data(bytes.dropFirst())) }
        let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
        // The file of a former value may be deleted already.
        return (try? store.externalData(named: name)).map { .data($0) } ?? .null
    }
}

extension RowSnapshot: CustomReflectable {
    /// Empty: the values of a row may be private.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// A conflict of objects with the same unique values, or with the same partner in a one-to-one
/// relationship.
///
/// If the store has an object with these values, it is the database object, and an object of the
/// context conflicts with it. If the conflict is between objects of the context, there is no
/// database object.
public struct ConstraintConflict: Sendable {
    /// The names of the properties that must be unique together; for a one-to-one relationship, its
    /// name.
    public let constraint: [String]
    /// The object in the store with these values, or nil if all are this context's.
    public let databaseObjectID: ObjectID?
    /// The objects of this context that have the values; at least one.
    public let conflictingObjectIDs: [ObjectID]
    /// The resolution for the objects; a custom policy sets it. Another custom policy counts as
    /// ``MergePolicy/error``.
    public var policy: MergePolicy

    let database: RowSnapshot?
    let conflicting: [RowSnapshot]

    /// The values that are not unique. A to-one relationship is shown as the key that it
    /// references.
    public var constraintValues: [String: Value] {
        let values = conflicting.first?.values ?? [:]
        return values.filter { constraint.contains($0.key) }
    }

    /// The values of the object in the store, or nil if all are this context's.
    public var databaseSnapshot: [String: Value]? { database?.values }

    /// The values of the objects that this context tried to save.
    public var conflictingSnapshots: [[String: Value]] { conflicting.map { $0.values } }
}

/// An error for a save with unique values that other objects have, if the merge policy does not
/// resolve the conflict.
///
/// Nothing was written, and the context is still usable: change or delete one of the objects, or
/// set another policy.
public struct ConstraintConflictError: Error, Sendable {
    /// The conflicts; at least one.
    public let conflicts: [ConstraintConflict]

    /// Core Data's error code for a save with a conflict of unique values.
    public var coreDataCode: Int { 133021 }
}

extension ConstraintConflictError: CustomStringConvertible {
    /// The objects, the properties and the remedy, without values.
    public var description: String { "\(summary) \(remedy)" }

    var remedy: String { "Change or delete one of them." }

    /// The first ten conflicts, and the number of the others.
    var summary: String {
        conflicts.map { $0.description }.excerpts(10, separator: ".\n") + "."
    }
}

extension ConstraintConflict: CustomStringConvertible {
    /// The objects and the properties; no values.
    public var description: String {
        let objects = (databaseObjectID.map { [$0] } ?? []) + conflictingObjectIDs
        return objects.map { $0.description }.excerpts(10, separator: " and ") + " have the same "
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
