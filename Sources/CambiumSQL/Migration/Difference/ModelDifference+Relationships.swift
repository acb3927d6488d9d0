import CambiumModel

extension ModelDifference {
    mutating func compareRelationships(of oldEntity: Entity, _ entity: Entity) {
        for relationship in entity.relationships {
            if let oldRelationship = match.oldRelationship(
                of: relationship.name, in: entity.name)
            {
                compare(oldRelationship, of: oldEntity, relationship, of: entity)
            } else {
                add(.relationshipAdded(entity: entity.name, relationship.name))
            }
            if !relationship.isToMany, !relationship.isOptional {
                checkRequired(relationship, of: entity)
            }
            checkLinks(relationship, of: entity)
        }
        for relationship in oldEntity.relationships
        where match.newRelationship(of: relationship.name, in: oldEntity.name) == nil {
            compareDropped(relationship, of: oldEntity, in: entity)
        }
    }

    private mutating func compare(
        _ old: Relationship, of oldEntity: Entity, _ new: Relationship, of entity: Entity
    ) {
        if old.name != new.name {
            add(.relationshipRenamed(entity: entity.name, new.name, from: old.name))
        }
        let oldDestination = self.old.entity(named: old.destination).flatMap(match.newEntity)
        let destination = self.new.entity(named: new.destination)
        if let destination, let oldDestination {
            if !self.new.entity(oldDestination, isKindOf: destination) {
                addUnlinked(
                    new, old, of: entity,
                    "leads to \(new.destination) and no longer to \(oldDestination.name)")
            }
        } else if destination?.name != old.destination, match.isDropped(old.destination, nil) {
            addUnlinked(
                new, old, of: entity,
                "leads to \(new.destination) and no longer to "
                    + old.destination)
        }  // else what became of the destination is not known yet, or wrong, which is reported
        let oldInverse = old.inverse.flatMap { inverse in
            self.old.entity(named: old.destination).flatMap { destination in
                self.old.declarer(of: inverse, in: destination)
            }.flatMap { match.newRelationship(of: inverse, in: $0.name) }
        }?.name
        if old.isToMany != new.isToMany || old.isOptional != new.isOptional && !new.isToMany
            || oldInverse != new.inverse || oldDestination?.name != new.destination
        {
            add(.relationshipChanged(entity: entity.name, new.name))
        }
        let wasOrdered = self.old.positionColumn(of: old, of: oldEntity) != nil
        let isOrdered = self.new.positionColumn(of: new, of: entity) != nil
        if wasOrdered != isOrdered {
            add(.orderChanged(entity: entity.name, new.name, isOrdered: isOrdered))
        }
    }

    private mutating func checkRequired(_ relationship: Relationship, of entity: Entity) {
        let old = match.oldRelationship(of: relationship.name, in: entity.name)
        if old == nil || old?.isOptional == true || old?.isToMany == true {
            add(
                MigrationProblem(
                    entity: entity.name, property: relationship.name,
                    message: "\(entity.name).\(relationship.name) is required, and existing "
                        + "objects may have no object there; make it optional",
                    fixes: [
                        .makeOptional(
                            .relationship, name: relationship.name, type: relationship.destination)
                    ]))
        } else if let destination = new.entity(named: relationship.destination),
            let oldDestination = match.oldEntity(of: destination),
            let gone = old.flatMap({ _ in droppedEntity(below: oldDestination) })
        {
            add(
                MigrationProblem(
                    entity: entity.name, property: relationship.name,
                    message: "\(gone) is dropped, but the required relationship "
                        + "\(entity.name).\(relationship.name) may lead to its objects; make it "
                        + "optional"))
        }
    }

    private func droppedEntity(below oldEntity: Entity) -> String? {
        old.family(of: oldEntity).first { match.newEntity(of: $0) == nil }?.name
    }

    /// Links are carried where each end holds as many as before. What keeps them from being carried
    /// is one thing with two ends, and reported at one.
    private mutating func checkLinks(_ relationship: Relationship, of entity: Entity) {
        guard let links = OldLinks(of: relationship, of: entity, in: match) else { return }
        if let conflict = links.conflict {
            guard reportedLinks.insert(Set(conflict)).inserted else { return }
            let names = conflict.map { "\($0.entity).\($0.property)" }.joined(separator: ", ")
            add(
                MigrationProblem(
                    entity: entity.name, property: relationship.name,
                    message: "\(entity.name).\(relationship.name) and its inverse were not each "
                        + "other's inverse before (\(names)); drop one of them",
                    fixes: conflict.map { .drop(entity: $0.entity, property: $0.property) }))
        } else if !links.isSwapped, links.losesLinks(as: relationship, in: new),
            reportedLinks.insert(links.ends).inserted
        {
            addUnlinked(
                relationship, links.relationship, of: entity,
                "can hold fewer objects than before, and which links to keep is not known")
        }
    }

    private mutating func addUnlinked(
        _ new: Relationship, _ old: Relationship, of entity: Entity, _ reason: String
    ) {
        let oldEntity = match.oldEntity(of: entity)?.name ?? entity.name
        add(
            MigrationProblem(
                entity: entity.name, property: new.name,
                message: "\(entity.name).\(new.name) \(reason); drop its old links, or give the "
                    + "new relationship another name",
                fixes: [.drop(entity: oldEntity, property: old.name)]))
    }

    private mutating func compareDropped(
        _ relationship: Relationship, of oldEntity: Entity, in entity: Entity
    ) {
        let destination = old.entity(named: relationship.destination)
        let inverseDeclarer = relationship.inverse.flatMap { inverse in
            destination.flatMap { old.declarer(of: inverse, in: $0) }
        }
        if let inverse = relationship.inverse, let inverseDeclarer {
            if match.newRelationship(of: inverse, in: inverseDeclarer.name) != nil {
                add(
                    .relationshipDropped(
                        entity: entity.name, relationship.name, losesLinks: false))
                return
            }
            if match.isDropped(inverseDeclarer.name, inverse)
                || match.isDropped(inverseDeclarer.name, nil)
            {
                add(
                    .relationshipDropped(
                        entity: entity.name, relationship.name, losesLinks: true))
                return
            }
        }
        let isDestinationDropped = destination.map { match.isDropped($0.name, nil) } ?? true
        if match.isDropped(oldEntity.name, relationship.name) || isDestinationDropped {
            add(.relationshipDropped(entity: entity.name, relationship.name, losesLinks: true))
        } else {
            addMissing(
                relationship.name, of: oldEntity, in: entity, declaration: .relationship,
                candidate: entity.relationships.first {
                    match.oldRelationship(of: $0.name, in: entity.name) == nil
                }?.name)
        }
    }
}
