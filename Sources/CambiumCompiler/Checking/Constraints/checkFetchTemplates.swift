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
                excluded.insert(element.offset)
                return nil
            }
            return template
        }
    }

    private static let isLeftOut = "the request is left out"

    /// - Returns: nil if a template of Xcode is ignored.
    private func checkFetchTemplate(
        _ element: ParsedElement, named name: String, of entity: Entity, in model: Model
    ) -> FetchTemplate? {
        let (declared, order, broken) = checkParameters(of: element, in: model)
        if excluded.contains(element.offset) { return nil }
        let names = Set(declared.map { $0.name })
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
        let positions = Dictionary(firstOf: order.enumerated().map { ($1, $0) })
        parameters = parameters.ordered {
            positions[$0.name] ?? order.count < positions[$1.name] ?? order.count
        }
        return FetchTemplate(
            name: name, parameters: parameters, condition: condition,
            sort: element["sort"].map { checkList($0, of: entity, in: model, isSort: true) } ?? [],
            options: checkOptions(of: element, for: entity, in: model),
            userInfo: userInfo(of: element))
    }

    /// The parameters that declare their type, the names of all in order, and the names of
    /// parameters with a wrong type. The type of these is inferred from their use.
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
                    .notAnIdentifier, "'\(name.value)' is not an identifier", at: name,
                    inXcode: Self.isLeftOut)
                excluded.insert(element.offset)
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
            } else if let type = type(written, orOneOf: model.entities.map { $0.name }) {
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

extension ModelChecker {
    /// The options of a request.
    ///
    /// - Parameter isFetchedProperty: Whether it is the request of a fetched property, which is a
    ///   list of objects.
    func checkOptions(
        of element: ParsedElement, for entity: Entity, in model: Model,
        isFetchedProperty: Bool = false
    ) -> RequestOptions {
        if element["sort"] == nil, parsed.format == .cambium,
            let written = element["limit"] ?? element["offset"]
        {
            report(
                .limitWithoutOrder,
                "Without an order, \(written.name) chooses any objects of those found",
                at: written.offset, notes: ["Write sort=\"…\""])
        }
        let kind = checkResult(of: element, isFetchedProperty)
        warnAboutInertOptions(of: element, kind, isFetchedProperty)
        return RequestOptions(
            limit: count("limit", of: element),
            offset: count("offset", of: element) ?? 0,
            batchSize: count("batchSize", of: element) ?? 0,
            resultKind: kind,
            isDistinct: flag("distinct", of: element),
            includesSubentities: flag("includesSubentities", of: element),
            includesPendingChanges: flag("includesPendingChanges", of: element),
            includesPropertyValues: flag("includesPropertyValues", of: element),
            returnsObjectsAsFaults: flag("returnsFaults", of: element),
            prefetched: element["prefetch"].map { checkPrefetch($0, of: entity, in: model) } ?? [])
    }

    /// The kind of result of the request.
    private func checkResult(
        of element: ParsedElement, _ isFetchedProperty: Bool
    ) -> RequestResultKind {
        guard
            let kind = word(
                "result", of: element, from: RequestResultKind.self, inXcode: "it gives objects"),
            let written = element["result"], kind != .objects
        else { return .objects }
        guard isFetchedProperty else { return kind }
        // An Xcode model that works with Core Data should not stop a build.
        if !parsed.isOfXcode {
            report(
                .notSupportedYet, "A fetched property gives objects, not \(kind)", at: written,
                notes: [
                    "Remove result=\"\(kind)\", or make it a <fetch>, which can give \(kind)"
                ])
        } else {
            report(
                .inertOption, "A fetched property gives objects, not \(kind)", at: written.offset,
                notes: ["The program can map or count them"])
        }
        return .objects
    }

    /// Options that the model keeps and that change nothing here, in one warning.
    private func warnAboutInertOptions(
        of element: ParsedElement, _ kind: RequestResultKind, _ isFetchedProperty: Bool
    ) {
        var defaults: [String: String] = [:]
        if isFetchedProperty {
            defaults = [
                "batchSize": "0", "includesPropertyValues": "true", "returnsFaults": "true",
            ]
        }
        // No two objects are equal.
        if kind != .dictionaries { defaults["distinct"] = "false" }
        let options = element.attributes.filter { written in
            defaults[written.name].map { $0 != written.value } ?? false
        }
        guard let first = options.first else { return }
        report(
            .inertOption,
            """
            \(options.map { $0.name }.joined(separator: ", ")) \
            \(options.count == 1 ? "has" : "have") no effect here
            """, at: first.offset,
            notes: ["The request finds the same with and without"])
    }

    private func checkPrefetch(
        _ written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [String] {
        var paths: [String] = []
        for word in WordList(written.value).words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            var owner: Entity? = entity
            for name in word.text.split(separator: ".", omittingEmptySubsequences: false) {
                guard let current = owner else { break }
                owner = model.relationship(String(name), of: current).flatMap {
                    model.entity(named: $0.destination)
                }
                guard owner == nil, !brokenNames.contains(String(name)),
                    !incompleteEntities.contains(current.name)
                else { continue }
                report(
                    .unknownProperty, "'\(current.name)' has no relationship '\(name)'",
                    at: offset,
                    notes: hint(
                        String(name), among: model.relationships(of: current).map { $0.name }))
            }
            if paths.contains(word.text) {
                report(.duplicateName, "'\(word.text)' is in the list twice", at: offset)
            } else {
                paths.append(word.text)
            }
        }
        return paths
    }
}
