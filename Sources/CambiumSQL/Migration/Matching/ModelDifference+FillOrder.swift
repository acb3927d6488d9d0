import CambiumModel

// What a fill sees of the other values that the migration gives.
extension ModelDifference {
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
            let sources = DerivationSources(of: fill, entity: owner, in: new)
            open += sources.nodes[0].properties.compactMap { declared($0, of: owner) }
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
