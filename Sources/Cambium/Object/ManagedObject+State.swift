import CambiumRecords

extension ManagedObject {
    /// The object's identity, which may cross isolations. Final from insertion on.
    public final var objectID: ObjectID {
        if lifecycle == .invalid, let replacement = extras?.replacement {
            return replacement.objectID
        }
        return ownObjectID
    }

    /// The object itself, or the one that a save has kept in its place.
    @inline(__always)
    final var orReplacement: ManagedObject {
        lifecycle == .invalid ? extras?.replacement ?? self : self
    }

    /// The identity of the object's own row, also where another object stands for it.
    final var ownObjectID: ObjectID {
        ObjectID(
            entityDescription, key: key,
            store: state.coordinator.storeIdentifier(ofRoot: entityDescription.rootIndex),
            isTemporary: lifecycle == .inserted || isInsertedAbove)
    }

    /// Whether the object is new in the parent of its context, or further up.
    private var isInsertedAbove: Bool {
        guard state.parentReader != nil,
            let above = state.context?.parent?.registry[RowIdentity(self)]
        else { return false }
        return above.lifecycle == .inserted || above.isInsertedAbove
    }

    /// The context that the object belongs to; nil after the context was released, or after the
    /// object's deletion was saved.
    public final var managedObjectContext: ManagedObjectContext? {
        lifecycle == .invalid || lifecycle == .discarded
            ? extras?.replacement?.managedObjectContext : state.context
    }

    /// The object's entity in the model.
    public final var entity: Entity { entityDescription.entity }

    /// Whether the object is new and will be inserted by the next save.
    public final var isInserted: Bool {
        observedLifecycle == .inserted
    }

    /// Whether a property was set since the object was read or saved, even to an equal value.
    public final var isUpdated: Bool {
        observedLifecycle == .updated
    }

    /// Whether the next save will delete the object, or another isolation has deleted its row.
    public final var isDeleted: Bool {
        observedLifecycle == .deleted || (lifecycle == .invalid && isInvalidObject)
    }

    /// Whether the object is inserted, updated or deleted and not saved yet.
    public final var hasChanges: Bool {
        observedLifecycle == .inserted || lifecycle == .updated || lifecycle == .deleted
    }

    private var observedLifecycle: Lifecycle {
        if notesReads { noteRead(of: .lifecycle) }
        return lifecycle
    }

    /// Whether the values are not in memory yet. Reading one reads the row.
    public final var isFault: Bool {
        record == nil && extras?.replacement?.isFault != false
    }

    /// Whether the object's row has to be read for its values, or for what lies below its changes.
    final var needsRow: Bool {
        record == nil || flags.contains(.isUnread)
    }

    /// Whether the object is as it was before others changed or deleted its row.
    final var defersOthersRow: Bool {
        extras?.deferred ?? .nothing != .nothing
    }

    /// The row that the unsaved changes rest on.
    final var readRow: PlacedRecord? { extras?.snapshot ?? placed }

    /// Whether the row vanished without this context's doing.
    var isInvalidObject: Bool { extras?.vanished ?? false }

    /// 0 when the object has its values, 1 when it is a fault; for ported code, which may look at
    /// it before it observes.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Why the object is about to be deleted, inside ``prepareForDeletion()``; nil elsewhere.
    public final var deletionCause: DeletionCause? { state.context?.activity.deletionCause }

    /// A hash of the object's values and unsaved links, to tell whether a hook changed anything.
    final var contentHash: Int {
        var hasher = Hasher()
        hasher.combine(lifecycle)
        if let record {
            for (slot, kind) in entityDescription.shape.kinds.enumerated() {
                hasher.combine(record.storedValue(slot, kind))
            }
        }
        for (ordinal, links) in extras?.links ?? [:] {
            hasher.combine(ordinal)
            hasher.combine(links.added.members)
            hasher.combine(links.removed)
            hasher.combine(links.order)
        }
        return hasher.finalize()
    }
}

