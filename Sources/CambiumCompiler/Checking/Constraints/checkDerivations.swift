import CambiumModel
import CambiumSQL

extension ModelChecker {
    /// Makes a derived attribute without its expression, which is checked when all properties are
    /// known.
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

    /// Adds the expressions of derived attributes.
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
                """
                '\(attribute.name)' is required, but its expression can be nil; \
                it is optional here
                """, at: offset,
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
        // Overflow and division by zero are nil, but an author does not expect either of a sum.
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

extension ModelChecker {
    /// Refuses derived attributes that are made of each other in a circle: no order of computing
    /// them would do.
    func checkDerivationCycles(of drafts: [EntityDraft], in model: Model) {
        var sources: [String: [String]] = [:]
        for draft in drafts {
            guard let entity = model.entity(named: draft.name) else { continue }
            for attribute in draft.attributes {
                guard let derivation = attribute.derivation else { continue }
                sources["\(draft.name).\(attribute.name)"] = derivedSources(
                    of: derivation, entity: entity, in: model)
            }
        }
        for (number, draft) in drafts.enumerated() {
            for (index, attribute) in draft.attributes.enumerated()
            where attribute.derivation != nil {
                let name = "\(draft.name).\(attribute.name)"
                guard let way = way(from: name, to: name, sources),
                    let element = draft.declaration(of: attribute.name)
                else { continue }
                drafts[number].attributes[index] = attribute.withoutDerivation
                report(
                    .invalidExpression,
                    "'\(attribute.name)' is computed from itself: "
                        + ([name] + way).joined(separator: ", "),
                    at: element["expression"]?.valueOffset ?? element.offset,
                    notes: ["Compute one of them from attributes that are not derived"],
                    inXcode: "it is not computed here")
            }
        }
    }

    /// The derived attributes that an expression looks at.
    private func derivedSources(
        of derivation: ModelExpression, entity: Entity, in model: Model
    ) -> [String] {
        DerivationSources(of: derivation, entity: entity, in: model).nodes.flatMap { node in
            node.properties.ordered(by: <).compactMap { name in
                guard model.attribute(name, of: node.entity)?.derivation != nil else { return nil }
                return model.declarer(of: name, in: node.entity).map { "\($0.name).\(name)" }
            }
        }
    }

    /// The names on the path from one to another, including the last; nil if there is no path.
    private func way(
        from start: String, to end: String, _ sources: [String: [String]]
    ) -> [String]? {
        var previous: [String: String] = [:]
        var waiting = [start]
        while let name = waiting.popLast() {
            for next in sources[name] ?? [] where previous[next] == nil {
                previous[next] = name
                waiting.append(next)
            }
        }
        guard var name = previous[end] else { return nil }
        var way = [end]
        while name != start, way.count <= sources.count {
            way.insert(name, at: 0)
            guard let before = previous[name] else { break }
            name = before
        }
        return way
    }
}

extension ModelChecker {
    /// Makes the fetched properties of an entity, now that all entities are known.
    func checkFetchedProperties(of draft: EntityDraft, in model: Model) {
        guard let source = model.entity(named: draft.name) else { return }
        for element in draft.element.children where element.name == "fetched" {
            guard let name = element["name"]?.value,
                draft.declaration(of: name)?.offset == element.offset,
                let written = element["to"], checkEntityName(written, of: element),
                let destination = model.entity(named: written.value)
            else { continue }
            let info = userInfo(of: element)
            let condition = element["where"].flatMap { condition in
                settle(condition.text, inXcode: "'\(name)' is left out") {
                    ExpressionCompiler.fetchedCondition(
                        $0, property: name, userInfo: info, source: source,
                        destination: destination, model: model)
                }
            }
            // Without its condition it would find all objects.
            if condition == nil, element["where"] != nil, parsed.isOfXcode { continue }
            let sort =
                element["sort"].map { checkList($0, of: destination, in: model, isSort: true) }
                ?? []
            draft.fetchedProperties.append(
                FetchedProperty(
                    name: name, destination: destination.name, condition: condition, sort: sort,
                    options: checkOptions(
                        of: element, for: destination, in: model, isFetchedProperty: true),
                    hashModifier: element["hashModifier"]?.value, userInfo: info))
        }
    }
}
