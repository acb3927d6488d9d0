import CambiumModel

/// The details of changes: the state before and after, in few words.
package struct ChangeDetails {
    private let match: ModelMatch
    private let conditions: (Rule, Entity, MigrationProblem.Side) -> String

    /// Prepares for the changes of a difference.
    ///
    /// - Parameter conditions: Returns the text of a rule's condition in one of the versions, for
    ///   callers that have the author's text.
    package init(
        of difference: ModelDifference,
        conditions: @escaping (Rule, Entity, MigrationProblem.Side) -> String = { rule, _, _ in
            "\(rule.condition)"
        }
    ) {
        match = difference.match
        self.conditions = conditions
    }

    /// Returns the state before and after; nil if the change itself is complete.
    package func detail(of change: ModelChange) -> ModelChange.Detail? {
        switch change {
        case .attributeAdded(let entity, let name, _):
            return .init(before: nil, after: attribute(name, entity)?.form)
        case .attributeDropped(let entity, let name):
            let before = oldEntity(entity)?.attribute(named: name)
            return .init(before: before?.form, after: nil)
        case .attributeConverted(let entity, let name, _, _):
            return attributes(name, entity) { $0.type.notation }
        case .limitsChanged(let entity, let name, _):
            let limits = match.oldAttribute(of: name, in: entity)?.limits ?? Limits()
            let newLimits = attribute(name, entity)?.limits ?? Limits()
            // The limits of another type may read the same.
            guard limits.notation != newLimits.notation else { return nil }
            return .init(
                before: limits.without(newLimits).notation,
                after: newLimits.without(limits).notation)
        case .defaultChanged(let entity, let name):
            return attributes(name, entity) { $0.defaultValue?.notation ?? "none" }
        case .relationshipAdded(let entity, let name):
            return .init(before: nil, after: relationship(name, entity)?.form)
        case .relationshipChanged(let entity, let name):
            return .init(
                before: match.oldRelationship(of: name, in: entity)?.form,
                after: relationship(name, entity)?.form)
        case .countsChanged(let entity, let name):
            return .init(
                before: match.oldRelationship(of: name, in: entity)?.numberOfObjects,
                after: relationship(name, entity)?.numberOfObjects)
        case .indexesChanged(let name):
            guard let entity = newEntity(name) else { return nil }
            return .init(
                before: oldEntity(name)?.indexForms ?? "none", after: entity.indexForms)
        case .ruleAdded(let entity, let name):
            return .init(before: nil, after: condition(name, newEntity(entity), .new))
        case .ruleChanged(let entity, let name):
            return .init(
                before: condition(name, oldEntity(entity), .old),
                after: condition(name, newEntity(entity), .new))
        default: return nil
        }
    }

    private func newEntity(_ name: String) -> Entity? { match.new.entity(named: name) }

    private func oldEntity(_ name: String) -> Entity? { newEntity(name).flatMap(match.oldEntity) }

    private func condition(
        _ rule: String, _ entity: Entity?, _ side: MigrationProblem.Side
    ) -> String? {
        guard let entity, let rule = entity.rule(named: rule) else {
            return nil
        }
        return conditions(rule, entity, side)
    }

    private func attribute(_ name: String, _ entity: String) -> Attribute? {
        newEntity(entity)?.attribute(named: name)
    }

    private func relationship(_ name: String, _ entity: String) -> Relationship? {
        newEntity(entity)?.relationship(named: name)
    }

    private func attributes(
        _ name: String, _ entity: String, _ form: (Attribute) -> String
    ) -> ModelChange.Detail {
        .init(
            before: match.oldAttribute(of: name, in: entity).map(form),
            after: attribute(name, entity).map(form))
    }
}

extension Attribute {
    /// The stored properties of the attribute, in words.
    fileprivate var form: String {
        var words = [type.notation]
        if isOptional { words.append("optional") }
        if isExternal { words.append("in files") }
        if let defaultValue { words.append("default \(defaultValue.notation)") }
        return (words + (limits.isEmpty ? [] : [limits.notation])).joined(separator: ", ")
    }
}

extension DefaultValue {
    fileprivate var notation: String {
        switch self {
        case .constant(let value): value.notation
        case .now: "now"
        case .newUUID: "new"
        }
    }
}

extension Relationship {
    /// The stored properties of the relationship, in words.
    fileprivate var form: String {
        var words = [(isToMany ? "many " : "one ") + destination]
        if isOrdered { words.append("ordered") }
        if isOptional, !isToMany { words.append("optional") }
        if let inverse { words.append("inverse \(inverse)") }
        return words.joined(separator: ", ")
    }

    /// The number of objects that it may have.
    fileprivate var numberOfObjects: String {
        let words = [
            minimumCount.map { "at least \($0)" }, maximumCount.map { "at most \($0)" },
        ].compactMap { $0 }
        return words.isEmpty ? "any number" : words.joined(separator: ", ")
    }
}

extension Entity {
    /// The indexes, each by its elements.
    fileprivate var indexForms: String {
        let forms = indexes.map { index in
            let elements = index.elements.map { element in
                let name = element.expression.map { "\($0)" } ?? element.property
                return element.isDescending ? "\(name) descending" : name
            }
            let form = "(\(elements.joined(separator: ", ")))"
            return index.condition.map { "\(form) where \($0)" } ?? form
        }
        return forms.isEmpty ? "none" : forms.joined(separator: ", ")
    }
}

extension ModelChange {
    /// Returns the reason that the author of the new version gave, if one was required.
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

    /// Returns the reason of a drop. A drop names the entity that loses a property, or an ancestor.
    /// The drop of a composite value is a drop of each of its parts.
    private static func reason(
        forDropOf name: String, from entity: String, _ migration: MigrationDeclaration,
        _ match: ModelMatch
    ) -> String? {
        let lineage = match.old.entity(named: entity).map(match.old.lineage)?.map { $0.name }
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

    /// Returns the entity's name in the old version, because drops use that name.
    private func formerName(of entity: String, in model: Model, _ match: ModelMatch) -> String {
        model.entity(named: entity).flatMap(match.oldEntity)?.name ?? entity
    }
}

extension ModelDifference {
    /// Returns the change with its new condition on rows and the author's reason.
    package func sentence(of change: ModelChange) -> String {
        let condition = condition(of: change).map { ": \($0)" } ?? ""
        let reason = change.reason(in: new, match).map { " (\($0))" } ?? ""
        return change.summary + condition + reason
    }

    private func condition(of change: ModelChange) -> String? {
        switch change {
        case .ruleAdded(let entity, let name), .ruleChanged(let entity, let name):
            let rule = new.entity(named: entity)?.rule(named: name)
            return rule.map { "\($0.condition)" }
        case .limitsChanged(let entity, let name, _):
            let attribute = new.entity(named: entity)?.attribute(named: name)
            return attribute?.limits.notation
        default:
            return nil
        }
    }
}
