import CambiumModel

/// What a change is from, and to, in few words.
package struct ChangeDetails {
    private let match: ModelMatch
    private let conditions: (Rule, Entity, MigrationProblem.Side) -> String

    /// Prepares for the changes of a difference.
    ///
    /// - Parameter conditions: How the condition of a rule is written in one of the versions, for
    ///   whoever has the author's text.
    package init(
        of difference: ModelDifference,
        conditions: @escaping (Rule, Entity, MigrationProblem.Side) -> String = { rule, _, _ in
            "\(rule.condition)"
        }
    ) {
        match = difference.match
        self.conditions = conditions
    }

    /// What it was and what it is; nil where the change itself says all.
    package func detail(of change: ModelChange) -> ModelChange.Detail? {
        switch change {
        case .attributeAdded(let entity, let name, _):
            return .init(before: nil, after: attribute(name, entity)?.form)
        case .attributeDropped(let entity, let name):
            let before = oldEntity(entity)?.attributes.first { $0.name == name }
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
        guard let entity, let rule = entity.rules.first(where: { $0.name == rule }) else {
            return nil
        }
        return conditions(rule, entity, side)
    }

    private func attribute(_ name: String, _ entity: String) -> Attribute? {
        newEntity(entity)?.attributes.first { $0.name == name }
    }

    private func relationship(_ name: String, _ entity: String) -> Relationship? {
        newEntity(entity)?.relationships.first { $0.name == name }
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
    /// All that a store knows of it.
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
    /// What a store knows of it.
    fileprivate var form: String {
        var words = [(isToMany ? "many " : "one ") + destination]
        if isOrdered { words.append("ordered") }
        if isOptional, !isToMany { words.append("optional") }
        if let inverse { words.append("inverse \(inverse)") }
        return words.joined(separator: ", ")
    }

    /// How many objects it may have.
    fileprivate var numberOfObjects: String {
        let words = [
            minimumCount.map { "at least \($0)" }, maximumCount.map { "at most \($0)" },
        ].compactMap(\.self)
        return words.isEmpty ? "any number" : words.joined(separator: ", ")
    }
}

extension Entity {
    /// The indexes, each by what it is sorted by.
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
