import CambiumModel

// Links have two ends, and either keeps them all. Where both ends are each other's inverse still, a drop
// of one takes nothing away.
extension ModelDifference {
    /// Asks for the other end where only one of a pair that stays is dropped.
    func checkHalfDrops() {
        for drop in new.migration?.drops ?? [] where drop.condition == nil {
            guard let name = drop.property, let oldEntity = old.entity(named: drop.entity),
                let declarer = old.declarer(of: name, in: oldEntity),
                let relationship = declarer.relationships.first(where: { $0.name == name }),
                let kept = keptEnd(of: relationship, of: declarer, for: oldEntity),
                reportedLinks.insert([
                    .init(entity: declarer.name, property: name), kept.old,
                ]).inserted
            else { continue }
            addHalfDrop(name, of: oldEntity, declaredBy: declarer, kept)
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

    /// Nil where the end that is dropped, or the pair, is not there any more, or is another. The end may
    /// have another name now: it has its links from the one that is kept.
    ///
    /// - Parameter oldEntity: The entity whose objects are meant, which may have the end from another.
    private func keptEnd(
        of relationship: Relationship, of declarer: Entity, for oldEntity: Entity
    ) -> KeptEnd? {
        guard !relationship.isTransient, !relationship.isOwnInverse(in: declarer),
            let entity = match.newEntity(of: oldEntity),
            let inverse = old.inverse(of: relationship),
            let owner = match.newEntity(of: inverse.entity),
            let heir = match.newRelationship(
                of: inverse.relationship.name, in: inverse.entity.name),
            !heir.isTransient,
            let end = new.inverse(of: heir), !end.relationship.isTransient,
            new.entity(entity, isKindOf: end.entity),
            // One that has another inverse now would have the links too: the drop says that it has not.
            new.relationship(relationship.name, of: entity).map({ $0 == end.relationship }) ?? true,
            match.source(
                of: .init(entity: end.entity.name, property: end.relationship.name), for: entity)
                == nil,
            new.inverse(of: end.relationship)?.entity.name == owner.name
        else { return nil }
        return KeptEnd(
            old: .init(entity: inverse.entity.name, property: inverse.relationship.name),
            owner: owner, relationship: heir, other: (end.entity, end.relationship))
    }

    private func addHalfDrop(
        _ name: String, of oldEntity: Entity, declaredBy declarer: Entity, _ kept: KeptEnd
    ) {
        let isInherited = declarer.name != oldEntity.name
        let ends =
            (isInherited ? [(declarer.name, name)] : []) + [(kept.old.entity, kept.old.property)]
        let drops = ends.map { MigrationFix.drop(entity: $0.0, property: $0.1) }
        // Where no link is left, nothing is there that is required.
        let bare = [(owner: kept.owner, relationship: kept.relationship), kept.other].first {
            lacksLinks($0.relationship, of: $0.owner)
        }
        var fixes = [drops.count == 1 ? drops[0] : .together(drops)]
        if let bare {
            let name = bare.relationship.name
            let optional = MigrationFix.makeOptional(
                .relationship, name: name, type: bare.relationship.destination)
            fixes = [.together([optional] + drops)]
            if isLinkable(bare.relationship, of: bare.owner) {
                fixes.append(
                    .together(drops + [.link(entity: bare.owner.name, relationship: name)]))
            }
        }
        let place = bare ?? kept.other
        let other = kept.other.relationship.name
        addProblem(
            entity: place.owner.name, property: place.relationship.name,
            fact: """
                The migration drops \(oldEntity.name).\(name) and not its inverse \
                \(kept.old.entity).\(kept.old.property), which keeps all the links for \
                \(other == name ? "both" : "\(kept.other.owner.name).\(other) as well")
                """,
            remedy: isInherited
                ? "drop both ends for all of \(declarer.name), or remove the drop"
                : "drop the other end too, or remove the drop",
            fixes: fixes)
    }

    /// Whether a relationship needs an object, and what is said about it gives none.
    private func lacksLinks(_ relationship: Relationship, of entity: Entity) -> Bool {
        !relationship.isToMany && !relationship.isOptional
            && match.link(of: relationship.name, in: entity.name) == nil
            && !match.isRequired(relationship.name, in: entity.name)
            && !match.hasNoObjects(entity) && !isSupplied(entity)
    }
}
