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
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func attribute(_ name: String, of entity: Entity) -> Attribute? {
        guard let (owner, place) = place(of: name, in: entity, where: \.isAttribute) else {
            return nil
        }
        if case .attribute(let index) = place { return owner.attributes[index] }
        return nil
    }

    /// A relationship of the entity or of an ancestor.
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func relationship(_ name: String, of entity: Entity) -> Relationship? {
        guard let (owner, place) = place(of: name, in: entity, where: { !$0.isAttribute }) else {
            return nil
        }
        if case .relationship(let index) = place { return owner.relationships[index] }
        return nil
    }

    /// The entity in the lineage of `entity` that declares the attribute or relationship of that
    /// name.
    ///
    /// - Complexity: O(depth of the hierarchy)
    public func declarer(of property: String, in entity: Entity) -> Entity? {
        place(of: property, in: entity, where: { _ in true })?.owner
    }

    /// The topmost declaration of a property of that name and kind.
    private func place(
        of property: String, in entity: Entity, where isMeant: (ModelHierarchy.Place) -> Bool
    ) -> (owner: Entity, place: ModelHierarchy.Place)? {
        guard let number = indexByName[entity.name] else {
            // An entity of no model has no ancestors.
            let place = ModelHierarchy.places(of: entity)[property]
            return place.flatMap { isMeant($0) ? (entity, $0) : nil }
        }
        for ancestor in hierarchy.lineages[number] {
            if let place = hierarchy.places[ancestor][property], isMeant(place) {
                return (entities[ancestor], place)
            }
        }
        return nil
    }

    /// The names on the way to a property, which a list writes joined by dots: a part of a
    /// composite value, whose own name has dots, is one step.
    ///
    /// - Complexity: O(length)
    public func path(_ name: String, of entity: Entity) -> [String] {
        guard let dot = name.firstIndex(of: "."), attribute(name, of: entity) == nil else {
            return [name]
        }
        let first = String(name[..<dot])
        let rest = String(name[name.index(after: dot)...])
        guard let relationship = relationship(first, of: entity),
            let destination = self.entity(named: relationship.destination)
        else { return [name] }
        return [first] + path(rest, of: destination)
    }
}

extension ModelHierarchy.Place {
    /// Whether it is an attribute's.
    fileprivate var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }
}
