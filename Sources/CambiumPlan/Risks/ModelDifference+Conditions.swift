import CambiumModel

extension ModelDifference {
    // MARK: Uniqueness

    /// Whether the old version allowed no two objects with the same values of some of the
    /// properties, so that none have the same values of all.
    func wasUnique(_ properties: [String], in entity: Entity) -> Bool {
        guard let oldEntity = match.oldEntity(of: entity) else { return false }
        return old.lineage(of: oldEntity).contains { owner in
            owner.uniqueConstraints.contains { constraint in
                constraint.properties.allSatisfy { name in
                    let newName = newName(of: name, in: owner)
                    return properties.contains(newName) && keeps(newName, from: name, in: entity)
                }
            }
        }
    }

    /// Whether objects have the very values of a property that they had before.
    private func keeps(_ property: String, from oldName: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity) else { return false }
        if let attribute = new.attribute(property, of: entity),
            let before = match.oldAttribute(of: property, in: declarer.name)
        {
            return before.name == oldName && before.type == attribute.type
                && !before.isTransient && (attribute.isOptional || !before.mayLackValue)
                && match.fill(of: property, in: declarer.name) == nil
        }
        let before = match.oldRelationship(of: property, in: declarer.name)
        return before?.name == oldName && before?.isToMany == false
    }

    /// Whether rows are sure to have no two equal values there: none at all, or each a new one.
    func isNewAndDistinct(_ property: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity),
            match.oldAttribute(of: property, in: declarer.name) == nil,
            match.oldRelationship(of: property, in: declarer.name) == nil
        else { return false }
        if let fill = match.fill(of: property, in: declarer.name) {
            if case .literal = fill { return false }
            return true
        }
        guard let attribute = new.attribute(property, of: entity) else { return true }
        return attribute.defaultValue == nil || attribute.defaultValue == .newUUID
    }

    // MARK: Rules

    /// Whether the rules of the old version asked all that a rule asks, of values that the migration
    /// leaves as they were.
    func wasAsked(_ rule: Rule, of entity: Entity) -> Bool {
        guard let oldEntity = match.oldEntity(of: entity) else { return false }
        let filled = new.lineage(of: entity).flatMap { owner in
            owner.attributes.map(\.name).filter { match.fill(of: $0, in: owner.name) != nil }
        }
        let properties = match.support.properties(in: rule.condition, of: entity, of: new)
        guard properties.isDisjoint(with: filled) else { return false }
        // A store may have rows that meet no more than what the store itself checks.
        let isEnforced = match.support.enforces(rule, of: entity, in: new)
        let asked = old.lineage(of: oldEntity).flatMap { owner in
            owner.rules.filter {
                !isEnforced || match.support.enforces($0, of: owner, in: old)
            }.flatMap {
                inNewNames(afterReplacements($0.condition, of: owner), of: owner).conjuncts
            }
        }
        return rule.condition.conjuncts.allSatisfy(asked.contains)
    }

    /// A condition of the old version with new cases in place of those that they replace: an object has
    /// the new one just where it had the old one.
    private func afterReplacements(
        _ condition: ModelExpression, of owner: Entity
    ) -> ModelExpression {
        condition.transformed { expression in
            guard
                case .comparison(
                    .keyPath(root: .subject, let names), let relation, .literal(let value),
                    let options) = expression, relation == .equal || relation == .notEqual,
                case .enumeration(let name)? = old.attribute(
                    names.joined(separator: "."), of: owner)?.type,
                let cases = old.enumeration(named: name)?.cases,
                let former = cases.first(where: { $0.rawValue == value }),
                let replacement = new.replacement(of: former.name, in: name),
                let heir = new.enumeration(named: name)?.cases.first(where: {
                    $0.name == replacement.replacement
                }), !cases.contains(where: { $0.rawValue == heir.rawValue }),
                new.migration?.replacements.count(where: { $0.replacement == heir.name }) == 1
            else { return nil }
            return .comparison(
                .keyPath(root: .subject, names: names), relation, .literal(heir.rawValue), options)
        }
    }

    /// A condition of the old version with the names that its properties have now.
    func inNewNames(_ condition: ModelExpression, of oldEntity: Entity) -> ModelExpression {
        condition.transformed { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return nil }
            return .keyPath(root: .subject, names: newNames(of: names, from: oldEntity))
        }
    }

    private func newNames(of path: [String], from oldEntity: Entity) -> [String] {
        var owner = oldEntity
        var names: [String] = []
        for (position, name) in path.enumerated() {
            guard let relationship = old.relationship(name, of: owner) else {
                // The attribute at the end, which has several names within a composite value.
                let attribute = path[position...].joined(separator: ".")
                return names
                    + newName(of: attribute, in: owner).split(separator: ".").map(String.init)
            }
            names.append(newName(of: name, in: owner))
            guard let destination = old.entity(named: relationship.destination) else {
                return names + path[(position + 1)...]
            }
            owner = destination
        }
        return names
    }

    /// What a property of an old entity, or of its ancestors, is called now.
    func newName(of property: String, in oldEntity: Entity) -> String {
        guard let declarer = old.declarer(of: property, in: oldEntity) else { return property }
        return match.newAttribute(of: property, in: declarer.name)?.name
            ?? match.newRelationship(of: property, in: declarer.name)?.name ?? property
    }
}

extension ModelExpression {
    /// The conditions that all have to be true.
    fileprivate var conjuncts: [ModelExpression] {
        guard case .and(let operands) = self else { return [self] }
        return operands.flatMap(\.conjuncts)
    }
}
