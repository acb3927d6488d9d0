import CambiumModel

extension ModelChecker {
    /// For each entity the names of the templates that its ancestors declare.
    func namesOfInheritedTemplates(_ drafts: [EntityDraft]) -> [String: [String]] {
        guard drafts.contains(where: { $0.parent != nil }) else { return [:] }
        let byName = drafts.byName
        var names: [String: [String]] = [:]
        for draft in drafts {
            var inherited: [String] = []
            var parent = draft.parent
            while let ancestor = parent.flatMap({ byName[$0] }) {
                inherited += ancestor.element.children.filter { $0.name == "fetch" }
                    .compactMap { $0["name"]?.value }
                parent = ancestor.parent
            }
            if !inherited.isEmpty { names[draft.name] = inherited }
        }
        return names
    }

    func checkFetchTemplates(
        of draft: EntityDraft, _ entity: Entity, in model: Model, _ inherited: [String]
    ) -> [FetchTemplate] {
        let elements = draft.element.children.filter { $0.name == "fetch" }
        guard !elements.isEmpty else { return [] }
        // A template becomes a static function beside the static property keys.
        var seen = Dictionary(
            (inherited + model.propertyNames(of: entity)).map { ($0.lowercased(), $0) },
            uniquingKeysWith: { _, last in last })
        return elements.compactMap { element in
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.members, of: "a member"),
                checkDuplicate(
                    name, among: &seen, "a property or request", inXcode: Self.isLeftOut),
                let template = checkFetchTemplate(
                    element, named: name.value, of: entity, in: model)
            else {
                leftOut.insert(element.offset)
                return nil
            }
            return template
        }
    }

    private static let isLeftOut = "the request is left out"

    /// - Returns: nil for one of Xcode's that is left out.
    private func checkFetchTemplate(
        _ element: ParsedElement, named name: String, of entity: Entity, in model: Model
    ) -> FetchTemplate? {
        let (declared, order, broken) = checkParameters(of: element, in: model)
        if leftOut.contains(element.offset) { return nil }
        let names = Set(declared.map(\.name))
        let undeclared = order.filter { !names.contains($0) }
        var condition: ModelExpression?
        var parameters = declared
        if !element.text.isBlank {
            // In Xcode nothing declares parameters.
            let allowed = parsed.format == .xcode && order.isEmpty ? nil : undeclared
            let wording = wording
            let checked = settle(
                element.text, brokenParameters: broken,
                lackingParameter: { wording.declaration(ofParameter: $0, of: name) },
                inXcode: Self.isLeftOut
            ) {
                ExpressionCompiler.template(
                    $0, entity: entity, model: model, parameters: declared, undeclared: allowed)
            }
            // Without its condition it would find all objects.
            if checked == nil, parsed.isOfXcode { return nil }
            condition = checked?.condition
            parameters += checked?.inferred ?? []
            if let condition { reportUnused(order, in: condition, element) }
        } else {
            reportUnused(order, in: .and([]), element)
        }
        let positions = Dictionary(
            order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        parameters.sort { positions[$0.name] ?? order.count < positions[$1.name] ?? order.count }
        return FetchTemplate(
            name: name, parameters: parameters, condition: condition,
            sort: element["sort"].map { checkSort($0, of: entity, in: model) } ?? [],
            options: checkOptions(of: element, for: entity, in: model),
            userInfo: userInfo(of: element))
    }

    /// The parameters that declare their type, the names of all in order, and of those whose type
    /// is wrong: what they are used for tells it meanwhile.
    private func checkParameters(
        of element: ParsedElement, in model: Model
    ) -> (declared: [FetchParameter], order: [String], broken: Set<String>) {
        var seen: [String: String] = [:]
        var order: [String] = []
        var declared: [FetchParameter] = []
        var broken: Set<String> = []
        for item in element.children where item.name == "parameter" {
            guard let name = item["name"] else { continue }
            if parsed.isOfXcode, !Vocabulary.isIdentifier(name.value) {
                report(
                    .notAnIdentifier, "'\(name.value)' is no identifier", at: name,
                    inXcode: Self.isLeftOut)
                leftOut.insert(element.offset)
                continue
            }
            guard checkName(name, isTaken: [], of: "a parameter"),
                checkDuplicate(
                    name, among: &seen, "a parameter", isCaseSensitive: parsed.isOfXcode)
            else { continue }
            order.append(name.value)
            guard let written = item["type"] else { continue }
            if compositesByName[written.value] != nil || written.value == "codable" {
                report(
                    .unsuitableProperty, "A parameter cannot be a value of \(written.value)",
                    at: written)
                broken.insert(name.value)
            } else if enumerationsByName[written.value] == nil,
                model.entity(named: written.value) != nil
            {
                declared.append(FetchParameter(name: name.value, entity: written.value))
            } else if let type = type(written, orOneOf: model.entities.map(\.name)) {
                declared.append(FetchParameter(name: name.value, type: type))
            } else {
                broken.insert(name.value)
            }
        }
        return (declared, order, broken)
    }

    /// A parameter that the condition does not use has no type, and no use either.
    private func reportUnused(
        _ names: [String], in condition: ModelExpression, _ element: ParsedElement
    ) {
        let used = condition.parameterNames
        for item in element.children where item.name == "parameter" {
            guard let name = item["name"], names.contains(name.value), !used.contains(name.value)
            else { continue }
            report(
                .unusedParameter, "The condition does not use $\(name.value)", at: name,
                notes: ["Use it, or remove the parameter"])
        }
    }
}

extension ModelExpression {
    /// The names of the values that are supplied later.
    var parameterNames: Set<String> {
        var names: Set<String> = []
        visit { if case .parameter(let name) = $0 { names.insert(name) } }
        return names
    }
}
