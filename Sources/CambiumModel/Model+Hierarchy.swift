extension Model {
    /// The entity and its ancestors, the root first.
    public func lineage(of entity: Entity) -> [Entity] {
        guard let index = indexByName[entity.name] else { return [entity] }
        return hierarchy.lineages[index].map { entities[$0] }
    }

    /// The topmost ancestor, which names the table that the whole hierarchy shares.
    public func root(of entity: Entity) -> Entity {
        guard let index = indexByName[entity.name] else { return entity }
        return entities[hierarchy.lineages[index][0]]
    }

    /// The entities that have no parent, in order: one table each.
    public var roots: [Entity] {
        entities.filter { $0.parent == nil }
    }

    /// The entity and everything below it, in declaration order.
    public func family(of entity: Entity) -> [Entity] {
        guard let index = indexByName[entity.name] else { return [entity] }
        return hierarchy.families[index].map { entities[$0] }
    }

    /// Whether other entities inherit from this one.
    public func hasSubentities(_ entity: Entity) -> Bool {
        indexByName[entity.name].map { hierarchy.families[$0].count > 1 } ?? false
    }

    /// Whether `entity` is `ancestor` or inherits from it.
    public func entity(_ entity: Entity, isKindOf ancestor: Entity) -> Bool {
        guard let index = indexByName[entity.name], let other = indexByName[ancestor.name] else {
            return entity.name == ancestor.name
        }
        return hierarchy.lineages[index].contains(other)
    }

    /// All attributes of an entity, inherited ones first.
    public func attributes(of entity: Entity) -> [Attribute] {
        lineage(of: entity).flatMap(\.attributes)
    }

    /// All relationships of an entity, inherited ones first.
    public func relationships(of entity: Entity) -> [Relationship] {
        lineage(of: entity).flatMap(\.relationships)
    }

    /// An attribute of the entity or of an ancestor.
    public func attribute(_ name: String, of entity: Entity) -> Attribute? {
        attributes(of: entity).first { $0.name == name }
    }

    /// A relationship of the entity or of an ancestor.
    public func relationship(_ name: String, of entity: Entity) -> Relationship? {
        relationships(of: entity).first { $0.name == name }
    }

    /// The entity in the lineage of `entity` that declares the property of that name.
    public func declarer(of property: String, in entity: Entity) -> Entity? {
        lineage(of: entity).first { ancestor in
            ancestor.attributes.contains { $0.name == property }
                || ancestor.relationships.contains { $0.name == property }
        }
    }
}
