import CambiumRecords

/// What a snapshot holds, whatever its class: a record of its own, which nobody writes any more,
/// and where its to-one relationships lead.
struct SnapshotContent: Sendable {
    let model: ModelDescription
    let entity: EntityDescription
    var placed: PlacedRecord
    /// The destinations of to-one relationships, by number. The keys in the record do not count.
    var destinations: [Int: ObjectID] = [:]
    /// The slots that were set to a value that the store cannot keep.
    var unfitSlots: Set<Int> = []
}

extension SnapshotContent {
    /// Copies what an object has.
    init(of object: ManagedObject) {
        model = object.state.coordinator.model
        entity = object.entityDescription
        placed = RecordWriter.compactCopy(object.readable, object.entityDescription.shape)
        unfitSlots = object.extras?.unfitSlots ?? []
        takeExternalData(of: object)
        for relationship in entity.relationships where isKept(relationship) {
            destinations[relationship.ordinal] = Self.destinationID(of: relationship, object)
        }
    }

    /// The identity of what a to-one relationship leads to, without reading its row where this side
    /// keeps the key.
    private static func destinationID(
        of relationship: RelationshipDescription, _ object: ManagedObject
    ) -> ObjectID? {
        guard let slot = relationship.slot else {
            return object.destination(of: relationship)?.objectID
        }
        let record = object.readable
        guard record.hasValue(slot) else { return nil }
        let model = object.state.coordinator.model
        var destination = model.entities[relationship.destination]
        if let entitySlot = relationship.entitySlot, record.hasValue(entitySlot) {
            let name = String(decoding: record.bytes(entitySlot), as: UTF8.self)
            destination = model[name] ?? destination
        }
        return ObjectID(
            destination, key: record.integer(slot),
            store: object.state.coordinator.storeIdentifier(
                ofRoot: object.entityDescription.rootIndex))
    }

    /// Reads large values that lie in files: a file may be gone by the time somebody looks at it.
    private mutating func takeExternalData(of object: ManagedObject) {
        guard !entity.externalSlots.isEmpty else { return }
        let writer = RecordWriter(capacity: 0)
        entity.externalSlots.forEach { slot in
            guard let data = object.properties.externalData(at: slot, in: object.readable) else {
                return
            }
            writer.set(.blob([ExternalForm.inline] + data), slot, of: &placed, entity.shape)
        }
        placed = RecordWriter.compactCopy(placed.record, entity.shape)
    }

    /// Whether a snapshot knows where a relationship leads.
    func isKept(_ relationship: RelationshipDescription) -> Bool {
        !relationship.isToMany && !relationship.isTransient
    }

    /// The number of the to-one relationship that a path of one name names.
    func ordinal(of path: [String]) -> Int? {
        guard path.count == 1, let relationship = entity.relationship(named: path[0]),
            isKept(relationship)
        else { return nil }
        return relationship.ordinal
    }

    // MARK: Accessors of the class

    /// An object with these values that belongs to no context, for the accessors of the class to
    /// work on. It is never handed out: each access has one of its own, since objects may not be
    /// shared between isolations and snapshots are.
    func detachedObject<Object: ManagedObject>(isDraft: Bool) -> Object {
        let state = ContextState(PersistentStoreCoordinator(detached: model, .detached))
        let registration = ObjectRegistration(
            state: state, entity: entity, key: .min,
            placed: isDraft ? RecordWriter.compactCopy(placed.record, entity.shape) : placed,
            lifecycle: isDraft ? .inserted : .clean)
        let object = entity.objectClass.init(registration)
        if isDraft, !unfitSlots.isEmpty { object.ownExtras.unfitSlots = unfitSlots }
        return object as? Object ?? Object(registration)
    }

    /// Takes over what setters have made of a draft.
    mutating func takeValues(of draft: ManagedObject) {
        guard let changed = draft.placed else { return }
        placed = RecordWriter.compactCopy(changed.record, entity.shape)
        unfitSlots = draft.extras?.unfitSlots ?? []
    }

    // MARK: Comparing

    /// The attributes that are more than memory, with their slots.
    var storedAttributes: [(slot: Int, attribute: Attribute)] {
        entity.attributes.enumerated().compactMap { slot, attribute in
            attribute.flatMap { $0.isTransient ? nil : (slot, $0) }
        }
    }
}

extension SnapshotContent: Hashable {
    static func == (one: SnapshotContent, other: SnapshotContent) -> Bool {
        guard one.entity === other.entity || one.entity.entity == other.entity.entity,
            one.destinations == other.destinations, one.unfitSlots == other.unfitSlots
        else { return false }
        return one.entity.attributes.indices.allSatisfy { slot in
            one.entity.attributes[slot] == nil
                || one.placed.record.isEqual(
                    slot, one.entity.shape.kinds[slot], to: other.placed.record)
        }
    }

    func hash(into hasher: inout Hasher) {
        for (slot, attribute) in entity.attributes.enumerated() where attribute != nil {
            hasher.combine(placed.record.storedValue(slot, entity.shape.kinds[slot]))
        }
        hasher.combine(destinations)
    }
}
