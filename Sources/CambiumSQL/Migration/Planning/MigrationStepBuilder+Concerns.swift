import CambiumModel

// Each step says what it is for.
extension MigrationStepBuilder {
    /// Whether a change is carried out by what is done to a table.
    func concerns(_ change: ModelChange, _ table: Table) -> Bool {
        switch change {
        case .orderChanged(let entity, let name, _), .linksDropped(let entity, let name):
            return tableOfLinks(entity, name) == table.name
        case .caseDropped(let enumeration, _, true):
            return difference.match.uses(of: enumeration).contains {
                difference.new.root(of: $0.entity).name == table.name
            }
        default:
            break
        }
        switch table.content {
        case .system:
            return false
        case .links(let entity, let relationship):
            switch change {
            case .relationshipAdded(entity, relationship),
                .relationshipRenamed(entity, relationship, _),
                .relationshipChanged(entity, relationship),
                .relationshipMoved(entity, relationship, _),
                .relationshipDropped(entity, relationship, _):
                return true
            default:
                return false
            }
        case .objects(let root):
            if let entity = difference.new.entity(named: change.entity) {
                return difference.new.root(of: entity).name == root
            }
            guard let entity = difference.old.entity(named: change.entity) else { return false }
            let oldRoot = difference.old.root(of: entity)
            return difference.match.newEntity(of: oldRoot)?.name == root
        }
    }

    /// The table that has the links of a relationship, and so their order.
    private func tableOfLinks(_ entity: String, _ name: String) -> String? {
        let new = difference.new
        let declared = new.entity(named: entity).flatMap { owner in
            new.relationship(name, of: owner).map { (entity: owner, relationship: $0) }
        }
        guard let (entity, relationship) = declared ?? inverseOfGone(entity, name) else {
            return nil
        }
        return switch new.storage(of: relationship, of: entity) {
        case .inverseKey:
            new.entity(named: relationship.destination).map { new.root(of: $0).name }
        case .joinTable(let name, _, _): name
        case .key: new.root(of: entity).name
        case .transient: nil
        }
    }

    /// What keeps the links of a relationship that is gone itself.
    private func inverseOfGone(
        _ entity: String, _ name: String
    ) -> (entity: Entity, relationship: Relationship)? {
        let match = difference.match
        let former = match.new.entity(named: entity).flatMap(match.oldEntity)
        guard let owner = former ?? match.old.entity(named: entity),
            let relationship = owner.relationships.first(where: { $0.name == name }),
            let inverse = match.old.inverse(of: relationship)
        else { return nil }
        return match.heir(
            of: .init(entity: inverse.entity.name, property: inverse.relationship.name))
    }
}
