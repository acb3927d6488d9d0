import CambiumModel
import CambiumSQL

extension ModelCompiler {
    /// Warns of what the new version asks of rows that are there, at the place that asks it.
    mutating func warnAboutRows(from old: CheckedModel, to new: CheckedModel) {
        let difference = ModelDifference(from: old.model, to: new.model)
        let wording = Wording(new.parsed.format)
        for risk in difference.rowRisks where !isMet(risk, by: difference.changes, in: new.model) {
            let subject = risk.property.map { "\(risk.entity).\($0)" } ?? risk.entity
            let fill = "Fill \(subject) in \(wording.migration(to: new.model.version))"
            if case .removedCases(let enumeration, let names) = risk.kind {
                let list = names.map { "'\($0)'" }.joined(separator: ", ")
                diagnostics.append(
                    Diagnostic(
                        .removedCase,
                        "\(enumeration) has no \(list) any more, and a value of \(subject) that is "
                            + "\(names.count == 1 ? "it" : "one of them") can no longer be read",
                        at: new.position(of: risk),
                        notes: [
                            "Keep the raw value\(names.count == 1 ? "" : "s"), in a case of whatever "
                                + "name, or fill \(subject) in "
                                + wording.migration(to: new.model.version)
                        ]))
            } else {
                diagnostics.append(
                    Diagnostic(
                        .conditionOnRows, message(for: risk, subject, in: new.model, wording),
                        at: new.position(of: risk), notes: [remedy(for: risk, fill)]))
            }
        }
    }

    private func message(
        for risk: RowRisk, _ subject: String, in model: Model, _ wording: Wording
    ) -> String {
        let what =
            switch risk.kind {
            case .uniqueness(let properties):
                "two objects of \(risk.entity) that share "
                    + properties.map { "'\($0)'" }.joined(separator: " and ")
            case .limits: "a value of \(subject) beyond its new limits"
            case .narrowedType:
                "a value of \(subject) that does not fit \(type(of: risk, in: model, wording))"
            case .rule(let name):
                "an object of \(risk.entity) that does not meet the rule '\(name)'"
            case .counts:
                "more or fewer objects at \(subject) than \(wording.name("min")) and "
                    + "\(wording.name("max")) allow now"
            case .abstractEntity: "an object of \(risk.entity) itself (it is abstract now)"
            case .presence: "a value of \(subject) that lacks a part which is required now"
            case .removedCases: "a value of \(subject) that is no case"
            }
        if risk.refusesStore { return "A store with \(what) is refused" }
        if case .rule = risk.kind { return "\(what.capitalizedFirst) can no longer be saved" }
        return "An object with \(what) can no longer be saved"
    }

    private func type(of risk: RowRisk, in model: Model, _ wording: Wording) -> String {
        guard let property = risk.property, let entity = model.entity(named: risk.entity),
            let attribute = model.attribute(property, of: entity)
        else { return "its new type" }
        return wording.type(attribute.type.word)
    }

    private func remedy(for risk: RowRisk, _ fill: String) -> String {
        switch risk.kind {
        case .limits, .narrowedType, .presence, .removedCases:
            "\(fill), or leave it as it was, unless there is no such value"
        case .rule: "Fill what the rule looks at, or drop the rule, unless there is no such object"
        case .uniqueness: "Fill what has to differ, unless no two objects are equal in it"
        case .counts: "Widen them, unless there is no such object"
        case .abstractEntity: "Leave it as it was, unless there is no such object"
        }
    }

    /// Whether the rows that are there meet a new rule by what new attributes have in them, or the
    /// author has filled what it looks at.
    private func isMet(_ risk: RowRisk, by changes: [ModelChange], in model: Model) -> Bool {
        guard case .rule(let name) = risk.kind, let entity = model.entity(named: risk.entity),
            let rule = entity.rules.first(where: { $0.name == name })
        else { return false }
        let lineage = Set(model.lineage(of: entity).map(\.name))
        let filled = (model.migration?.fills ?? []).filter { lineage.contains($0.entity) }
        if rule.condition.mentions(Set(filled.map(\.attribute))) { return true }
        var known: [String: Value] = [:]
        for case .attributeAdded(let owner, let name, let isFilled) in changes
        where lineage.contains(owner) && !isFilled {
            guard let attribute = model.attribute(name, of: entity) else { continue }
            switch attribute.defaultValue {
            case .constant(let value): known[name] = value
            case nil: known[name] = .null
            case .now, .newUUID: break
            }
        }
        return ConstantFolding(entity: entity, model: model, known: known)
            .value(of: rule.condition) == true
    }
}

extension String {
    /// The text as the start of a sentence.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension ModelExpression {
    /// Whether one of the object's own attributes is among those.
    fileprivate func mentions(_ attributes: Set<String>) -> Bool {
        var isFound = false
        visit { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return }
            if attributes.contains(names.joined(separator: ".")) { isFound = true }
        }
        return isFound
    }
}

extension CheckedModel {
    /// The declaration that asks something of rows.
    fileprivate func position(of risk: RowRisk) -> SourcePosition {
        let entity = parsed.root.children(named: "entity")
            .first { $0["name"]?.value == risk.entity }
        let element: ParsedElement? =
            switch risk.kind {
            case .removedCases(let enumeration, _):
                parsed.root.children(named: "enum").first { $0["name"]?.value == enumeration }
            case .rule(let name):
                entity?.children(named: "rule").first { $0["name"]?.value == name }
            case .uniqueness(let properties):
                entity?.children(named: "unique").first { element in
                    element["by"].map { WordList($0.value).words.map(\.text) } == properties
                }
            default: nil
            }
        return element.map { parsed.position(at: $0.offset) }
            ?? position(ofEntity: risk.entity, property: risk.property)
    }
}
