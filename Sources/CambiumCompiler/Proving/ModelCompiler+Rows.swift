import CambiumModel
import CambiumPlan

extension ModelCompiler {
    /// Warns about new constraints that existing rows may violate, at the positions of the
    /// constraints.
    package func warnAboutRows(to new: CheckedModel, _ difference: ModelDifference) {
        let wording = Wording(new.parsed.format)
        for risk in difference.rowRisks where !isMet(risk, by: difference, in: new.model) {
            let subject = risk.property.map { "\(risk.entity).\($0)" } ?? risk.entity
            let message = message(for: risk, subject, in: new.model, wording)
            let remedy = remedy(for: risk, subject, in: new.model, difference, wording)
            report(risk.kind.code, message, at: new.position(of: risk), notes: [remedy])
        }
        for fill in difference.idleFills {
            let subject = "\(fill.entity).\(fill.attribute)"
            report(
                .idleFill, "Every object has a value of \(subject), and the fill changes none",
                at: new.position(of: fill),
                notes: [
                    """
                    Compute it from the old value, as in \(Self.revision(of: fill.attribute)): \
                    then every object gets it; or drop \(subject) as well; or remove the fill
                    """
                ])
        }
    }

    private func message(
        for risk: RowRisk, _ subject: String, in model: Model, _ wording: Wording
    ) -> String {
        let what =
            switch risk.kind {
            case .uniqueness(let properties):
                "two objects of \(risk.entity) that "
                    + (model.deduplication(by: properties, of: risk.entity) != nil
                        ? "come to share " : "share ")
                    + properties.map { "'\($0)'" }.joined(separator: " and ")
            case .limits: "a value of \(subject) beyond its new limits"
            case .narrowedType:
                "a value of \(subject) that does not fit \(type(of: risk, in: model, wording))"
            case .rule(let name):
                "an object of \(risk.entity) that does not meet the rule '\(name)'"
            case .counts:
                """
                more or fewer objects at \(subject) than \(wording.name("min")) and \
                \(wording.name("max")) allow now
                """
            case .abstractEntity: "an object of \(risk.entity) itself (it is abstract now)"
            case .presence: "a value of \(subject) that lacks a part which is required now"
            case .inRow: "a value of \(subject) in a file"
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

    // MARK: Decided risks

    /// Whether existing rows meet a new rule because of the values of new attributes, or because
    /// the author declares the values that the rule reads.
    private func isMet(_ risk: RowRisk, by difference: ModelDifference, in model: Model) -> Bool {
        guard case .rule(let name) = risk.kind, let entity = model.entity(named: risk.entity),
            let rule = entity.rules.first(where: { $0.name == name })
        else { return false }
        // An unchanged rule counts as not met, if a fill changes a value that it reads.
        guard difference.isNew(rule: name, of: entity) else { return false }
        let lineage = Set(model.lineage(of: entity).map { $0.name })
        let fills = (model.migration?.fills ?? []).filter { lineage.contains($0.entity) }
        let deciding = fills.filter {
            difference.decidesEveryValue(of: $0.attribute, in: $0.entity)
        }
        if rule.condition.mentions(Set(deciding.map { $0.attribute })) { return true }
        if isMetByEveryCase(rule.condition, of: entity, in: model) { return true }
        var known: [String: Value] = [:]
        for case .attributeAdded(let owner, let name, let isFilled) in difference.changes
        where lineage.contains(owner) && !isFilled {
            guard let attribute = model.attribute(name, of: entity) else { continue }
            switch attribute.defaultValue {
            case .constant(let value): known[name] = value
            case nil: known[name] = .null
            case .now, .newUUID: break
            }
        }
        // A fill of an optional attribute leaves no nil.
        let present = fills.filter { $0.value != .literal(.null) }.map { $0.attribute }
        return ConstantFolding(entity: entity, model: model, known: known)
            .value(of: rule.condition.withValues(at: Set(present))) == true
    }
}

extension ModelCompiler {
    /// Whether each value of an enumeration meets a condition that reads it.
    private func isMetByEveryCase(
        _ condition: ModelExpression, of entity: Entity, in model: Model
    ) -> Bool {
        model.attributes(of: entity).contains { attribute in
            guard case .enumeration(let name) = attribute.type, attribute.derivation == nil,
                condition.mentions([attribute.name]),
                let cases = model.enumeration(named: name)?.cases
            else { return false }
            let values = cases.map { $0.rawValue } + (attribute.isOptional ? [.null] : [])
            return values.allSatisfy { value in
                ConstantFolding(entity: entity, model: model, known: [attribute.name: value])
                    .value(of: condition) == true
            }
        }
    }
}

extension RowRisk.Kind {
    /// The rule that warns of it.
    fileprivate var code: DiagnosticCode {
        switch self {
        case .uniqueness: .uniqueOnRows
        case .limits: .limitsOnRows
        case .rule: .ruleOnRows
        case .narrowedType: .narrowedType
        case .counts: .countsOnRows
        case .abstractEntity: .abstractOnRows
        case .presence: .presenceOnRows
        case .inRow: .externalOnRows
        }
    }
}

extension ModelExpression {
    /// Whether the condition contains one of these attributes of the object itself.
    fileprivate func mentions(_ attributes: Set<String>) -> Bool {
        var isFound = false
        visit { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return }
            if attributes.contains(names.joined(separator: ".")) { isFound = true }
        }
        return isFound
    }

    /// The condition, if these attributes are known to be not nil.
    fileprivate func withValues(at attributes: Set<String>) -> ModelExpression {
        guard !attributes.isEmpty else { return self }
        return transformed { expression in
            guard
                case .comparison(
                    .keyPath(root: .subject, let names), let relation, .literal(.null), _) =
                    expression,
                attributes.contains(names.joined(separator: "."))
            else { return nil }
            return switch relation {
            case .notEqual: .literal(.bool(true))
            case .equal: .literal(.bool(false))
            default: nil
            }
        }
    }
}

extension CheckedModel {
    /// The position of the new constraint.
    fileprivate func position(of risk: RowRisk) -> SourcePosition {
        let entity = declaration(ofEntity: risk.entity)
        let element: ParsedElement? =
            switch risk.kind {
            case .rule(let name): entity?.child("rule", named: name)
            case .uniqueness(let properties):
                entity?.children(named: "unique").first { element in
                    element["by"].map { WordList($0.value).words.map { $0.text } } == properties
                }
            default: nil
            }
        return element.map { parsed.position(at: $0.offset) }
            ?? position(ofEntity: risk.entity, property: risk.property)
    }

