import CambiumModel

// Links have two ends, and either keeps them all. Where both ends are each other's inverse still, a drop
// of one takes nothing away.
extension ModelDifference {
    /// Asks for the other end where only one of a pair that stays is dropped.
    mutating func checkHalfDrops() {
        for drop in new.migration?.drops ?? [] where drop.condition == nil {
            guard let name = drop.property, let oldEntity = old.entity(named: drop.entity),
                let relationship = oldEntity.relationships.first(where: { $0.name == name }),
                let kept = keptEnd(of: relationship, of: oldEntity),
                reportedLinks.insert([
                    .init(entity: oldEntity.name, property: name), kept.old,
                ]).inserted
            else { continue }
            addHalfDrop("\(oldEntity.name).\(name)", kept)
        }
    }

    /// The end that keeps the links of a pair, and what the pair is now.
    private struct KeptEnd {
        let old: ModelMatch.PropertyName
        let owner: Entity
        let relationship: Relationship
        /// The end whose drop takes nothing away.
        let other: (owner: Entity, relationship: Relationship)
    }

    /// Nil where the end that is dropped, or the pair, is not there any more, or is another.
    private func keptEnd(of relationship: Relationship, of oldEntity: Entity) -> KeptEnd? {
        guard !relationship.isTransient, !relationship.isOwnInverse(in: oldEntity),
            let entity = match.newEntity(of: oldEntity),
            let successor = entity.relationships.first(where: { $0.name == relationship.name }),
            !successor.isTransient,
            match.sources(of: successor.name, in: entity).isEmpty,
            let inverse = old.inverse(of: relationship),
            let owner = match.newEntity(of: inverse.entity),
            let heir = match.newRelationship(
                of: inverse.relationship.name, in: inverse.entity.name),
            let end = new.inverse(of: heir), end.entity.name == entity.name,
            end.relationship == successor, new.inverse(of: successor)?.entity.name == owner.name
        else { return nil }
        return KeptEnd(
            old: .init(entity: inverse.entity.name, property: inverse.relationship.name),
            owner: owner, relationship: heir, other: (entity, successor))
    }

    private mutating func addHalfDrop(_ dropped: String, _ kept: KeptEnd) {
        let drop = MigrationFix.drop(entity: kept.old.entity, property: kept.old.property)
        // Where no link is left, nothing is there that is required.
        let bare = [(owner: kept.owner, relationship: kept.relationship), kept.other].first {
            lacksLinks($0.relationship, of: $0.owner)
        }
        var fixes = [drop]
        if let bare {
            let name = bare.relationship.name
            fixes = [
                .together([
                    .makeOptional(
                        .relationship, name: name, type: bare.relationship.destination), drop,
                ])
            ]
            if isLinkable(bare.relationship, of: bare.owner) {
                fixes.append(
                    .together([drop, .link(entity: bare.owner.name, relationship: name)]))
            }
        }
        let place = bare ?? kept.other
        add(
            MigrationProblem(
                entity: place.owner.name, property: place.relationship.name,
                message: "The migration drops \(dropped) and not its inverse "
                    + "\(kept.old.entity).\(kept.old.property), which keeps all the links for both; "
                    + "drop the other end too, or remove the drop",
                fixes: fixes))
    }

    /// Whether a relationship needs an object, and what is said about it gives none.
    private func lacksLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isRequired(relationship.name, in: entity.name)
            && !match.hasNoObjects(entity) && !isSupplied(entity)
    }
}
