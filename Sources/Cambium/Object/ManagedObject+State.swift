import CambiumRecords

extension ManagedObject {
    /// The object's identity. It can be sent to other isolations, and it is final from the
    /// insertion on.
    public final var objectID: ObjectID {
        if lifecycle == .invalid, let replacement = extras?.replacement {
            return replacement.objectID
        }
        return ownObjectID
    }

    /// The object itself, or its replacement if a save has merged it into another object.
    @inline(__always)
    final var orReplacement: ManagedObject {
        lifecycle == .invalid ? extras?.replacement ?? self : self
    }

    /// The identity of the object's own row, even if the object was merged into another one.
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

    /// The context of the object, or nil if the context was released or the object's deletion was
    /// saved.
    public final var managedObjectContext: ManagedObjectContext? {
        lifecycle == .invalid || lifecycle == .discarded
            ? extras?.replacement?.managedObjectContext : state.context
    }

    /// The object's entity in the model.
    public final var entity: Entity { entityDescription.entity }

    /// A Boolean value that indicates whether the object is new and the next save will insert it.
    public final var isInserted: Bool {
        observedLifecycle == .inserted
    }

    /// A Boolean value that indicates whether a property was set since the object was read or
    /// saved, even to an equal value.
    public final var isUpdated: Bool {
        observedLifecycle == .updated
    }

    /// A Boolean value that indicates whether the next save will delete the object, or another
    /// context has deleted its row.
    public final var isDeleted: Bool {
        observedLifecycle == .deleted || (lifecycle == .invalid && isInvalidObject)
    }

    /// A Boolean value that indicates whether the object has an insertion, update or deletion that
    /// is not saved.
    public final var hasChanges: Bool {
        observedLifecycle == .inserted || lifecycle == .updated || lifecycle == .deleted
    }

    private var observedLifecycle: Lifecycle {
        if notesReads { noteRead(of: .lifecycle) }
        return lifecycle
    }

    /// A Boolean value that indicates whether the object's values are not in memory. Reading a
    /// value reads the row.
    public final var isFault: Bool {
        record == nil && extras?.replacement?.isFault != false
    }

    /// Whether the object's row must be read, for its values or for the base of its changes.
    final var needsRow: Bool {
        record == nil || flags.contains(.isUnread)
    }

    /// Whether the object has a deferred merge. If so, another context changed or deleted its row,
    /// and the object still has its former state.
    final var hasDeferredMerge: Bool {
        extras?.deferred ?? .nothing != .nothing
    }

    /// The row that is the base of the unsaved changes.
    final var readRow: PlacedRecord? { extras?.snapshot ?? placed }

    /// Whether the row was deleted, but not by this context.
    var isInvalidObject: Bool { extras?.vanished ?? false }

    /// 0 if the object has its values, 1 if it is a fault. For ported code that reads it before it
    /// observes the object.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// The reason for the deletion of the object, inside ``prepareForDeletion()``; nil elsewhere.
    public final var deletionCause: DeletionCause? { state.context?.activity.deletionCause }

    /// A hash of the object's values and unsaved links, to detect whether a hook changed anything.
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

/// State that only some objects need: changed objects, and objects with to-many relationships that
/// were used.
final class ObjectExtras {
    // Safety: see `ManagedObject`; changing links calls nothing but the dictionary.
    /// The values as last read or saved, while the record is a draft.
    @exclusivity(unchecked) var snapshot: PlacedRecord?
    /// The values before the current event changed them.
    @exclusivity(unchecked) var eventBase = EventBase.none
    /// The links before the current event changed them.
    @exclusivity(unchecked) var eventLinks: EventLinks?
    /// The attributes that were set without recording a change.
    @exclusivity(unchecked) var quietChanges: QuietChanges?
    /// The slots that were set since.
    @exclusivity(unchecked) var changedSlots = SlotSet()
    /// The links of relationships without a column in the row, by ordinal.
    @exclusivity(unchecked) var links = LinkTable()
    /// The slots that were last set to a value that the store cannot store.
    @exclusivity(unchecked) var unfitSlots: Set<Int> = []
    /// The slots with values that are invalid for their types, and were reported.
    @exclusivity(unchecked) var reportedSlots = SlotSet()
    /// The links of transient relationships. They exist only in memory.
    @exclusivity(unchecked) var transientLinks = LinkTable()
    /// The results of fetched properties, until the object is refreshed.
    ///
    /// They are keys, because objects that retain each other would never be released.
    @exclusivity(unchecked) var fetched = [Int: [LinkSet.Member]]()
    /// Whether the row was missing when it was read, or another isolation deleted it.
    @exclusivity(unchecked) var vanished = false
    /// The deferred merge of a change that another context saved: this object was deleted here, or
    /// the same property was changed here.
    @exclusivity(unchecked) var deferred = DeferredChange.nothing
    /// The event of the context that last changed the object.
    @exclusivity(unchecked) var lastEvent = 0
    /// The replacement: a save merged this new object into it, because both had the same unique
    /// values.
    @exclusivity(unchecked) var replacement: ManagedObject?
    /// The observation of the object, created for its first observer.
    @exclusivity(unchecked) var observation: ObjectObservation?
    /// The default values that were computed for this new object, by slot. They are kept only if
    /// the entity has unique constraints, because a merge must distinguish them from values that
    /// the program set.
    @exclusivity(unchecked) var dynamicDefaults = [Int: StoredValue]()

    /// Returns the known links of a relationship without a slot.
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

// A member of the protocol, not of the class, so that a model may have an attribute of that name.
// Then `product.id` is the attribute, and lists of views still use the object's identity.
extension Identifiable where Self: ManagedObject {
    /// The object's identity, ``ManagedObject/objectID``, for lists of views. If the entity of a
    /// class has an attribute `id`, this name means the attribute.
    public var id: ObjectID { objectID }
}

// The children of an object for debuggers, `dump` and test frameworks. Without a custom mirror,
// they would walk from any object through its context to the complete model, at every expectation
// of a test. Values may be private, so they are not shown.

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

/// The reason for the deletion of an object.
public enum DeletionCause: Hashable, Sendable {
    /// The program deleted it.
    case request
    /// A deleted object references it, by a relationship with the delete rule cascade.
    case cascade
    /// Another context deleted its row, and this context merges the deletion.
    case merge
}

/// The events, other than setters, that change an object's values.
///
/// The raw values are the same as in Core Data.
public struct SnapshotEvents: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The insertion of the object was undone; the object is discarded.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// The deletion of the object, or the undo of its insertion, was undone; the object exists
    /// again.
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
            code: .objectOfAnotherContext, message: "\(object) belongs to another context.",
            remedy: "Look it up in this one with object(with: its objectID).")
    }
}
