import CambiumModel

extension ModelChecker {
    /// Makes a derived attribute whose expression is still missing: it is checked when all
    /// properties are known.
    func checkDerived(_ element: ParsedElement, _ subject: Subject) -> Attribute? {
        let renamedFrom = renamedFrom(element, subject)
        guard let name = subject.property, let written = element["type"] else { return nil }
        guard compositesByName[written.value] == nil, written.value != "codable" else {
            report(
                .unsuitableProperty, "A value of \(written.value) cannot be derived", at: written)
            return nil
        }
        guard var type = type(written) else { return nil }
        if let scale = scale(of: element, type: written.value) { type = scale }
        guard element["expression"] != nil else { return nil }
        return Attribute(
            name: name, type: type, isOptional: flag("optional", of: element),
            renamedFrom: renamedFrom, derivation: .literal(.null),
            hashModifier: element["hashModifier"]?.value, userInfo: userInfo(of: element))
    }

    /// Puts the expressions of derived attributes in.
    func checkDerivations(of draft: EntityDraft, in model: Model) {
        guard let entity = model.entity(named: draft.name) else { return }
        for (index, attribute) in draft.attributes.enumerated() where attribute.derivation != nil {
            guard let element = draft.declaration(of: attribute.name),
                let text = element["expression"]?.text
            else { continue }
            let checked = settle(text, inXcode: "'\(attribute.name)' is not computed here") {
                ExpressionCompiler.derivation(
                    $0, as: attribute.type, entity: entity, model: model)
            }
            guard let derivation = checked else {
                if parsed.isOfXcode {
                    draft.attributes[index] = attribute.withoutDerivation
                }
                continue
            }
            let lacksNil =
                !attribute.isOptional
                && Nullability(model: model).mayBeNil(derivation, of: entity)
            draft.attributes[index] = attribute.derived(
                from: derivation, isOptional: lacksNil ? parsed.isOfXcode : attribute.isOptional)
            if lacksNil { reportNil(attribute, element) }
        }
    }

    private func reportNil(_ attribute: Attribute, _ element: ParsedElement) {
        let offset = element["expression"]?.valueOffset ?? element.offset
        if parsed.isOfXcode {
            report(
                .madeOptional,
                "'\(attribute.name)' is required, but its expression can be nil; "
                    + "it is optional here", at: offset,
                notes: [wording.makeOptional])
        } else {
            report(
                .derivedMayBeNil,
                "'\(attribute.name)' is required, but its expression can be nil", at: offset,
                notes: ["Write optional=\"true\""])
        }
    }
}

/// Says whether an expression can have no value.
struct Nullability {
    let model: Model

    func mayBeNil(_ expression: ModelExpression, of entity: Entity) -> Bool {
        switch expression {
        case .literal(let value): value == .null
        case .keyPath(root: .subject, let names): mayBeNil(names[...], of: entity)
        case .keyPath, .parameter, .list, .refused: true
        case .and, .or, .not, .comparison, .between, .quantified: false
        // Overflow and division by zero are nil, but neither is what an author expects of a sum.
        case .arithmetic(let left, let operation, let right):
            operation == .divide && !isNumberOtherThanZero(right)
                || mayBeNil(left, of: entity) || mayBeNil(right, of: entity)
        case .function(.now, _): false
        case .function(.sqrt, _), .function(.string, _), .function(.number, _): true
        case .function(_, let operands): operands.contains { mayBeNil($0, of: entity) }
        case .aggregate(let function, _): function != .count && function != .sum
        case .subquery: true
        case .conditional(_, let first, let second):
            mayBeNil(first, of: entity) || mayBeNil(second, of: entity)
        }
    }

    private func isNumberOtherThanZero(_ expression: ModelExpression) -> Bool {
        switch expression {
        case .literal(let value): value.sign.map { $0 != 0 } ?? false
        default: false
        }
    }

    private func mayBeNil(_ names: ArraySlice<String>, of entity: Entity) -> Bool {
        guard let first = names.first else { return false }
        let whole = names.joined(separator: ".")
        if let attribute = model.attribute(whole, of: entity) { return attribute.isOptional }
        guard let relationship = model.relationship(first, of: entity),
            let destination = model.entity(named: relationship.destination)
        else { return true }
        return relationship.isOptional || mayBeNil(names.dropFirst(), of: destination)
    }
}
