import CambiumRecords

/// Reads through a key path of an object with made-up values.
struct PropertyProbe {
    /// How many different sets of values there are, the plain ones first.
    static let fillings = MadeUpValue.fillings

    /// What a reading has shown.
    struct Reading {
        /// The value, without the optional; nil where there is none.
        let value: Any?
        let reads: Set<ObservedProperty>
        let hasReadElsewhere: Bool
        let object: ManagedObject
        /// The relationship whose made-up object is the value.
        let toOne: RelationshipDescription?
    }

    let entity: EntityDescription
    let objectClass: ManagedObject.Type
    var model: ModelDescription { coordinator.model }
    private let coordinator: PersistentStoreCoordinator

    init(_ objectClass: ManagedObject.Type, _ entity: EntityDescription, _ model: ModelDescription)
    {
        self.objectClass = objectClass
        self.entity = entity
        coordinator = PersistentStoreCoordinator(
            detached: model, StoreTable([], in: model, after: nil))
    }

    /// Reads along key paths, each of which leads on from what the one before has found.
    func read(_ chain: [AnyKeyPath], filling: Int) -> Reading {
        let state = ContextState(coordinator)
        state.notesReads = true
        let object = objectClass.init(
            ObjectRegistration(
                state: state, entity: entity, key: 1, placed: record(filling), lifecycle: .clean))
        for relationship in entity.relationships where relationship.slot == nil {
            var links = LinkSet(isOrdered: relationship.isOrdered)
            if !relationship.isToMany {
                let key = Self.key(of: relationship)
                links.setStored(
                    [LinkSet.Member(key: key, entity: relationship.destination)], at: .max)
            }
            if relationship.isTransient {
                object.ownExtras.transientLinks[relationship.ordinal] = links
            } else {
                object.ownExtras.links[relationship.ordinal] = links
            }
        }
        let recorder = PropertyRecorder(of: object)
        state.recorder = recorder
        defer { state.recorder = nil }
        var value: Any? = object
        for path in chain {
            value = value.flatMap { Self.unwrapped($0[keyPath: path]) }
        }
        let found = value as? ManagedObject
        let toOne = entity.relationships.first { relationship in
            !relationship.isToMany
                && found
                    === recorder.destination(
                        entity: relationship.destination, key: Self.key(of: relationship))
        }
        return Reading(
            value: value, reads: recorder.reads, hasReadElsewhere: recorder.hasReadElsewhere,
            object: object, toOne: found == nil ? nil : toOne)
    }

    private static func key(of relationship: RelationshipDescription) -> Int64 {
        Int64(relationship.ordinal) + 2
    }

    /// What is in an optional, however deep.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return unwrapped(optional.content)
    }

    // MARK: Values

    private func record(_ filling: Int) -> PlacedRecord {
        let writer = RecordWriter()
        var placed = writer.makeRecord(entity.shape)
        for (slot, attribute) in entity.attributes.enumerated() {
            guard let attribute,
                let value = MadeUpValue(slot: slot, filling: filling, model: entity.model)
                    .value(of: attribute),
                let stored = entity.model.stored(value, of: attribute)
            else { continue }
            writer.set(stored, slot, of: &placed, entity.shape)
        }
        for relationship in entity.relationships {
            guard let slot = relationship.slot else { continue }
            placed.record.setInteger(slot, Self.key(of: relationship))
            if let entitySlot = relationship.entitySlot {
                let name = coordinator.model.entities[relationship.destination].name
                writer.set(.text(name), entitySlot, of: &placed, entity.shape)
            }
        }
        return placed
    }
}

/// An optional, whatever it holds.
protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self.map { $0 as Any } }
}
