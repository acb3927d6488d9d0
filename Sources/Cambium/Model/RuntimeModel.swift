import CambiumMigration
import CambiumRecords
import CambiumSQL
import Synchronization

/// All entities of a model as the runtime uses them.
final class RuntimeModel: Sendable {
    let model: Model
    /// What makes an empty store, and what brings older ones up to date.
    let schema: [String]
    let migrations: [Migration]
    private let frozen: (isCurrent: Bool, drafts: [String: String])
    let entities: [EntityDescription]
    /// Fetched and linked classes may be asked for their entity.
    private let indexByName: [String: Int]
    /// For each entity the numbers of the entities in its family, itself first.
    let families: [[Int]]
    /// For each entity the relationships (by identity) whose links a change of its objects can
    /// touch: its own and their inverses.
    let touchedRelationships: [[Int]]
    /// For each entity the relationships that lead to its objects and from which nothing leads back,
    /// with the number of the entity that declares them.
    let oneWayLinks: [[(owner: Int, relationship: RelationshipDescription)]]
    /// What no two rows share.
    let uniqueKeys: [UniqueKey]
    /// For each entity those of one-to-one relationships, which the store has no index for.
    let partnerKeys: [[UniqueKey]]
    /// What key paths of predicates lead to.
    let knownProperties = KnownProperties()
    private let layout = Mutex<Schema?>(nil)
    private let draftVersions = Mutex<DraftVersions?>(nil)
    private let preparations = Mutex<[ObjectIdentifier: any Sendable]>([:])

    /// The tables, laid out for the first store that is opened.
    var tables: Schema {
        layout.withLock { layout in
            if let layout { return layout }
            let made = Schema(of: model)
            layout = made
            return made
        }
    }

    /// What an engine works out about the model, once for all of its stores. It must not hold the
    /// model.
    func prepared<Work: Sendable>(_ make: (RuntimeModel) throws -> Work) rethrows -> Work {
        try preparations.withLock { preparations in
            let place = ObjectIdentifier(Work.self)
            if let known = preparations[place] as? Work { return known }
            let made = try make(self)
            preparations[place] = made
            return made
        }
    }

    /// Which versions have not shipped, put together for the first store that is opened.
    var drafts: DraftVersions {
        draftVersions.withLock { versions in
            if let versions { return versions }
            let made = DraftVersions(
                of: model, isFrozen: frozen.isCurrent, earlier: frozen.drafts)
            versions = made
            return made
        }
    }

    init(_ compiled: CompiledModel) {
        let model = compiled.model
        self.model = model
        schema = compiled.schema
        migrations = compiled.migrations
        frozen = (compiled.isFrozen, compiled.drafts)
        let indexByName = Dictionary(
            uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, $0) })
        self.indexByName = indexByName
        let identities = Self.identities(of: model)
        entities = model.entities.enumerated().map { index, entity in
            EntityDescription(
                entity, index: index, in: model,
                objectClass: compiled.classes[entity.name] ?? ManagedObject.self,
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

    /// The number of the entity that a row leads to.
    func destination(of relationship: RelationshipDescription, in record: Record) -> Int {
        guard let slot = relationship.entitySlot, record.hasValue(slot) else {
            return relationship.destination
        }
        let name = String(decoding: record.bytes(slot), as: UTF8.self)
        return indexByName[name] ?? relationship.destination
    }

    /// How many hierarchies there are.
    var rootCount: Int { entities.count { $0.rootIndex == $0.index } }

    /// Whether a description is one of these: that of an identity which came as text, or from a
    /// container of its own, may be of another model.
    @inline(__always)
    func isOwn(_ entity: EntityDescription) -> Bool {
        entities.indices.contains(entity.index) && entities[entity.index] === entity
    }

    subscript(name: String) -> EntityDescription? {
        indexByName[name].map { entities[$0] }
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
