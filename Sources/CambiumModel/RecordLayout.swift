/// Where each property of an entity's objects lies in a row in memory, and in which column of the
/// table it is stored.
///
/// Slots of ancestors come first, so that a class can read its own properties of an object of a
/// subclass. Both the emitter (which writes slot numbers into accessors) and the runtime (which
/// fills the slots) take them from here.
public struct RecordLayout: Sendable, Hashable {
    /// A place for one value.
    public struct Slot: Sendable, Hashable {
        /// The property that it belongs to; a polymorphic to-one has a second slot for the entity.
        public let property: String
        /// How the value is kept.
        public let storage: StorageClass
        /// The table's column, or nil for a transient property.
        public let column: String?
        /// Whether the store keeps the value.
        package var isStored: Bool { column != nil }
        /// Whether this is the second slot of a polymorphic to-one.
        public let isEntityOfKey: Bool
    }

    /// The slots in order.
    public let slots: [Slot]
    private let slotByProperty: [String: Int]

    /// Lays out the rows of an entity.
    public init(of entity: Entity, in model: Model) {
        var slots: [Slot] = []
        for ancestor in model.lineage(of: entity) {
            for attribute in ancestor.attributes {
                slots.append(
                    Slot(
                        property: attribute.name, storage: model.storageClass(of: attribute.type),
                        column: attribute.isTransient
                            ? nil : model.column(of: attribute.name, in: ancestor),
                        isEntityOfKey: false))
            }
            for relationship in ancestor.relationships {
                let column: String?
                let entityColumn: String?
                let hasEntity: Bool
                switch model.storage(of: relationship, of: ancestor) {
                case .key(let key, let entity):
                    (column, entityColumn, hasEntity) = (key, entity, entity != nil)
                case .transient where !relationship.isToMany:
                    let destination = model.entity(named: relationship.destination)
                    hasEntity = destination.map(model.hasSubentities) ?? false
                    (column, entityColumn) = (nil, nil)
                case .transient, .inverseKey, .joinTable:
                    continue
                }
                slots.append(
                    Slot(
                        property: relationship.name, storage: .integer, column: column,
                        isEntityOfKey: false))
                if hasEntity {
                    slots.append(
                        Slot(
                            property: relationship.name, storage: .text, column: entityColumn,
                            isEntityOfKey: true))
                }
            }
        }
        self.slots = slots
        slotByProperty = Dictionary(
            slots.enumerated().map { ($1.property, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The (first) slot of a property, or nil where it has none (a to-many, the far side of a
    /// one-to-one).
    public func slot(of property: String) -> Int? {
        slotByProperty[property]
    }
}
