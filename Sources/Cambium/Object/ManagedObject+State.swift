import CambiumSQLite

extension ManagedObject {
    /// The object's identity, which may cross isolations. Final from insertion on.
    public final var objectID: ObjectID {
        if lifecycle == .gone, let survivor = extras?.survivor { return survivor.objectID }
        return ObjectID(
            entityDescription, key: key,
            store: state.coordinator.storeIdentifier(ofRoot: entityDescription.rootIndex))
    }

    /// The context that the object belongs to; nil after the context is gone, or after the object's
    /// deletion was saved.
    public final var managedObjectContext: ManagedObjectContext? {
        lifecycle == .gone || lifecycle == .discarded
            ? extras?.survivor?.managedObjectContext : state.context
    }

    /// The object's entity in the model.
    public final var entity: Entity { entityDescription.entity }

    /// Whether the object is new and will be inserted by the next save.
    public final var isInserted: Bool { lifecycle == .inserted }

    /// Whether a property was set since the object was read or saved, even to an equal value.
    public final var isUpdated: Bool { lifecycle == .updated }

    /// Whether the next save will delete the object, or another isolation has deleted its row.
    public final var isDeleted: Bool {
        lifecycle == .deleted || (lifecycle == .gone && isGhost)
    }

    /// Whether the object is inserted, updated or deleted and not saved yet.
    public final var hasChanges: Bool {
        lifecycle == .inserted || lifecycle == .updated || lifecycle == .deleted
    }

    /// Whether the values are not in memory yet. Reading one reads the row.
    public final var isFault: Bool { record == nil && extras?.survivor?.isFault != false }

    /// Whether the row vanished without this context's doing.
    var isGhost: Bool { extras?.vanished ?? false }

    /// The attributes whose values differ from those last read or saved, without firing faults. For
    /// a new object, all values that are not nil. Relationships are not among them.
    public final func changedValues() -> [String: Value] {
        guard let record else { return [:] }
        var values: [String: Value] = [:]
        for (slot, attribute) in entityDescription.attributes.enumerated() {
            guard let attribute, !attribute.isTransient, isChanged(slot, in: record) else {
                continue
            }
            values[attribute.name] = value(ofSlot: slot, attribute, in: record)
        }
        return values
    }

    /// Whether a stored value differs from the one last read or saved.
    public final var hasPersistentChangedValues: Bool {
        guard let record else { return false }
        return entityDescription.layout.slots.indices.contains { slot in
            entityDescription.layout.slots[slot].column != nil && isChanged(slot, in: record)
        } || extras?.hasRelationshipChanges == true
    }

    private func isChanged(_ slot: Int, in record: Record) -> Bool {
        switch lifecycle {
        case .inserted: record.hasValue(slot)
        case .updated, .deleted:
            extras?.snapshot.map {
                !record.isEqual(slot, entityDescription.shape.kinds[slot], to: $0.record)
            } ?? false
        case .clean, .discarded, .gone: false
        }
    }
}

extension ManagedObject {
    /// A hash of the object's values and unsaved links, to tell whether a hook changed anything.
    final var contentHash: Int {
        var hasher = Hasher()
        hasher.combine(lifecycle)
        if let record {
            for (slot, kind) in entityDescription.shape.kinds.enumerated() {
                hasher.combine(record.storedValue(slot, kind))
            }
        }
        for (ordinal, links) in (extras?.links ?? [:]).sorted(by: { $0.key < $1.key }) {
            hasher.combine(ordinal)
            hasher.combine(links.added)
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
    /// The slots that were set since.
    @exclusivity(unchecked) var changedSlots = SlotSet()
    /// The relationships kept elsewhere, by number.
    @exclusivity(unchecked) var links: [Int: LinkSet] = [:]
    /// The slots that were last set to a value that the store cannot keep.
    var unfitSlots: Set<Int> = []
    /// The links of transient relationships, which are in memory only.
    var transientLinks: [Int: LinkSet] = [:]
    /// What fetched properties found, until the object is refreshed.
    ///
    /// Not the objects themselves: two that find each other would keep each other for ever.
    var fetched: [Int: [LinkSet.Member]] = [:]
    /// Whether the row was found missing, or deleted by another isolation.
    var vanished = false
    /// The object that a save has kept in place of this one, which was new and had its unique
    /// values.
    var survivor: ManagedObject?
    /// The default values of a new object that are made anew for each, by slot; only where there are
    /// unique constraints, so that a merge can tell whether the program set them.
    var dynamicDefaults: [Int: StoredValue] = [:]

    var hasRelationshipChanges: Bool { links.contains { $0.value.hasChanges } }
}
