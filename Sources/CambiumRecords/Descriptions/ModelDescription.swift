import CambiumModel
import Synchronization

/// All entities of a model in numbers instead of names, for code that handles rows.
public final class ModelDescription: Sendable, CustomReflectable, CustomStringConvertible {
    package let model: Model
    @usableFromInline package let entities: [EntityDescription]
    /// The numbers of the entities by name, for the classes of fetched and linked objects.
    @usableFromInline let indexByName: [String: Int]
    /// For each entity the numbers of the entities in its family, itself first.
    public let families: [[Int]]
    /// For each entity the relationships (by identity) with links that a change of its objects can
    /// touch: its own and their inverses.
    public let touchedRelationships: [[Int]]
    /// For each entity the relationships that reference its objects and have no inverse, with
    /// the number of the entity that declares them.
    public let oneWayLinks: [[(owner: Int, relationship: RelationshipDescription)]]
    /// The values that no two rows can share.
    package let uniqueKeys: [UniqueKey]
    /// For each entity the keys of one-to-one relationships. The store has no index for them.
    package let partnerKeys: [[UniqueKey]]
    private let preparations = Mutex<[ObjectIdentifier: any Sendable]>([:])

    /// A value that is computed from the model once for all users. It must not hold the model.
    public func prepared<Work: Sendable>(
        _ make: (ModelDescription) throws -> Work
    ) rethrows -> Work {
        let place = ObjectIdentifier(Work.self)
        if let known = preparations.withLock({ $0[place] as? Work }) { return known }
        let made = try make(self)
        return preparations.withLock { preparations in
            // Another thread may have been faster.
            if let known = preparations[place] as? Work { return known }
            preparations[place] = made
            return made
        }
    }