/// What only some objects need: those changed since they were saved, and those whose to-many
/// relationships were used.
final class ObjectExtras {
    // Safety: see `ManagedObject`; changing links calls nothing but the dictionary.
    /// The values as last read or saved, while the record is a draft.
    @exclusivity(unchecked) var snapshot: PlacedRecord?
    /// The values before the current event changed them.
    @exclusivity(unchecked) var eventBase = EventBase.none
    /// The links before the current event changed them.
    @exclusivity(unchecked) var eventLinks: EventLinks?
    /// What was set without being noted as a change.
    @exclusivity(unchecked) var quietChanges: QuietChanges?
    /// The slots that were set since.
    @exclusivity(unchecked) var changedSlots = SlotSet()
    /// The relationships kept elsewhere, by number.
    @exclusivity(unchecked) var links = LinkTable()
    /// The slots that were last set to a value that the store cannot keep.
    @exclusivity(unchecked) var unfitSlots: Set<Int> = []
    /// The slots whose values were found to be none of their types, and were reported.
    @exclusivity(unchecked) var reportedSlots = SlotSet()
    /// The links of transient relationships, which are in memory only.
    @exclusivity(unchecked) var transientLinks = LinkTable()
    /// What fetched properties found, until the object is refreshed.
    ///
    /// Not the objects themselves: two that find each other would keep each other for ever.
    @exclusivity(unchecked) var fetched = [Int: [LinkSet.Member]]()
    /// Whether the row was found missing, or deleted by another isolation.
    @exclusivity(unchecked) var vanished = false
    /// What the object has deferred of what another context saved: it was to be deleted here, or was
    /// changed in the same property.
    @exclusivity(unchecked) var deferred = DeferredChange.nothing
    /// The event of the context that last changed the object.
    @exclusivity(unchecked) var lastEvent = 0
    /// The object that a save has kept in place of this one, which was new and had its unique
    /// values.
    @exclusivity(unchecked) var replacement: ManagedObject?
    /// Who observes the object; made when somebody does.
    @exclusivity(unchecked) var observation: ObjectObservation?
    /// The default values of a new object that are computed for each, by slot; only where there
    /// are unique constraints, so that a merge can tell whether the program set them.
    @exclusivity(unchecked) var dynamicDefaults = [Int: StoredValue]()

    /// The links of a relationship that no slot holds, as far as they are known.
    func currentLinks(of relationship: RelationshipDescription) -> LinkSet? {
        relationship.isTransient
            ? transientLinks[relationship.ordinal] : links[relationship.ordinal]
    }

    var hasRelationshipChanges: Bool { links.contains { $0.value.hasChanges } }

    /// Whether objects were linked here since the links were saved.
    var hasNewLinks: Bool { links.contains { !$0.value.added.isEmpty } }
}

extension ManagedObject: Identifiable {
    /// The type of the identity.
    public typealias ID = ObjectID
}

// A member of the protocol and not of the class, so that a model may have an attribute of that name:
// `product.id` is the attribute then, while lists of views go on with the object's identity.
extension Identifiable where Self: ManagedObject {
    /// The object's identity, ``ManagedObject/objectID``: what lists tell objects apart by. Of a
    /// class whose entity has an attribute `id`, this name means the attribute.
    public var id: ObjectID { objectID }
}

// What debuggers, `dump` and test frameworks show of objects. Without it they would walk from any
// object through its context to the whole model, at every failed and every passed expectation; and
// values, which may be private, are shown to nobody who has not asked for them.

extension ManagedObject: CustomReflectable {
    /// The entity and the key.
    public final var customMirror: Mirror {
        Mirror(
            self, children: ["entity": entityDescription.name, "key": key],
            ancestorRepresentation: .suppressed)
    }
}

extension ObjectID: CustomReflectable {
    /// The entity and the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["entity": entityName, "key": key])
    }
}

/// Why an object is about to be deleted.
public enum DeletionCause: Hashable, Sendable {
    /// The program asked for it.
    case request
    /// A relationship with the delete rule cascade leads to it from an object that is deleted.
    case cascade
    /// Another context has deleted its row, and this one takes it over.
    case merge
}

/// By what an object got other values than by its setters.
///
/// The numbers are Core Data's.
public struct SnapshotEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Its insertion was undone, so that it is gone.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// Its deletion (or the undoing of its insertion) was undone, so that it is there again.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// A change was undone or redone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    /// The context was rolled back.
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was refreshed, and its own changes were kept.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A merge policy gave it values that another context has saved.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}

extension StoreError {
    static func missingRow(of object: ManagedObject) -> StoreError {
        StoreError(
            code: .missingRow,
            message: "The row of \(object.objectID) was deleted by another context or program.",
            remedy: "Discard the object's changes with refresh(_:mergeChanges:) or rollback().")
    }

    static func otherContext(of object: ManagedObject) -> StoreError {
        StoreError(
            code: .foreignObject, message: "\(object) belongs to another context.",
            remedy: "Look it up in this one with object(with: its objectID).")
    }
}
