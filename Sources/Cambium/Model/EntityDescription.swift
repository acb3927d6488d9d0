import CambiumRecords

/// An entity as the runtime uses it: numbers instead of names.
///
/// One per entity and container, immutable, shared by all contexts.
@usableFromInline
final class EntityDescription: Sendable {
    let entity: Entity
    let model: Model
    /// The number among the model's entities.
    let index: Int
    /// The number of the root entity.
    let rootIndex: Int
    /// Whether the table has an entity column.
    let hasEntityColumn: Bool
    let isAbstract: Bool
    let objectClass: ManagedObject.Type
    /// Whether the class has the checks of the model's limits.
    let isGenerated: Bool
    let layout: RecordLayout
    let shape: RecordShape
    /// The attribute that a slot holds, where it holds one.
    let attributes: [Attribute?]
    /// The slots that have a column.
    let storedSlots: SlotSet
    /// The slots of derived attributes, which nobody sets.
    let derivedSlots: SlotSet
    /// Whether there are values that are in memory only.
    let hasTransients: Bool
    /// The slots of those.
    let transientSlots: [Int]
    /// The slots of attributes that must have a value.
    let requiredSlots: SlotSet
    /// The slots of floating-point numbers and dates that can be set.
    let floatingSlots: SlotSet
    /// The to-one relationships that must lead somewhere, by number.
    let requiredToOnes: [Int]
    /// The slots of to-ones whose other side is a to-one, too.
    let partnerSlots: SlotSet
    /// The slots of large data that may lie in files.
    let externalSlots: SlotSet
    /// The fetched properties, inherited ones first; generated code knows them by number.
    let fetchedProperties: [FetchedProperty]
    /// What makes optional composite values whole.
    let presenceRules: [PresenceRule]
    /// All relationships, inherited ones first; generated code knows them by number.
    let relationships: [RelationshipDescription]
    /// For each relationship, where its key is; nil where this side keeps none, or where the key
    /// does not say it all.
    let keyPlaces: [KeyPlace?]
    /// Whether a relationship may keep an object from being deleted.
    let deniesDeletion: Bool
    /// A record with the model's defaults, which new objects start from and ghosts show.
    let template: PlacedRecord
    /// The slots whose default is made anew for each object.
    let dynamicDefaults: [(slot: Int, value: DefaultValue)]
    /// Whether new objects note those defaults: a merge of unique values wants to know which values
    /// the program has set.
    let remembersDefaults: Bool
    /// The rules of the entity and its ancestors.
    let rules: [Rule]
    /// What merging two changes of a row needs.
    let mergeRules: MergeRules

    var name: String { entity.name }

    init(
        _ entity: Entity, index: Int, in model: Model, objectClass: ManagedObject.Type,
        relationships: [RelationshipDescription]
    ) {
        let root = model.root(of: entity)
        let lineage = model.lineage(of: entity)
        let layout = RecordLayout(of: entity, in: model)
        let shape = RecordShape(kinds: layout.slots.map(\.storage))
        self.entity = entity
        self.model = model
        self.index = index
        rootIndex = model.entities.firstIndex { $0.name == root.name } ?? index
        hasEntityColumn = model.hasSubentities(root)
        isAbstract = entity.isAbstract
        self.objectClass = objectClass
        isGenerated = objectClass.entityReference.model != nil
        self.layout = layout
        self.shape = shape
        self.relationships = relationships
        keyPlaces = relationships.map { relationship in
            guard let slot = relationship.slot, relationship.entitySlot == nil else { return nil }
            return KeyPlace(
                slot: slot, destination: relationship.destination,
                root: relationship.destinationRoot)
        }
        var partnerSlots = SlotSet()
        for relationship in relationships {
            guard let slot = relationship.slot, let inverse = relationship.relationship.inverse,
                let destination = model.entity(named: relationship.relationship.destination),
                model.relationships(of: destination)
                    .contains(where: { $0.name == inverse && !$0.isToMany })
            else { continue }
            partnerSlots.insert(slot)
            if let entitySlot = relationship.entitySlot { partnerSlots.insert(entitySlot) }
        }
        self.partnerSlots = partnerSlots
        deniesDeletion = relationships.contains { $0.relationship.deleteRule == .deny }
        rules = lineage.flatMap(\.rules)
        var storedSlots = SlotSet()
        for (slot, place) in layout.slots.enumerated() where place.isStored {
            storedSlots.insert(slot)
        }
        self.storedSlots = storedSlots
        transientSlots = layout.slots.indices.filter { !layout.slots[$0].isStored }
        hasTransients = !transientSlots.isEmpty
        let attributes = layout.slots.map { model.attribute($0.property, of: entity) }
        self.attributes = attributes
        var derivedSlots = SlotSet()
        for (slot, attribute) in attributes.enumerated() where attribute?.derivation != nil {
            derivedSlots.insert(slot)
        }
        self.derivedSlots = derivedSlots
        var externalSlots = SlotSet()
        for (slot, attribute) in attributes.enumerated() where attribute?.usesExternalForm == true {
            externalSlots.insert(slot)
        }
        self.externalSlots = externalSlots
        var requiredSlots = SlotSet()
        var floatingSlots = SlotSet()
        for (slot, attribute) in attributes.enumerated() {
            // Nobody sets a derived attribute, and before the first save it has no value.
            guard let attribute, attribute.derivation == nil else { continue }
            if !attribute.isOptional, !attribute.isTransient { requiredSlots.insert(slot) }
            if shape.kinds[slot] == .real { floatingSlots.insert(slot) }
        }
        self.requiredSlots = requiredSlots
        self.floatingSlots = floatingSlots
        requiredToOnes = relationships.filter {
            !$0.isToMany && !$0.relationship.isOptional && !$0.isTransient
        }.map(\.ordinal)
        fetchedProperties = lineage.flatMap(\.fetchedProperties)
        presenceRules = lineage.flatMap { $0.presenceRules(in: model) }
        template = Self.template(of: layout, shape, attributes, in: model)
        dynamicDefaults = attributes.enumerated().compactMap { slot, attribute in
            switch attribute?.defaultValue {
            case .now?: (slot, .now)
            case .newUUID?: (slot, .newUUID)
            default: nil
            }
        }
        remembersDefaults =
            !dynamicDefaults.isEmpty && lineage.contains { !$0.uniqueConstraints.isEmpty }
        var anyDecimals = SlotSet()
        for (slot, attribute) in attributes.enumerated() where attribute?.type == .anyDecimal {
            anyDecimals.insert(slot)
        }
        mergeRules = MergeRules(
            shape: shape, stored: storedSlots, derived: derivedSlots,
            rules: attributes.map { $0?.merge }, anyDecimals: anyDecimals)
    }

