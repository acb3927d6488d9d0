import CambiumModel

extension ModelChecker {
    /// Adds uniqueness, indexes, rules and fetch templates to an entity.
    ///
    /// - Parameter inherited: The names of the templates of its ancestors.
    func checkConstraints(
        of draft: EntityDraft, in model: Model, _ inherited: [String]
    ) -> Entity {
        guard let entity = model.entity(named: draft.name) else { return draft.entity() }
        return draft.entity(
            uniqueConstraints: checkUniqueConstraints(of: draft, entity, in: model),
            indexes: checkIndexes(of: draft, entity, in: model),
            rules: checkRules(of: draft, entity, in: model),
            fetchTemplates: checkFetchTemplates(of: draft, entity, in: model, inherited))
    }

    private func checkUniqueConstraints(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [UniqueConstraint] {
        var constraints: [UniqueConstraint] = []
        for element in draft.element.children where element.name == "unique" {
            guard let written = element["by"] else { continue }
            let (properties, isWhole) = checkNames(
                in: written, of: entity, in: model, inXcode: "the constraint is left out")
            let constraint = UniqueConstraint(properties: properties)
            if constraints.contains(constraint) {
                report(
                    .duplicateName, "The same constraint is declared above", at: written,
                    inXcode: "it is created once")
            } else if !properties.isEmpty, isWhole || !parsed.isOfXcode {
                // Fewer properties would be unique in fewer objects.
                constraints.append(constraint)
                continue
            }
            excluded.insert(element.offset)
        }
        return constraints
    }

    private func checkRules(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [Rule] {
        var seen: [String: String] = [:]
        var rules: [Rule] = []
        for element in draft.element.children where element.name == "rule" {
            guard let name = element["name"], checkName(name, isTaken: [], of: "a rule"),
                checkDuplicate(name, among: &seen, "a rule")
            else { continue }
            guard !element.text.isBlank else {
                report(
                    .invalidExpression, "The rule '\(name.value)' has no condition",
                    at: element.offset, notes: ["Write it between <rule …> and </rule>"])
                continue
            }
            let condition = settle(element.text) {
                ExpressionCompiler.condition($0, entity: entity, model: model)
            }
            guard let condition else { continue }
            rules.append(
                Rule(name: name.value, message: element["message"]?.value, condition: condition))
        }
        return rules
    }
}

extension ParsedText {
    /// Whether there is nothing but white space.
    @inline(never)
    package var isBlank: Bool { value.utf8.allSatisfy { " \t\r\n".utf8.contains($0) } }
}

extension ModelChecker {
    func checkIndexes(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [Index] {
        var seen: [String: String] = [:]
        var indexes: [Index] = []
        for element in draft.element.children where element.name == "index" {
            let isNameFree =
                element["name"].map {
                    checkDuplicate($0, among: &seen, "an index", inXcode: "it is left out")
                } ?? true
            let elements = checkIndexElements(element, of: entity, in: model)
            let condition = element["where"].flatMap { written in
                settle(written.text) {
                    ExpressionCompiler.indexCondition($0, entity: entity, model: model)
                }
            }
            let kind = word("type", of: element, from: IndexKind.self) ?? .binary
            if kind == .rtree, let written = element["type"] {
                report(
                    .rtreeKeptBinary, "The store keeps this index as a binary one",
                    at: written.offset,
                    notes: [
                        parsed.format == .xcode
                            ? "It finds ranges of its first element; set its Type to Binary"
                            : "It finds ranges of its first element; remove type=\"rtree\""
                    ])
            }
            guard isNameFree, !elements.isEmpty else {
                excluded.insert(element.offset)
                continue
            }
            let index = Index(
                name: element["name"]?.value, kind: kind, elements: elements,
                condition: condition)
            if indexes.contains(where: {
                $0.elements == index.elements && $0.condition == index.condition
            }) {
                report(
                    .duplicateName, "The same index is declared above",
                    at: (element["by"] ?? element["name"])?.valueOffset ?? element.offset,
                    inXcode: "it is created once")
                excluded.insert(element.offset)
            } else {
                indexes.append(index)
            }
        }
        return indexes
    }

    /// The elements by which an index is sorted: a list in `by`, or an element for each.
    private func checkIndexElements(
        _ element: ParsedElement, of entity: Entity, in model: Model
    ) -> [IndexElement] {
        let items = element.children.filter { $0.name == "by" }
        let index = element["name"].map { "the index '\($0.value)'" } ?? "the index"
        let outcome = "\(index) does without it"
        guard let written = element["by"] else {
            if items.isEmpty {
                report(
                    .missingXMLAttribute, "<index> needs the attribute 'by' or elements <by>",
                    at: element.offset, inXcode: "\(index) is left out")
            }
            var seen: Set<String> = []
            if parsed.isOfXcode, skipIndex(items, of: entity, in: model) {
                return []
            }
            return items.compactMap {
                checkIndexElement($0, of: entity, in: model, &seen, inXcode: outcome)
            }
        }
        if let item = items.first {
            report(
                .inapplicable, "An index has the attribute 'by' or elements <by>, not both",
                at: item.offset)
        }
        return checkList(written, of: entity, in: model, inXcode: outcome)
    }

    /// Leaves out an index with an expression that the store cannot index. In a model of Xcode this
    /// is not an error, because only the speed depends on it.
    private func skipIndex(
        _ items: [ParsedElement], of entity: Entity, in model: Model
    ) -> Bool {
        for expression in items.compactMap({ $0["expression"] }) {
            let checked = ExpressionCompiler.indexElement(
                expression.text.value, entity: entity, model: model)
            guard case .failure(let failure) = checked else { continue }
            report(
                .skippedIndex, "The index is left out: the store cannot keep this expression",
                at: expression, notes: failure.diagnostics.prefix(1).map { $0.message })
            return true
        }
        return false
    }

    private func checkIndexElement(
        _ element: ParsedElement, of entity: Entity, in model: Model, _ seen: inout Set<String>,
        inXcode outcome: String
    ) -> IndexElement? {
        let isDescending = flag("descending", of: element)
        if element["property"] != nil, let expression = element["expression"] {
            report(
                .inapplicable, "<by> has a property or an expression, not both",
                at: expression.offset, inXcode: "the expression is ignored")
        }
        switch (element["property"], element["expression"]) {
        case (let property?, _):
            let offset = property.valueOffset
            let isUsable = checkProperty(
                property.value, of: entity, in: model, at: offset, inXcode: outcome)
            guard isUsable else { return nil }
            guard seen.insert(property.value).inserted else {
                report(
                    .duplicateName, "'\(property.value)' is listed twice", at: offset,
                    inXcode: "the second one is ignored")
                return nil
            }
            return IndexElement(property: property.value, isDescending: isDescending)
        case (nil, let expression?):
            let checked = settle(expression.text) {
                ExpressionCompiler.indexElement($0, entity: entity, model: model)
            }
            return checked.map {
                IndexElement(property: "", isDescending: isDescending, expression: $0)
            }
        case (nil, nil):
            report(
                .missingXMLAttribute, "<by> needs the attribute 'property' or 'expression'",
                at: element.offset, inXcode: outcome)
            return nil
        }
    }
}

extension ModelChecker {
    /// The expression for the value that existing objects get for an attribute, or nil if it is
    /// wrong (and reported at its positions).
    ///
    /// - Parameter former: The entity that the objects had, from `Model.formerRow(of:in:)`.
    func checkValue(
        _ text: ParsedText, of entity: Entity, in model: Model, _ attribute: Attribute,
        former: Entity?
    ) -> ModelExpression? {
        let value = settle(text) {
            ExpressionCompiler.fill(
                $0, as: attribute.type, entity: entity, model: model, former: former)
        }
        if value == .literal(.null), !attribute.isOptional {
            report(
                .invalidExpression, "'\(attribute.name)' is required and cannot be filled with nil",
                at: text.sourceOffset(of: 0, in: parsed.source))
            return nil
        }
        return value
    }

    /// The meaning of an expression's text, or nil if it is wrong (and reported at its positions).
    /// If it uses a name with a declaration that was reported already, no further error is
    /// reported.
    ///
    /// - Parameters:
    ///   - brokenParameters: Parameters that are reported already. Problems that start at one of
    ///     them are not reported.
    ///   - lackingParameter: Returns the note for a missing parameter with a name.
    ///   - outcome: The consequence of a wrong expression in a model of Xcode; nil for elements
    ///     that Xcode does not have.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func settle<Checked>(
        _ text: ParsedText, brokenParameters: Set<String> = [],
        lackingParameter: (String) -> String? = { _ in nil }, inXcode outcome: String? = nil,
        _ check: (String) -> Result<Checked, ExpressionDiagnostics>
    ) -> Checked? {
        // A syntax error is reported even if the names are broken.
        if mentionsBrokenName(text) {
            if case .failure(let mistake) = ExpressionCompiler.syntax(of: text.value) {
                report(mistake, in: text, inXcode: outcome)
            }
            return nil
        }
        switch check(text.value) {
        case .success(let checked):
            return checked
        case .failure(let failure):
            let isIncomplete = failure.diagnostics.contains { diagnostic in
                diagnostic.lackingEntity.map(incompleteEntities.contains) ?? false
            }
            if isIncomplete { return nil }
            for diagnostic in failure.diagnostics
            where !Self.starts(diagnostic, with: brokenParameters, in: text) {
                let declaration = diagnostic.lackingParameter.flatMap(lackingParameter)
                report(
                    diagnostic, in: text, notes: [declaration].compactMap(\.self),
                    inXcode: outcome)
            }
            return nil
        }
    }

    @inline(never)
    private func report(
        _ mistake: ExpressionDiagnostic, in text: ParsedText, notes: [String] = [],
        inXcode outcome: String?
    ) {
        report(
            .invalidExpression, mistake.message.capitalizedFirst,
            at: text.sourceOffset(of: mistake.offset, in: parsed.source),
            notes: (mistake.hint.map { [$0.capitalizedFirst] } ?? []) + notes, inXcode: outcome)
    }

    /// Whether a text uses a name with a declaration that was reported already.
    private func mentionsBrokenName(_ text: ParsedText) -> Bool {
        guard !brokenNames.isEmpty else { return false }
        let words = text.value.unicodeScalars.split { !$0.properties.isXIDContinue }
        return words.contains { brokenNames.contains(String($0)) }
    }

    /// Whether the wrong part starts with one of the parameters.
    private static func starts(
        _ mistake: ExpressionDiagnostic, with parameters: Set<String>, in text: ParsedText
    ) -> Bool {
        guard !parameters.isEmpty else { return false }
        let rest = text.value.utf8.dropFirst(mistake.offset)
        guard rest.first == UInt8(ascii: "$") else { return false }
        let name = String(Substring(rest.dropFirst())).unicodeScalars
            .prefix { $0.properties.isXIDContinue }
        return parameters.contains(String(name))
    }
}