    /// - Parameters:
    ///   - types: The classes of the objects, by the names of their entities.
    ///   - common: The class of the other objects.
    ///   - generated: The names of the entities with classes that have the checks of the model's
    ///     limits.
    public init(
        _ model: Model, types: [String: AnyClass], common: AnyClass, generated: Set<String> = []
    ) {
        self.model = model
        let indexByName = Dictionary(
            uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, $0) })
        self.indexByName = indexByName
        let identities = Self.identities(of: model)
        entities = model.entities.enumerated().map { index, entity in
            EntityDescription(
                entity, index: index, in: model, type: types[entity.name] ?? common,
                isGenerated: generated.contains(entity.name),
                relationships: Self.relationships(of: entity, in: model, indexByName, identities))
        }
        families = model.entities.map { entity in
            model.family(of: entity).compactMap { indexByName[$0.name] }
        }
        let uniqueKeys = UniqueKey.all(of: entities)
        self.uniqueKeys = uniqueKeys
        let families = families
        partnerKeys = entities.map { entity in
            uniqueKeys.filter { $0.isPartner && families[$0.declarer].contains(entity.index) }
        }
        let (entities, oneWayLinks) = (entities, Self.oneWayLinks(entities, families))
        self.oneWayLinks = oneWayLinks
        touchedRelationships = entities.map { description in
            let own = description.relationships.flatMap { relationship -> [Int] in
                guard let inverse = relationship.relationship.inverse,
                    let destination = model.entity(named: relationship.relationship.destination)
                else { return [relationship.identity] }
                let declarer = model.declarer(of: inverse, in: destination) ?? destination
                return [relationship.identity, identities["\(declarer.name).\(inverse)"] ?? 0]
            }
            return own + oneWayLinks[description.index].map(\.relationship.identity)
        }
    }

    private static func oneWayLinks(
        _ entities: [EntityDescription], _ families: [[Int]]
    ) -> [[(owner: Int, relationship: RelationshipDescription)]] {
        var links = entities.map { _ in [(owner: Int, relationship: RelationshipDescription)]() }
        for owner in entities {
            let declared = Set(owner.entity.relationships.map(\.name))
            for relationship in owner.relationships
            where relationship.relationship.inverse == nil && !relationship.isTransient
                && declared.contains(relationship.relationship.name)
            {
                for entity in families[relationship.destination] {
                    links[entity].append((owner.index, relationship))
                }
            }
        }
        return links
    }

    /// The number of the entity that a row references.
    public func destination(of relationship: RelationshipDescription, in record: Record) -> Int {
        guard let slot = relationship.entitySlot, record.hasValue(slot) else {
            return relationship.destination
        }
        let name = String(decoding: record.bytes(slot), as: UTF8.self)
        return indexByName[name] ?? relationship.destination
    }

    /// The first entity in the model that has a relationship.
    package func owner(of relationship: RelationshipDescription) -> EntityDescription? {
        entities.first { entity in
            entity.relationships.contains { $0.identity == relationship.identity }
        }
    }

    /// The number of hierarchies.
    public var rootCount: Int { entities.count { $0.rootIndex == $0.index } }

    /// Whether a description belongs to this model. The description of an identity that was decoded
    /// from a string, or that is from another container, may be of another model.
    @inlinable @inline(__always)
    public func isOwn(_ entity: EntityDescription) -> Bool {
        entities.indices.contains(entity.index) && entities[entity.index] === entity
    }

    /// The model's name.
    public var description: String { model.name }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": model.name]) }

    /// The number of the entity of a name.
    @inlinable
    public func index(named name: String) -> Int? { indexByName[name] }

    package subscript(name: String) -> EntityDescription? {
        indexByName[name].map { entities[$0] }
    }

    /// Whether an object may be of both entities.
    package func haveCommon(_ one: EntityDescription, _ other: EntityDescription) -> Bool {
        families[one.index].contains(other.index) || families[other.index].contains(one.index)
    }

    private static func identities(of model: Model) -> [String: Int] {
        var identities: [String: Int] = [:]
        for entity in model.entities {
            for relationship in entity.relationships {
                identities["\(entity.name).\(relationship.name)"] = identities.count
            }
        }
        return identities
    }

    private static func relationships(
        of entity: Entity, in model: Model, _ indexByName: [String: Int],
        _ identities: [String: Int]
    ) -> [RelationshipDescription] {
        let layout = RecordLayout(of: entity, in: model)
        return model.relationships(of: entity).enumerated().map { ordinal, relationship in
            let destination = model.entity(named: relationship.destination)
            let declarer = model.declarer(of: relationship.name, in: entity) ?? entity
            // A transient link is in memory only, and needs no place in the row.
            let slot = relationship.isTransient ? nil : layout.slot(of: relationship.name)
            let entitySlot = slot.flatMap { slot in
                layout.slots.indices.contains(slot + 1) && layout.slots[slot + 1].isEntityOfKey
                    ? slot + 1 : nil
            }
            let root = destination.map { model.root(of: $0).name }
            return RelationshipDescription(
                relationship: relationship, of: entity, in: model, ordinal: ordinal, slot: slot,
                entitySlot: entitySlot, destination: indexByName[relationship.destination] ?? 0,
                destinationRoot: root.flatMap { indexByName[$0] } ?? 0,
                inverse: relationship.inverse.flatMap { name in
                    destination.flatMap { destination in
                        model.relationships(of: destination).firstIndex { $0.name == name }
                    }
                },
                identity: identities["\(declarer.name).\(relationship.name)"] ?? 0)
        }
    }
}

/// Values that are unique among the rows of an entity's family: the values of a unique constraint,
/// or the key of a one-to-one relationship.
package final class UniqueKey: Sendable {
    /// The number of the entity that declares it.
    package let declarer: Int
    /// The names of the properties.
    package let properties: [String]
    /// The slots of the properties. They are the same in every entity of the family.
    package let slots: [Int]
    /// The slots that lose their values with the key: the same, and the entity of a key.
    package let writtenSlots: SlotSet
    /// Whether the key is that of a one-to-one relationship. The store has no unique index for it.
    package let isPartner: Bool
    /// Whether that relationship is its own inverse. The row at the other end then has the key too.
    package let isOwnInverse: Bool
    /// Whether a row must have the values.
    package let isRequired: Bool

    /// - Returns: Nil if a property has no column.
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
        isOwnInverse = false
        isRequired = false
    }

    /// - Returns: Nil if the relationship is not the side of a one-to-one with the key.
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
        isOwnInverse = relationship.isOwnInverse
        isRequired = !relationship.relationship.isOptional
    }

    /// The values of a record; nil if a value is missing, because such a record never collides.
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

    /// All keys of a model: for each entity the ones that it declares itself.
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

    /// The unique constraints without relationships.
    package func attributeConstraints(of entity: EntityDescription) -> [UniqueKey] {
        uniqueConstraints(of: entity).filter { unique in
            unique.slots.allSatisfy { entity.attributes[$0] != nil }
        }
    }
}
