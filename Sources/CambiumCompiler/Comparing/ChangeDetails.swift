import CambiumModel
import CambiumSQL

/// What a change is from, and to, in few words.
struct ChangeDetails {
    private let old: CheckedModel
    private let new: CheckedModel
    private let match: ModelMatch
    private let texts: (old: DeclaredText, new: DeclaredText)

    /// One change.
    struct Detail {
        let before: String?
        let after: String?
    }

    init(from old: CheckedModel, to new: CheckedModel, _ match: ModelMatch) {
        self.old = old
        self.new = new
        self.match = match
        texts = (DeclaredText(old.parsed), DeclaredText(new.parsed))
    }

    /// What it was and what it is; nil where the change itself says all.
    func detail(of change: ModelChange) -> Detail? {
        switch change {
        case .attributeAdded(let entity, let name, _):
            return Detail(before: nil, after: attribute(name, entity)?.form)
        case .attributeDropped(let entity, let name):
            let before = oldEntity(entity)?.attributes.first { $0.name == name }
            return Detail(before: before?.form, after: nil)
        case .attributeConverted(let entity, let name, _, _):
            return attributes(name, entity) { $0.type.notation }
        case .limitsChanged(let entity, let name, _):
            let limits = match.oldAttribute(of: name, in: entity)?.limits ?? Limits()
            let newLimits = attribute(name, entity)?.limits ?? Limits()
            return Detail(
                before: limits.without(newLimits).notation,
                after: newLimits.without(limits).notation)
        case .defaultChanged(let entity, let name):
            return attributes(name, entity) { $0.defaultValue?.notation ?? "none" }
        case .relationshipAdded(let entity, let name):
            return Detail(before: nil, after: relationship(name, entity)?.form)
        case .relationshipChanged(let entity, let name):
            return Detail(
                before: match.oldRelationship(of: name, in: entity)?.form,
                after: relationship(name, entity)?.form)
        case .countsChanged(let entity, let name):
            return Detail(
                before: match.oldRelationship(of: name, in: entity)?.counts,
                after: relationship(name, entity)?.counts)
        case .indexesChanged(let name):
            guard let entity = new.model.entity(named: name) else { return nil }
            return Detail(
                before: oldEntity(name)?.indexForms ?? "none", after: entity.indexForms)
        case .ruleAdded(let entity, let name):
            return Detail(before: nil, after: texts.new.condition(of: "rule", name, in: entity))
        case .ruleChanged(let entity, let name):
            let former = oldEntity(entity)?.name ?? entity
            return Detail(
                before: texts.old.condition(of: "rule", name, in: former),
                after: texts.new.condition(of: "rule", name, in: entity))
        default: return nil
        }
    }

    private func oldEntity(_ name: String) -> Entity? {
        new.model.entity(named: name).flatMap(match.oldEntity)
    }

    private func attribute(_ name: String, _ entity: String) -> Attribute? {
        new.model.entity(named: entity)?.attributes.first { $0.name == name }
    }

    private func relationship(_ name: String, _ entity: String) -> Relationship? {
        new.model.entity(named: entity)?.relationships.first { $0.name == name }
    }

    private func attributes(
        _ name: String, _ entity: String, _ form: (Attribute) -> String
    ) -> Detail {
        Detail(
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
    fileprivate var counts: String {
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
                return name + (element.isDescending ? " descending" : "")
            }
            return "(" + elements.joined(separator: ", ") + ")"
                + (index.condition.map { " where \($0)" } ?? "")
        }
        return forms.isEmpty ? "none" : forms.joined(separator: ", ")
    }
}
