import CambiumModel

/// An entity in numbers instead of names, for code that handles rows.
///
/// One per entity and container, immutable, shared by all contexts.
public final class EntityDescription: Sendable, CustomReflectable, CustomStringConvertible {
    @usableFromInline package let entity: Entity
    package let model: Model
    /// The number among the model's entities.
    public let index: Int
    /// The number of the root entity.
    public let rootIndex: Int
    /// Whether the table has an entity column.
    public let hasEntityColumn: Bool
    package let isAbstract: Bool
    /// The class of its objects, a subclass of the runtime's.
    public let type: AnyClass
    /// Whether the class has the checks of the model's limits.
    public let isGenerated: Bool
    package let layout: RecordLayout
    package let shape: RecordShape
    /// The attribute that a slot holds, where it holds one.
    public let attributes: [Attribute?]
    /// The slots that have a column.
    public let storedSlots: SlotSet
    /// The slots of derived attributes, which the program never sets.
    public let derivedSlots: SlotSet
    /// Whether there are values that are in memory only.
    public let hasTransients: Bool
    /// The slots of those.
    public let transientSlots: [Int]
    /// The slots of attributes that must have a value.
    public let requiredSlots: SlotSet
    /// The slots of floating-point numbers and dates that can be set.
    public let floatingSlots: SlotSet
    /// The to-one relationships that must reference an object, by number.
    public let requiredToOnes: [Int]
    /// The slots of to-ones whose other side is a to-one, too.
    public let partnerSlots: SlotSet
    /// The slots of large data that may lie in files.
    public let externalSlots: SlotSet
    /// The fetched properties, inherited ones first; generated code knows them by number.
    public let fetchedProperties: [FetchedProperty]
    /// What makes optional composite values whole.
    public let presenceRules: [PresenceRule]
    /// All relationships, inherited ones first; generated code knows them by number.
    public let relationships: [RelationshipDescription]
    /// For each relationship, where its key is; nil where this side keeps none, or where the key
    /// does not say it all.
    public let keyPlaces: [KeyPlace?]
    /// Whether a relationship may keep an object from being deleted.
    public let deniesDeletion: Bool
    /// A record with the model's defaults, which new objects start from and invalid objects show.
    public let template: PlacedRecord
    /// The slots whose default is generated for each object.
    public let dynamicDefaults: [(slot: Int, value: DefaultValue)]
    /// Whether new objects note those defaults: a merge of unique values wants to know which values
    /// the program has set.
    public let remembersDefaults: Bool
    /// The rules of the entity and its ancestors.
    public let rules: [Rule]
    /// What merging two changes of a row needs.
    package let mergeRules: MergeRules

    /// The entity's name.
    @inlinable public var name: String { entity.name }

    package init(
        _ entity: Entity, index: Int, in model: Model, type: AnyClass,
        isGenerated: Bool, relationships: [RelationshipDescription]
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
        self.type = type
        self.isGenerated = isGenerated
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
            // The program never sets a derived attribute, and before the first save it has no
            // value.
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
        template = Self.template(shape, attributes, in: model)
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
        _ shape: RecordShape, _ attributes: [Attribute?], in model: Model
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

    /// The entity's name.
    public var description: String { name }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    package func relationship(named name: String) -> RelationshipDescription? {
        relationships.first { $0.relationship.name == name }
    }
}

/// What merging two changes of a row takes from the model.
package final class MergeRules: Sendable {
    package let shape: RecordShape
    /// The slots that have a column.
    package let stored: SlotSet
    /// The slots of derived attributes, which the store computes.
    package let derived: SlotSet
    /// The merge rule of each slot's attribute, where it has one.
    package let rules: [MergeRule?]
    /// The slots of decimals of any scale.
    package let anyDecimals: SlotSet

    package init(
        shape: RecordShape, stored: SlotSet, derived: SlotSet = SlotSet(), rules: [MergeRule?],
        anyDecimals: SlotSet = SlotSet()
    ) {
        self.shape = shape
        self.stored = stored
        self.derived = derived
        self.rules = rules
        self.anyDecimals = anyDecimals
    }
}
