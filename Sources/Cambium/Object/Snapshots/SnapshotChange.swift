import CambiumRecords

/// A snapshot's content on its way into an object, after all that could go wrong was looked at.
struct SnapshotChange {
    private let content: SnapshotContent
    private let destinations: [Int: ManagedObject]

    init(
        _ content: SnapshotContent, from id: ObjectID?, to entity: EntityDescription,
        in context: ManagedObjectContext
    ) throws {
        let store = context.coordinator.storeIdentifier(ofRoot: entity.rootIndex)
        if let id, id.store != store {
            throw StoreError(
                code: .foreignObject,
                message: "The snapshot is of \(id), which is in another store.",
                remedy: "Insert a new object from the snapshot.")
        }
        guard content.entity === entity || content.entity.entity == entity.entity else {
            throw StoreError(
                code: .invalidRequest,
                message: "The snapshot is of the entity \(content.entity.name), but the object is "
                    + "of \(entity.name).",
                remedy: "Update an object of \(content.entity.name).")
        }
        var destinations: [Int: ManagedObject] = [:]
        for (ordinal, id) in content.destinations {
            let relationship = entity.relationships[ordinal]
            let place = "\(entity.name).\(relationship.relationship.name)"
            guard id.store == store else {
                throw StoreError(
                    code: .foreignObject,
                    message: "\(place) of the snapshot references \(id) in another store.",
                    remedy: "Set the relationship to an object of this store.")
            }
            let model = context.coordinator.model
            guard let description = model[id.entityName],
                model.families[relationship.destination].contains(description.index)
            else {
                throw StoreError(
                    code: .invalidRequest,
                    message:
                        "\(place) of the snapshot references \(id), which is not an object of "
                        + "\(relationship.relationship.destination).",
                    remedy: "Set the relationship to an object of that entity.")
            }
            destinations[ordinal] = context.registry.object(entity: description.index, key: id.key)
        }
        self.content = content
        self.destinations = destinations
    }

    /// Sets what differs.
    func apply(to object: ManagedObject) {
        for (slot, attribute) in content.storedAttributes where attribute.derivation == nil {
            copy(slot, attribute, to: object)
        }
        for slot in content.unfitSlots { object.noteUnfit(slot) }
        for relationship in object.entityDescription.relationships
        where content.isKept(relationship) {
            let destination = destinations[relationship.ordinal]
            if object.destination(of: relationship) !== destination {
                object.setDestination(of: relationship, to: destination)
            }
        }
    }

    private func copy(_ slot: Int, _ attribute: Attribute, to object: ManagedObject) {
        let record = content.placed.record
        let kind = content.entity.shape.kinds[slot]
        if attribute.usesExternalForm {
            let data = record.hasValue(slot) ? Data(record.bytes(slot).dropFirst()) : nil
            if object.properties.externalData(at: slot, in: object.readable) != data {
                object.setValue(data, at: slot)
            }
            return
        }
        guard !record.isEqual(slot, kind, to: object.readable) else { return }
        guard record.hasValue(slot) else { return object.writeNull(slot) }
        switch kind {
        case .integer: object.writeInteger(slot, record.integer(slot))
        case .real: object.writeReal(slot, record.real(slot))
        case .text, .blob: object.writeBytes(slot, record.bytes(slot))
        }
        object.extras?.unfitSlots.remove(slot)
    }
}
