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
                    .duplicateName, "The same constraint stands above", at: written,
                    inXcode: "it is made once")
            } else if !properties.isEmpty, isWhole || !parsed.isOfXcode {
                // Fewer properties would be unique in fewer objects.
                constraints.append(constraint)
                continue
            }
            leftOut.insert(element.offset)
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
    package var isBlank: Bool { value.utf8.allSatisfy { " \t\r\n".utf8.contains($0) } }
}
