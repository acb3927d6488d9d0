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
    /// The attribute of each slot, or nil.
    public let attributes: [Attribute?]
    /// The slots that have a column.
    public let storedSlots: SlotSet
    /// The slots of derived attributes. The program never sets them.
    public let derivedSlots: SlotSet
    /// The stored slots that a save writes.
    package var writtenSlots: SlotSet { storedSlots.subtracting(derivedSlots) }
    /// Whether there are values that are in memory only.
    public let hasTransients: Bool
    /// The slots of transient values.
    public let transientSlots: [Int]
    /// The slots of attributes that must have a value.
    public let requiredSlots: SlotSet
    /// The slots of floating-point numbers and dates that can be set.
    public let floatingSlots: SlotSet
    /// The slots of dates that can be set.
    package let dateSlots: SlotSet
    /// The to-one relationships that must reference an object, by number.
    public let requiredToOnes: [Int]
    /// The slots of one-to-one relationships with the key on this side.
    public let partnerSlots: SlotSet
    /// The slots of large data that may lie in files.
    public let externalSlots: SlotSet
    /// The fetched properties, inherited ones first. Generated code refers to them by number.
    public let fetchedProperties: [FetchedProperty]
    /// The rules that make optional composite values complete.
    public let presenceRules: [PresenceRule]
    /// All relationships, inherited ones first. Generated code refers to them by number.
    public let relationships: [RelationshipDescription]
    /// For each relationship, the place of its key; nil if this side keeps no key, or if the
    /// destination also depends on an entity slot.
    public let keyPlaces: [KeyPlace?]
    /// Whether a relationship may keep an object from being deleted.
    public let deniesDeletion: Bool
    /// A record with the model's defaults. New objects start with it, and invalid objects show it.
    public let template: PlacedRecord
    /// The slots with a default that is generated for each object.
    public let dynamicDefaults: [(slot: Int, value: DefaultValue)]
    /// Whether new objects record these defaults. A merge of unique values must distinguish them
    /// from values that the program has set.
    public let remembersDefaults: Bool
    /// The rules of the entity and its ancestors.
    public let rules: [Rule]
    /// The rules for merging two changes of a row.
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
        rules = lineage.flatMap(\.rules)
        fetchedProperties = lineage.flatMap(\.fetchedProperties)
        presenceRules = lineage.flatMap { $0.presenceRules(in: model) }

        var keyPlaces: [KeyPlace?] = []
        var requiredToOnes: [Int] = []
        var partnerSlots = SlotSet()
        var deniesDeletion = false
        for description in relationships {
            let relationship = description.relationship
            if relationship.deleteRule == .deny { deniesDeletion = true }
            if !description.isToMany, !relationship.isOptional, !description.isTransient {
                requiredToOnes.append(description.ordinal)
            }
            guard let slot = description.slot else {
                keyPlaces.append(nil)
                continue
            }
            keyPlaces.append(
                description.entitySlot != nil
                    ? nil
                    : KeyPlace(
                        slot: slot, destination: description.destination,
                        root: description.destinationRoot))
            guard Self.hasOnePartner(relationship, in: model) else { continue }
            partnerSlots.insert(slot)
            if let entitySlot = description.entitySlot { partnerSlots.insert(entitySlot) }
        }
        self.keyPlaces = keyPlaces
        self.requiredToOnes = requiredToOnes
        self.partnerSlots = partnerSlots
        self.deniesDeletion = deniesDeletion

        let slots = EntitySlots(layout, shape, of: entity, in: model)
        attributes = slots.attributes
        storedSlots = slots.stored
        transientSlots = slots.transient
        hasTransients = !slots.transient.isEmpty
        derivedSlots = slots.derived
        externalSlots = slots.external
        requiredSlots = slots.required
        floatingSlots = slots.floating
        dateSlots = slots.dates
        dynamicDefaults = slots.dynamicDefaults
        remembersDefaults =
            !slots.dynamicDefaults.isEmpty && lineage.contains { !$0.uniqueConstraints.isEmpty }
        template = Self.template(shape, slots.attributes, in: model)
        mergeRules = MergeRules(
            shape: shape, stored: slots.stored, derived: slots.derived,
            rules: slots.attributes.map { $0?.merge }, anyDecimals: slots.anyDecimals)
    }

    /// Whether the other side of a relationship is a to-one, too.
    private static func hasOnePartner(_ relationship: Relationship, in model: Model) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = model.entity(named: relationship.destination)
        else { return false }
        return model.relationships(of: destination)
            .contains { $0.name == inverse && !$0.isToMany }
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

/// The slots of an entity, by the kind of their attributes.
private final class EntitySlots {
    private(set) var attributes: [Attribute?] = []
    private(set) var stored = SlotSet()
    private(set) var transient: [Int] = []
    private(set) var derived = SlotSet()
    private(set) var external = SlotSet()
    private(set) var required = SlotSet()
    private(set) var floating = SlotSet()
    private(set) var dates = SlotSet()
    private(set) var anyDecimals = SlotSet()
    private(set) var dynamicDefaults: [(slot: Int, value: DefaultValue)] = []

