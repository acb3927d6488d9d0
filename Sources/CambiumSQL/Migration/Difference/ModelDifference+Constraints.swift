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
            } else if let oldRule,
                inNewNames(oldRule.condition, of: oldEntity) != rule.condition
            {
                add(.ruleChanged(entity: entity.name, rule.name))
            }
        }
        for rule in oldEntity.rules where !entity.rules.contains(where: { $0.name == rule.name }) {
            add(.ruleDropped(entity: entity.name, rule.name))
        }
    }
}
