import CambiumModel

/// Values that no two rows of an entity's family share: those of a unique constraint, or the key of
/// a one-to-one relationship, whose destination has one partner.
package final class UniqueKey: Sendable {
    /// The number of the entity that declares it.
    package let declarer: Int
    /// The names of the properties.
    package let properties: [String]
    /// Their slots, which are the same in every entity of the family.
    package let slots: [Int]
    /// The slots that lose their values with the key: the same, and the entity of a key.
    package let writtenSlots: SlotSet
    /// Whether it is a one-to-one relationship. The store has no unique index for it.
    package let isPartner: Bool
    /// Whether a row must have the values.
    package let isRequired: Bool

    /// - Returns: Nil where a property has no column.
    package init?(constraint: UniqueConstraint, of entity: EntityDescription) {
        let slots = constraint.properties.compactMap { entity.layout.slot(of: $0) }
        guard slots.count == constraint.properties.count,
            slots.allSatisfy(entity.storedSlots.contains)
        else { return nil }
        declarer = entity.index
        properties = constraint.properties
        self.slots = slots
        var written = SlotSet()
        for slot in slots {
            written.insert(slot)
            if let entitySlot = entity.relationships.first(where: { $0.slot == slot })?.entitySlot {
                written.insert(entitySlot)
            }
        }
        writtenSlots = written
        isPartner = false
        isRequired = false
    }

    /// - Returns: Nil where the relationship is not the side of a one-to-one that keeps the key.
    package init?(partner relationship: RelationshipDescription, of entity: EntityDescription) {
        guard let slot = relationship.slot, let name = relationship.relationship.inverse,
            let destination = entity.model.entity(named: relationship.relationship.destination),
            entity.model.relationship(name, of: destination)?.isToMany == false
        else { return nil }
        declarer = entity.index
        properties = [relationship.relationship.name]
        slots = [slot]
        var written = SlotSet()
        written.insert(slot)
        if let entitySlot = relationship.entitySlot { written.insert(entitySlot) }
        writtenSlots = written
        isPartner = true
        isRequired = !relationship.relationship.isOptional
    }

    /// The values of a record; nil where one is missing, as that never collides.
    package func values(of record: Record, _ shape: RecordShape) -> [StoredValue]? {
        var values: [StoredValue] = []
        for slot in slots {
            guard record.hasValue(slot) else { return nil }
            // As the store compares them: texts by their bytes, and the two zeros are equal.
            switch shape.kinds[slot] {
            case .integer: values.append(.integer(record.integer(slot)))
            case .real: values.append(.real(record.real(slot) + 0))
            case .text, .blob: values.append(.blob(Data(record.bytes(slot))))
            }
        }
        return values
    }

    /// All keys of a model: for each entity those that it declares itself.
    package static func all(of entities: [EntityDescription]) -> [UniqueKey] {
        entities.flatMap { description in
            let own = Set(description.entity.relationships.map(\.name))
            return description.entity.uniqueConstraints.compactMap {
                UniqueKey(constraint: $0, of: description)
            }
                + description.relationships
                .filter { own.contains($0.relationship.name) }
                .compactMap { UniqueKey(partner: $0, of: description) }
        }
    }
}

extension ModelDescription {
    /// The unique constraints that objects of an entity are under, its ancestors' too.
    package func uniqueConstraints(of entity: EntityDescription) -> [UniqueKey] {
        uniqueKeys.filter { !$0.isPartner && families[$0.declarer].contains(entity.index) }
    }

    /// Those of them that include no relationship.
    package func attributeConstraints(of entity: EntityDescription) -> [UniqueKey] {
        uniqueConstraints(of: entity).filter { unique in
            unique.slots.allSatisfy { entity.attributes[$0] != nil }
        }
    }
}