    private static func template(
        of layout: RecordLayout, _ shape: RecordShape, _ attributes: [Attribute?], in model: Model
    ) -> PlacedRecord {
        let writer = RecordWriter()
        var placed = writer.makeRecord(shape)
        for (slot, attribute) in attributes.enumerated() {
            guard let attribute, case .constant(let value)? = attribute.defaultValue,
                let stored = model.stored(value, of: attribute)
            else { continue }
            writer.set(stored, slot, of: &placed, shape)
        }
        return placed
    }

    func relationship(named name: String) -> RelationshipDescription? {
        relationships.first { $0.relationship.name == name }
    }

    /// Whether the accessors of a class, which know slots and relationships by number, find them
    /// where the entity has them. Those of a class of the program's own are in its superclasses.
    func fits(_ type: ManagedObject.Type) -> Bool {
        let reference = type.entityReference
        guard let own = reference.model?.runtimeModel[reference.name] else { return true }
        return shape.kinds.starts(with: own.shape.kinds)
            && relationships.lazy.map(\.slot).starts(with: own.relationships.lazy.map(\.slot))
            && fetchedProperties.count >= own.fetchedProperties.count
    }
}

/// Where a to-one that an object's own row keeps leads: what a getter needs of its description, in
/// numbers, which nobody counts references to.
struct KeyPlace {
    /// The slot of the destination's key.
    let slot: Int
    /// The number of the destination entity.
    let destination: Int
    /// The number of its root.
    let root: Int
}

/// A relationship as the runtime uses it. A class, because setters and deletes look at one for
/// every object: a struct of names would be copied each time.
@usableFromInline
final class RelationshipDescription: Sendable {
    let relationship: Relationship
    /// The number among the entity's relationships.
    let ordinal: Int
    let place: Place
    /// Whether this side writes the pairs, where it is kept in pairs.
    let ownsPairs: Bool
    /// The slot of the destination's key, for a to-one that this side keeps.
    let slot: Int?
    /// The slot of the destination's entity, where that has sub-entities.
    let entitySlot: Int?
    /// The number of the destination entity.
    let destination: Int
    /// The number of its root.
    let destinationRoot: Int
    /// The number of the inverse among the destination's relationships.
    let inverse: Int?
    /// A number that all descriptions of this relationship (in sub-entities too) share.
    let identity: Int
    /// Whether it keeps an order.
    let isOrdered: Bool
    /// Whether the store keeps the order.
    let keepsOrder: Bool

    /// Where the links of a relationship are kept.
    enum Place {
        /// In the object's own row.
        case ownRow
        /// In the rows at the far end.
        case farRow
        /// In pairs beside the rows.
        case pairs
        /// In memory only.
        case memory
    }

    init(
        relationship: Relationship, of entity: Entity, in model: Model, ordinal: Int,
        slot: Int?, entitySlot: Int?, destination: Int, destinationRoot: Int, inverse: Int?,
        identity: Int
    ) {
        self.relationship = relationship
        self.ordinal = ordinal
        switch model.storage(of: relationship, of: entity) {
        case .key: (place, ownsPairs) = (.ownRow, false)
        case .inverseKey: (place, ownsPairs) = (.farRow, false)
        case .joinTable(_, let source, _): (place, ownsPairs) = (.pairs, source == "_source")
        case .transient: (place, ownsPairs) = (.memory, false)
        }
        self.slot = slot
        self.entitySlot = entitySlot
        self.destination = destination
        self.destinationRoot = destinationRoot
        self.inverse = inverse
        self.identity = identity
        isOrdered = relationship.isToMany && relationship.isOrdered
        keepsOrder = isOrdered && place != .memory
    }

    var isToMany: Bool { relationship.isToMany }
    var isTransient: Bool { relationship.isTransient }
    var isJoinTable: Bool { place == .pairs }
    /// Whether its links are asked for, because they are not in the object's own row.
    var isKeptElsewhere: Bool { place == .farRow || place == .pairs }
}