    init(_ layout: RecordLayout, _ shape: RecordShape, of entity: Entity, in model: Model) {
        for (slot, place) in layout.slots.enumerated() {
            if place.isStored { stored.insert(slot) } else { transient.append(slot) }
            let attribute = model.attribute(place.property, of: entity)
            attributes.append(attribute)
            if let attribute { add(attribute, slot, shape.kinds[slot]) }
        }
    }

    private func add(_ attribute: Attribute, _ slot: Int, _ kind: StorageClass) {
        if attribute.usesExternalForm { external.insert(slot) }
        if attribute.type == .anyDecimal { anyDecimals.insert(slot) }
        switch attribute.defaultValue {
        case .now?: dynamicDefaults.append((slot, .now))
        case .newUUID?: dynamicDefaults.append((slot, .newUUID))
        default: break
        }
        // The program never sets a derived attribute, and before the first save it has no value.
        guard attribute.derivation == nil else { return derived.insert(slot) }
        if !attribute.isOptional, !attribute.isTransient { required.insert(slot) }
        if kind == .real { floating.insert(slot) }
        if attribute.type == .date { dates.insert(slot) }
    }
}

/// The parts of the model for merging two changes of a row.
package final class MergeRules: Sendable {
    package let shape: RecordShape
    /// The slots that have a column.
    package let stored: SlotSet
    /// The slots of derived attributes. The store computes them.
    package let derived: SlotSet
    /// The merge rule of each slot's attribute, or nil.
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

/// A relationship in numbers instead of names, for code that handles rows. A class, because setters
/// and deletes look at one for every object: a struct of names would be copied each time.
public final class RelationshipDescription: Sendable {
    @usableFromInline package let relationship: Relationship
    /// The number among the entity's relationships.
    public let ordinal: Int
    @usableFromInline package let place: Place
    /// Whether this side writes the pairs of a join table.
    public let ownsPairs: Bool
    /// The slot of the destination's key, for a to-one that this side keeps.
    public let slot: Int?
    /// The slot of the destination's entity, if it has sub-entities.
    public let entitySlot: Int?
    /// The number of the destination entity.
    public let destination: Int
    /// The number of its root.
    public let destinationRoot: Int
    /// The number of the inverse among the destination's relationships.
    public let inverse: Int?
    /// A number that all descriptions of this relationship (in sub-entities too) share.
    public let identity: Int
    /// Whether the relationship is its own inverse, like `spouse`. Each row of a pair then
    /// references the other one.
    public let isOwnInverse: Bool
    /// Whether the relationship is ordered.
    public let isOrdered: Bool
    /// Whether the store keeps the order.
    public let keepsOrder: Bool

    /// The place of a relationship's links.
    public enum Place: Sendable {
        /// In the object's own row.
        case ownRow
        /// In the rows at the far end.
        case farRow
        /// In pairs outside of the rows.
        case pairs
        /// In memory only.
        case memory
    }

    package init(
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
        let declarer = model.lineage(of: entity).first {
            $0.relationships.contains { $0.name == relationship.name }
        }
        isOwnInverse =
            inverse != nil && relationship.inverse == relationship.name
            && model.lineage(of: model.entities[destination]).contains { $0.name == declarer?.name }
        isOrdered = relationship.isToMany && relationship.isOrdered
        keepsOrder = isOrdered && place != .memory
    }

    /// Whether the relationship can reference many objects.
    @inlinable public var isToMany: Bool { relationship.isToMany }
    /// Whether the relationship is in memory only.
    @inlinable public var isTransient: Bool { relationship.isTransient }
    /// Whether its links are pairs in a table of their own.
    @inlinable public var isJoinTable: Bool { place == .pairs }
    /// Whether its links have to be read separately, because they are not in the object's own row.
    @inlinable public var isKeptElsewhere: Bool { place == .farRow || place == .pairs }
}

/// The part of a relationship's description that a getter needs, as numbers without reference
/// counting. The relationship is a to-one with the key in the object's own row.
public struct KeyPlace: Sendable {
    /// The slot of the destination's key.
    public let slot: Int
    /// The number of the destination entity.
    public let destination: Int
    /// The number of its root.
    public let root: Int
}

extension StoredDatePrecision {
    /// Rounds the dates of a record as the store keeps them.
    package func round(_ record: Record, _ slots: SlotSet) {
        slots.forEach { slot in
            if record.hasValue(slot) { record.setReal(slot, rounded(record.real(slot))) }
        }
    }

    /// The slot of a date that the store cannot keep; nil if there is none.
    package func unkeptSlot(of record: Record, _ slots: SlotSet) -> Int? {
        slots.slots.first { record.hasValue($0) && kept(record.real($0)) == nil }
    }
}
