import CambiumRecords

// What changed, since the object was read or saved, or in the current event.
extension ManagedObject {
    /// The present values of the stored properties that were set since the object was read or
    /// saved, also of those that were set to an equal value; relationships by object ids. Of a new
    /// object, all values that are not nil. Fires no fault and reads no relationship.
    public final func changedValues() -> [String: PropertyValue] {
        guard hasChanges else { return [:] }
        var values: [String: PropertyValue] = [:]
        // A fault may have changes of relationships that others keep.
        if let record {
            entityDescription.storedSlots.forEach { slot in
                let isChanged =
                    lifecycle == .inserted
                    ? record.hasValue(slot) : extras?.changedSlots.contains(slot) ?? false
                guard isChanged, let property = properties.property(at: slot, in: record) else {
                    return
                }
                values[property.name] = property.value
            }
        }
        for (ordinal, links) in extras?.links ?? [:] where links.hasChanges {
            let relationship = entityDescription.relationships[ordinal]
            values[relationship.relationship.name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// The former values of the properties that were changed since changes were last processed;
    /// relationships by object ids. A property that was set to an equal value is not among them:
    /// it has no other former value. Empty for an object that is new since then. Reads nothing.
    public final func changedValuesForCurrentEvent() -> [String: PropertyValue] {
        guard flags.contains(.isNoted), let extras else { return [:] }
        var values: [String: PropertyValue] = [:]
        if let base = eventBaseRecord, let record {
            for slot in entityDescription.shape.kinds.indices
            where !record.isEqual(slot, entityDescription.shape.kinds[slot], to: base.record) {
                guard let property = properties.property(at: slot, in: base.record) else {
                    continue
                }
                values[property.name] = property.value
            }
        }
        for (ordinal, links) in extras.eventLinks?.bases ?? [:] {
            let relationship = entityDescription.relationships[ordinal]
            guard let now = extras.currentLinks(of: relationship), !now.hasSameMembers(as: links)
            else { continue }
            values[relationship.relationship.name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// The values of stored properties as they were last read or saved; relationships by object
    /// ids. Of a new object there are none. Fires no fault and reads no relationship: an object
    /// that is a fault has none either, a to-many that was not read is `unread`.
    ///
    /// - Parameter names: Which properties; nil for all.
    /// - Throws: ``StoreError`` with `unknownName` where the entity has no such property.
    public final func committedValues(
        forKeys names: [String]? = nil
    ) throws -> [String: PropertyValue] {
        for name in names ?? []
        where entityDescription.layout.slot(of: name) == nil
            && entityDescription.relationship(named: name) == nil
        {
            throw properties.unknownKey(name)
        }
        guard lifecycle != .inserted, let base = committedRecord else { return [:] }
        let wanted = names.map(Set.init)
        var values: [String: PropertyValue] = [:]
        entityDescription.storedSlots.forEach { slot in
            guard let property = properties.property(at: slot, in: base),
                wanted?.contains(property.name) ?? true
            else { return }
            values[property.name] = property.value
        }
        for relationship in entityDescription.relationships
        where relationship.slot == nil && !relationship.isTransient {
            let name = relationship.relationship.name
            guard wanted?.contains(name) ?? true else { continue }
            var links = extras?.links[relationship.ordinal] ?? LinkSet(isOrdered: false)
            links.discardChanges()
            values[name] = properties.value(of: relationship, links)
        }
        return values
    }

    /// Whether a stored value differs from the one last read or saved. Fires no fault and reads no
    /// relationship.
    public final var hasPersistentChangedValues: Bool {
        guard hasChanges else { return false }
        if extras?.hasRelationshipChanges == true { return true }
        guard let record else { return false }
        if lifecycle == .inserted {
            return entityDescription.layout.slots.indices.contains { slot in
                entityDescription.layout.slots[slot].isStored && record.hasValue(slot)
            }
        }
        guard let base = extras?.snapshot?.record else { return false }
        return entityDescription.layout.slots.indices.contains { slot in
            entityDescription.layout.slots[slot].isStored
                && !record.isEqual(slot, entityDescription.shape.kinds[slot], to: base)
        }
    }

    /// The record as last read or saved.
    private var committedRecord: Record? {
        extras?.snapshot?.record ?? extras?.quietChanges?.base?.record ?? record
    }
}

extension LinkSet {
    /// Whether another moment's links reference the same objects in the same order, as far as is
    /// known.
    func hasSameMembers(as other: LinkSet) -> Bool {
        if stored != nil, other.stored != nil { return members == other.members }
        return added == other.added && removed == other.removed && order == other.order
    }
}
