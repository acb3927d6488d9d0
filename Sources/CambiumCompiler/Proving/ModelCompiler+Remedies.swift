import CambiumModel
import CambiumPlan

extension ModelCompiler {
    /// What can be done about rows that do not meet what is asked.
    func remedy(
        for risk: RowRisk, _ subject: String, in model: Model, _ difference: ModelDifference,
        _ wording: Wording
    ) -> String {
        let place = wording.migration(to: model.version)
        let revision = Self.revision(of: risk.property ?? "…")
        switch risk.kind {
        case .limits:
            let entity = model.entity(named: risk.entity)
            let attribute = entity.flatMap { model.attribute(risk.property ?? "", of: $0) }
            // No expression sees what lies in a file.
            if attribute?.usesExternalForm == true {
                return "Leave it as it was, unless there is no such value"
            }
            return "Fill \(subject) in \(place) from its old value, as in \(revision), drop such "
                + "objects there, or leave it as it was, unless there is no such value"
        case .presence(let parts):
            let fill = MigrationFix.fill(parts, of: risk.entity)
            return "Say in \(place) what such values have there, as in \(fill.migrationXML ?? ""), "
                + "or leave it as it was, unless there is no such value"
        case .narrowedType(isFillable: true)
        where difference.isAdded(risk.property ?? "", to: risk.entity):
            return "Write a fill whose values all fit, or give it a wider type, unless there is no "
                + "such value"
        case .narrowedType(isFillable: true):
            return
                "Fill \(subject) in \(place) from its old value, as in \(revision), or leave it as "
                + "it was, unless there is no such value"
        case .narrowedType(isFillable: false):
            return "Leave it as it was, or let the version before put its values right with a "
                + "fill from the old value, unless there is no such value"
        case .rule(let name)
        where model.entity(named: risk.entity).map {
            !difference.isNew(rule: name, of: $0)
        } ?? false:
            return "See to it that what \(place) makes of the values meets the rule, drop such "
                + "objects there, or drop the rule, unless there is no such object"
        case .rule(let name):
            guard
                let attribute = Self.attribute(
                    ofRule: name, of: risk.entity, in: model, difference)
            else {
                return "Drop the rule, or let the program see to it before this version ships, "
                    + "unless there is no such object"
            }
            if difference.isAdded(attribute, to: risk.entity) {
                return "Fill '\(attribute)' in \(place) with a value that meets the rule, or drop "
                    + "the rule, unless there is no such object"
            }
            return "Fill what the rule looks at in \(place) from its old value, as in "
                + "\(Self.revision(of: attribute)), or drop the rule, unless there is no such object"
        case .uniqueness(let properties):
            if let added = properties.first(where: { difference.isAdded($0, to: risk.entity) }) {
                return
                    "Fill '\(added)' in \(place) with what differs from object to object, unless "
                    + "there is one at most"
            }
            return remedy(forEqualsIn: properties, of: risk.entity, in: model, difference, place)
        case .inRow:
            return "Leave it in files, unless every value is small: those lie in the row"
        case .counts: return "Widen them, unless there is no such object"
        case .abstractEntity: return "Leave it as it was, unless there is no such object"
        }
    }

    /// The pattern of a fill that keeps the values that are right: the condition and the other value
    /// are the author's.
    static func revision(of attribute: String) -> String {
        "TERNARY(…, \(attribute), …)"
    }

    /// An attribute that a rule looks at of the object's own: the first that has old values, else
    /// the first.
    private static func attribute(
        ofRule name: String, of entity: String, in model: Model, _ difference: ModelDifference
    ) -> String? {
        guard let entity = model.entity(named: entity),
            let rule = entity.rules.first(where: { $0.name == name })
        else { return nil }
        var found: [String] = []
        rule.condition.visit { expression in
            guard case .keyPath(root: .subject, let names) = expression else {
                return
            }
            let path = names.joined(separator: ".")
            if let attribute = model.attribute(path, of: entity), attribute.derivation == nil {
                found.append(path)
            }
        }
        return found.first { !difference.isAdded($0, to: entity.name) } ?? found.first
    }
}