    /// The position of a fill.
    fileprivate func position(of fill: MigrationDeclaration.Fill) -> SourcePosition {
        position(ofDeclared: fill.attribute, of: fill.entity)
            ?? position(ofEntity: fill.entity, property: fill.attribute)
    }

    /// The position of the migration's fill or link for a property.
    func position(ofDeclared property: String?, of entity: String) -> SourcePosition? {
        let element = parsed.migration?.children.first { element in
            ["fill", "link"].contains(element.name) && element["entity"]?.value == entity
                && (element["attribute"] ?? element["relationship"])?.value == property
        }
        return element.map {
            parsed.position(at: ($0["with"] ?? $0["where"])?.valueOffset ?? $0.offset)
        }
    }
}

extension ModelCompiler {
    /// The remedy for rows that violate a new constraint.
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
            // Expressions cannot read values in files.
            if attribute?.usesExternalForm == true {
                return "Keep the old declaration, unless there is no such value"
            }
            return """
                Fill \(subject) in \(place) from its old value, as in \(revision), drop such \
                objects there, or keep the old declaration, unless there is no such value
                """
        case .presence(let parts):
            let fill = MigrationFix.fill(parts, of: risk.entity)
            return """
                Declare in \(place) what such objects get, as in \(fill.migrationXML ?? ""), \
                or keep the old declaration, unless there is no such value
                """
        case .narrowedType(isFillable: true)
        where difference.isAdded(risk.property ?? "", to: risk.entity):
            return """
                Write a fill whose values all fit, or give it a wider type, unless there is no \
                such value
                """
        case .narrowedType(isFillable: true):
            return
                """
                Fill \(subject) in \(place) from its old value, as in \(revision), or keep the \
                old declaration, unless there is no such value
                """
        case .narrowedType(isFillable: false):
            return """
                Keep the old declaration, or correct the values in the version before with a \
                fill from the old value, unless there is no such value
                """
        case .rule(let name)
        where model.entity(named: risk.entity).map {
            !difference.isNew(rule: name, of: $0)
        } ?? false:
            return """
                Make sure that the values after \(place) meet the rule, drop such \
                objects there, or drop the rule, unless there is no such object
                """
        case .rule(let name):
            guard
                let attribute = Self.attribute(
                    ofRule: name, of: risk.entity, in: model, difference)
            else {
                return """
                    Drop the rule, or correct the objects with the program before this version \
                    ships, unless there is no such object
                    """
            }
            if difference.isAdded(attribute, to: risk.entity) {
                return """
                    Fill '\(attribute)' in \(place) with a value that meets the rule, or drop \
                    the rule, unless there is no such object
                    """
            }
            return """
                Fill the attribute that the rule uses in \(place) from its old value, as in \
                \(Self.revision(of: attribute)), or drop the rule, unless there is no such object
                """
        case .uniqueness(let properties):
            if let added = properties.first(where: { difference.isAdded($0, to: risk.entity) }) {
                return
                    """
                    Fill '\(added)' in \(place) with what differs from object to object, unless \
                    there is one at most
                    """
            }
            return remedy(forEqualsIn: properties, of: risk.entity, in: model, difference, place)
        case .inRow:
            return "Leave it in files, unless every value is small: small values are in the row"
        case .counts: return "Widen them, unless there is no such object"
        case .abstractEntity: return "Keep the old declaration, unless there is no such object"
        }
    }

    /// The pattern of a fill that keeps the values that are right: the condition and the other
    /// value are the author's.
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
