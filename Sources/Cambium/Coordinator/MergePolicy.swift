import CambiumRecords

/// How a save resolves conflicts with what other contexts saved meanwhile.
///
/// A conflict is an object that this context changed or deleted and whose row has another version
/// than the one that the change is based on; or a unique value that another object has.
///
/// | | both changed it | deleted there | deleted here | unique value taken |
/// |---|---|---|---|---|
/// | ``error`` | error | error | error | error |
/// | ``rollback`` | theirs, whole | deleted | lives, theirs | the new object gives way |
/// | ``overwrite`` | ours, whole | inserted again | deleted | ours go to the stored row |
/// | ``storeTrump`` | theirs wins | deleted | lives, theirs | the new object gives way |
/// | ``objectTrump`` | ours wins | inserted again | deleted | what we set goes to the stored row |
///
/// A new object whose unique values are taken stands for the one that has them from then on: it
/// reads and writes that one's values, and references to it point there. An object that was saved
/// before and is to get such values keeps its old ones under `storeTrump` and `rollback`; under
/// `overwrite` and `objectTrump` the save fails with ``ConstraintConflictError``, because no stored
/// object is given up for a value of another.
///
/// By property means: what only one side changed is kept, whoever it is. The attributes of the
/// model that have a merge rule of their own (`merge="sum"`) follow it under the two policies that
/// go by property.
///
/// Links of to-many relationships are merged as sets of additions and removals: what both sides
/// added is there, what either took away is not. Under `overwrite` the members of a many-to-many
/// relationship of an object in conflict are exactly those that this context knows, and under
/// `rollback` they are the store's.
///
/// An object that is inserted again gets back the links that this context knows; a link to a
/// deleted object is cleared where it is optional. An object that cannot be without it stays
/// deleted. In a one-to-one that two contexts linked differently, the policy says whose link stays.
///
/// A link that others have made to an object which is deleted here, after its delete rules were
/// followed, is in conflict with the deletion: under `error` the conflict is that of the object with
/// the link, and once that is refreshed the delete rule is followed for it, too; `rollback` and
/// `storeTrump` let the deleted object live; `overwrite` and `objectTrump` do to the link what the
/// delete rule says. A custom policy is not asked, its base decides. Where the rule is deny, or the
/// link cannot be empty, the save fails with ``ValidationError``, unless the object lives.
public enum MergePolicy: Sendable, Hashable {
    /// The save fails with ``ConflictError`` or ``ConstraintConflictError``; nothing is written and
    /// nothing changes in memory.
    case error
    /// The changes of objects in conflict are dropped, the store's state stays; other objects are
    /// saved.
    case rollback
    /// The object is written as it is here, with the properties too that only the others changed.
    case overwrite
    /// Property by property, the store's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyStoreTrump`). Of a deletion against a change, the store's side stays.
    case storeTrump
    /// Property by property, this context's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyObjectTrump`). Of a deletion against a change, this context's side stays.
    case objectTrump
    /// The program decides.
    case custom(CustomMergePolicy)

    /// How it decides conflicts; nil where it does not.
    var strategy: ConflictStrategy? {
        switch self {
        case .error, .custom: nil
        case .rollback: .rollback
        case .overwrite: .overwrite
        case .storeTrump: .storeTrump
        case .objectTrump: .objectTrump
        }
    }

    /// Whether, of two sides that exclude each other, this context's stays.
    var keepsOurs: Bool { strategy?.keepsOurs ?? false }

    /// Whether a conflict may end with all links of an object as the context has them.
    var mayWriteAllLinks: Bool {
        switch self {
        case .overwrite, .objectTrump, .custom: true
        case .error, .rollback, .storeTrump: false
        }
    }
}

/// A merge policy of the program's own, which is asked about each conflict.
///
/// ```swift
/// context.mergePolicy = .custom(CustomMergePolicy(basedOn: .objectTrump) { conflict in
///     guard let theirs = conflict.persistedSnapshot?["stock"] else { return }
///     try conflict.setValue(theirs, forKey: "stock")      // the store knows the stock best
/// })
/// ```
///
/// It is asked about objects first and about unique values afterwards, inside the transaction of
/// the save, and must not use a context. What it decides takes effect when the save succeeds.
public final class CustomMergePolicy: Sendable {
    let base: MergePolicy
    let resolve: @Sendable (inout MergeConflict) throws -> Void
    let resolveConstraint: @Sendable (inout ConstraintConflict) throws -> Void

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - base: What happens where the closures decide nothing; with ``MergePolicy/error`` such a
    ///     conflict makes the save fail.
    ///   - resolve: Decides about an object that others changed or deleted: sets its
    ///     ``MergeConflict/policy``, or values. What it throws makes the save fail.
    ///   - resolveConstraint: Decides about a unique value that another object has.
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
    /// Whether both are the same policy.
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
/// It holds up to three snapshots of the row beside the object's own values: as this context read
/// it (the base of its changes), as the coordinator last saw it, and as it is in the store. Their
/// values are decoded when they are asked for. A to-one relationship shows as the key that it leads
/// to.
public struct MergeConflict: Sendable {
    /// The object.
    public let objectID: ObjectID
    /// Whether this context wanted to delete it.
    public let isDeletion: Bool
    /// Whether its row was deleted from the store.
    public let isRowGone: Bool
    /// The properties that both sides changed.
    public let properties: [String]
    /// The version that this context's changes are based on.
    public let oldVersion: Int64
    /// The version that the row has now; 0 if it was deleted.
    public let newVersion: Int64
    /// What happens to the object; a custom policy sets it. Another custom policy counts as
    /// ``MergePolicy/error``.
    public var policy: MergePolicy

    let object: RowSnapshot?
    let base: RowSnapshot?
    let cached: RowSnapshot?
    let persisted: RowSnapshot?
    private(set) var chosen = [Int: StoredValue]()

    /// The values that this context wanted to save.
    public var objectValues: [String: Value] { object?.values ?? [:] }

    /// The values that this context last read or saved.
    public var objectSnapshot: [String: Value] { base?.values ?? [:] }

    /// The values that the coordinator last saw, of whichever context; nil where it keeps none.
    public var cachedSnapshot: [String: Value]? { cached?.values }

    /// The values that the store has; nil where the row was deleted, and where the conflict was
    /// found before the store was asked.
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
                among: entity.layout.slots.filter { $0.isStored }.map { $0.property })
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
    /// The conflicts; at least one. They have the order of the entities in the model, sub-entities with
    /// their parents, and then that of the objects' keys. Links of others to what is deleted here have
    /// the order of the relationships first.
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
                "isRowGone": isRowGone, "oldVersion": oldVersion, "newVersion": newVersion,
            ])
    }
}

/// A row as somebody had it, whose values are decoded when they are asked for.
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
    /// Nothing: what is in a row is for those who ask for its values.
    var customMirror: Mirror { Mirror(self, children: []) }
}

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

    /// The values that are not unique. A to-one relationship shows as the key that it references.
    public var constraintValues: [String: Value] {
        let values = conflicting.first?.values ?? [:]
        return values.filter { constraint.contains($0.key) }
    }

    /// The values of the object that the store has; nil where all are this context's.
    public var databaseSnapshot: [String: Value]? { database?.values }

    /// The values of the objects that this context wants to save.
    public var conflictingSnapshots: [[String: Value]] { conflicting.map { $0.values } }
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
