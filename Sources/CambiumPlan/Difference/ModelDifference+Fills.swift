import CambiumModel

extension ModelDifference {
    /// Whether the migration says what every object has at an attribute afterwards, whatever it had.
    package func decidesEveryValue(of attribute: String, in entity: String) -> Bool {
        match.fill(of: attribute, in: entity) != nil
            && (!match.hasOldValues(attribute, in: entity)
                || match.isRevised(attribute, in: entity))
    }

    /// Whether a property of an entity, or of its ancestors, is one that objects have no value of.
    package func isAdded(_ property: String, to entity: String) -> Bool {
        guard let entity = new.entity(named: entity),
            let declarer = new.declarer(of: property, in: entity),
            new.attribute(property, of: entity) != nil
        else { return false }
        return !match.hasOldValues(property, in: declarer.name)
    }

    /// The fills for objects without a value, of attributes that have one in every object.
    package var idleFills: [MigrationDeclaration.Fill] {
        (new.migration?.fills ?? []).filter { fill in
            guard match.oldAttribute(of: fill.attribute, in: fill.entity) != nil,
                let owner = new.entity(named: fill.entity)
            else { return false }
            let name = ModelMatch.PropertyName(entity: fill.entity, property: fill.attribute)
            // Objects that were none of the entity's have no value that it could have had.
            return !match.isRevised(fill.attribute, in: fill.entity)
                && new.family(of: owner).filter { match.oldEntity(of: $0) != nil }.allSatisfy {
                    match.source(of: name, for: $0).flatMap(match.oldAttribute).map {
                        !$0.mayLackValue && !$0.isTransient
                    } ?? false
                }
        }
    }

    // What a fill sees of the other values that the migration gives.

    /// Whether the fill of an attribute sees what another was before the migration: its own value, or
    /// one whose fill looks, over any number of fills, at this one. Of all others it sees what they get.
    package func seesOldValue(of path: String, inFillOf attribute: String, of entity: Entity)
        -> Bool
    {
        guard let own = declared(attribute, of: entity), let other = declared(path, of: entity)
        else {
            return false
        }
        var open = [other]
        var seen: Set<ModelMatch.PropertyName> = []
        while let next = open.popLast() {
            if next == own { return true }
            guard seen.insert(next).inserted,
                let fill = match.fill(of: next.property, in: next.entity),
                let owner = new.entity(named: next.entity)
            else { continue }
            open += match.support.properties(in: fill, of: owner, of: new)
                .compactMap { declared($0, of: owner) }
        }
        return false
    }

    private func declared(_ property: String, of entity: Entity) -> ModelMatch.PropertyName? {
        new.declarer(of: property, in: entity).map { .init(entity: $0.name, property: property) }
    }

    /// Whether a fill is for every object without a value, and not only for those that have the
    /// composite value which the attribute is a part of.
    package func fillsEveryObject(_ attribute: Attribute, of entity: Entity) -> Bool {
        match.valueAround(attribute, of: entity) == nil
    }

    /// Whether an optional composite value that is there may have lacked a part that it requires.
    package func isNewlyRequired(_ part: String, of composite: String, in entity: Entity) -> Bool {
        isAdded(part, to: entity.name)
            || match.newlyRequiredParts(of: composite, in: entity).contains(part)
    }

    /// Whether a fill says what an attribute has where it had no value.
    package func fill(of attribute: String, in entity: Entity) -> ModelExpression? {
        match.fill(of: attribute, in: entity.name)
    }
}
