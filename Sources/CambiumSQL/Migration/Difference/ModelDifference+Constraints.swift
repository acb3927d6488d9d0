import CambiumModel

extension ModelDifference {
    mutating func compareConstraints(of oldEntity: Entity, _ entity: Entity) {
        let oldUniques = oldEntity.uniqueConstraints.map { constraint in
            UniqueConstraint(
                properties: constraint.properties.map { newName(of: $0, in: oldEntity) })
        }
        for constraint in entity.uniqueConstraints where !oldUniques.contains(constraint) {
            add(.uniqueAdded(entity: entity.name, constraint.properties))
        }
        for constraint in oldUniques where !entity.uniqueConstraints.contains(constraint) {
            add(.uniqueDropped(entity: entity.name, constraint.properties))
        }
        if oldEntity.indexes != entity.indexes {
            add(.indexesChanged(entity: entity.name))
        }
        for rule in entity.rules {
            let oldRule = oldEntity.rules.first { $0.name == rule.name }
            if oldRule == nil {
                add(.ruleAdded(entity: entity.name, rule.name))
            } else if oldRule?.condition != rule.condition {
                add(.ruleChanged(entity: entity.name, rule.name))
            }
        }
        for rule in oldEntity.rules where !entity.rules.contains(where: { $0.name == rule.name }) {
            add(.ruleDropped(entity: entity.name, rule.name))
        }
    }

    private func newName(of property: String, in oldEntity: Entity) -> String {
        guard let declarer = old.declarer(of: property, in: oldEntity) else { return property }
        return match.newAttribute(of: property, in: declarer.name)?.name
            ?? match.newRelationship(of: property, in: declarer.name)?.name ?? property
    }
}
