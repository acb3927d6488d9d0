import CambiumModel
import CambiumRecords

/// A row as a custom store keeps it: the values of an object by the names of its properties.
public struct StoreNode: Sendable, Hashable {
    /// The object's entity. It is never abstract.
    public let entityName: String
    /// The object's key, unique among the objects of its hierarchy and never used again.
    public let key: Int64
    /// The number of saves of the row. If an object was read with another version, its save is a
    /// conflict.
    public var version: Int64
    /// The values of attributes, without those that are nil. The parts of a composite value are
    /// named `address.street`.
    public var values: [String: Value]
    /// The destinations of the to-one relationships with the key on this side. In a one-to-many
    /// this is the to-one side; in a one-to-one it is the side with the key in the model's file
    /// form.
    public var destinations: [String: StoreReference]
    /// The members of to-many relationships: of a many-to-many on the side that keeps the pairs,
    /// and of every ordered relationship for the order. The order may still contain former members.
    public var members: [String: [StoreReference]]

    /// Describes a row.
    public init(
        entityName: String, key: Int64, version: Int64, values: [String: Value] = [:],
        destinations: [String: StoreReference] = [:], members: [String: [StoreReference]] = [:]
    ) {
        self.entityName = entityName
        self.key = key
        self.version = version
        self.values = values
        self.destinations = destinations
        self.members = members
    }

    /// Returns the row as a record for objects.
    ///
    /// - Throws: ``StoreError`` if the type of a value does not fit the model.
    package func record(of entity: EntityDescription, in writer: RecordWriter) throws
        -> PlacedRecord
    {
        var placed = writer.makeRecord(entity.shape)
        placed.record.key = key
        placed.record.version = version
        for (slot, place) in entity.layout.slots.enumerated() where place.isStored {
            if let attribute = entity.attributes[slot] {
                guard let value = values[attribute.name] else { continue }
                guard let stored = entity.model.stored(value, of: attribute) else {
                    throw StoreError(
                        code: .corrupt,
                        message: "The store has a value for \(entity.name)/\(key)."
                            + "\(attribute.name) that does not fit the type \(attribute.type).",
                        remedy: "Let the custom store return a value of that type.")
                }
                writer.set(stored, slot, of: &placed, entity.shape)
            } else if let destination = destinations[place.property] {
                writer.set(
                    place.isEntityOfKey
                        ? .text(destination.entityName) : .integer(destination.key),
                    slot, of: &placed, entity.shape)
            }
        }
        return placed
    }

    /// Sets the values of some slots of a record.
    package mutating func take(_ slots: SlotSet, of record: Record, _ entity: EntityDescription)
        throws
    {
        for slot in slots.slots {
            let place = entity.layout.slots[slot]
            guard place.isStored, !place.isEntityOfKey else { continue }
            guard let attribute = entity.attributes[slot] else {
                destinations[place.property] = Self.destination(
                    slot, place.property, of: record, entity)
                continue
            }
            guard record.hasValue(slot) else {
                values[attribute.name] = nil
                continue
            }
            var stored = record.storedValue(slot, entity.shape.kinds[slot])
            if attribute.usesExternalForm, case .blob(let bytes) = stored {
                // An object that was read before the move may still have the name of a file: the
                // row has the content of the file.
                if bytes.first == ExternalForm.file { continue }
                stored = .blob(Data(bytes.dropFirst()))
            }
            values[attribute.name] = entity.model.value(stored, as: attribute.type)
        }
    }

    private static func destination(
        _ slot: Int, _ property: String, of record: Record, _ entity: EntityDescription
    ) -> StoreReference? {
        guard record.hasValue(slot), let relationship = entity.relationship(named: property) else {
            return nil
        }
        var name = relationship.relationship.destination
        if let entitySlot = relationship.entitySlot, record.hasValue(entitySlot) {
            name = String(decoding: record.bytes(entitySlot), as: UTF8.self)
        }
        return StoreReference(entityName: name, key: record.integer(slot))
    }
}

/// The far end of a link between rows.
public struct StoreReference: Sendable, Hashable, Codable {
    /// The entity of the object there.
    public let entityName: String
    /// The key of the row.
    public let key: Int64

    /// Names a row.
    public init(entityName: String, key: Int64) {
        self.entityName = entityName
        self.key = key
    }
}

extension ModelDescription {
    /// The entity of a row.
    package func entity(of node: StoreNode) throws -> EntityDescription {
        guard let entity = self[node.entityName] else {
            throw StoreError(
                code: .corrupt,
                message: "The store has a row of \(node.entityName), which the model "
                    + "\(model.name) does not have.",
                remedy: "Delete the row in the custom store, or add the entity to the model.")
        }
        return entity
    }
}
