import CambiumModel

extension ModelChange {
    /// What the author of the new version gave as the reason, where one was asked for.
    package func reason(in model: Model, _ match: ModelMatch) -> String? {
        guard let migration = model.migration else { return nil }
        switch self {
        case .entityDropped(let entity):
            return migration.drops.first { $0.entity == entity && $0.property == nil }?.reason
        case .objectsDropped(let entity, let condition):
            let former = formerName(of: entity, in: model, match)
            return migration.drops.first {
                $0.entity == former && $0.condition?.description == condition
            }?.reason
        case .attributeDropped(let entity, let name), .relationshipDropped(let entity, let name, _):
            return Self.reason(
                forDropOf: name, from: formerName(of: entity, in: model, match), migration, match)
        default:
            return declaration(in: migration)?["reason"]
        }
    }

    /// A drop names the entity that loses a property, or one above that; that of a composite value is
    /// one of each of its parts.
    private static func reason(
        forDropOf name: String, from entity: String, _ migration: MigrationDeclaration,
        _ match: ModelMatch
    ) -> String? {
        let lineage = match.old.entity(named: entity).map(match.old.lineage)?.map(\.name)
        for owner in (lineage ?? [entity]).reversed() {
            let drops = migration.drops.filter { $0.entity == owner && $0.property != nil }
            let own = drops.filter { $0.property == name }
            let parts = drops.filter { drop in
                drop.property?.hasPrefix(name + ".") == true
                    || drop.property.map { name.hasPrefix($0 + ".") } == true
            }
            var reasons: [String] = []
            for drop in own.isEmpty ? parts : own where !reasons.contains(drop.reason) {
                reasons.append(drop.reason)
            }
            if !reasons.isEmpty { return reasons.joined(separator: "; ") }
        }
        return nil
    }

    /// What the entity was called when it had what is dropped: drops name that.
    private func formerName(of entity: String, in model: Model, _ match: ModelMatch) -> String {
        model.entity(named: entity).flatMap(match.oldEntity)?.name ?? entity
    }
}

extension ModelDifference {
    /// What a change is, with the condition that it asks of rows and what the author gave as the
    /// reason.
    package func sentence(of change: ModelChange) -> String {
        let condition = condition(of: change).map { ": \($0)" } ?? ""
        let reason = change.reason(in: new, match).map { " (\($0))" } ?? ""
        return change.summary + condition + reason
    }

    private func condition(of change: ModelChange) -> String? {
        switch change {
        case .ruleAdded(let entity, let name), .ruleChanged(let entity, let name):
            let rule = new.entity(named: entity)?.rules.first { $0.name == name }
            return rule.map { "\($0.condition)" }
        case .limitsChanged(let entity, let name, _):
            let attribute = new.entity(named: entity)?.attributes.first { $0.name == name }
            return attribute?.limits.notation
        default:
            return nil
        }
    }
}
