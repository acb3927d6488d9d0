import CambiumModel

extension ModelChecker {
    /// Adds uniqueness, indexes, rules and fetch templates to an entity.
    mutating func checkConstraints(of draft: EntityDraft, in model: Model) -> Entity {
        guard let entity = model.entity(named: draft.name) else { return draft.entity() }
        return draft.entity(
            uniqueConstraints: checkUniqueConstraints(of: draft, entity, in: model),
            indexes: checkIndexes(of: draft, entity, in: model),
            rules: checkRules(of: draft, entity, in: model),
            fetchTemplates: checkFetchTemplates(of: draft, entity, in: model))
    }

    private mutating func checkUniqueConstraints(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [UniqueConstraint] {
        var constraints: [UniqueConstraint] = []
        for element in draft.element.children(named: "unique") {
            guard let written = element["by"] else { continue }
            let elements = checkList(written, of: entity, in: model, allowsOrder: false)
            let constraint = UniqueConstraint(properties: elements.map(\.property))
            if constraints.contains(constraint) {
                report(.duplicateName, "The same constraint stands above", at: written)
            } else if !elements.isEmpty {
                constraints.append(constraint)
            }
        }
        return constraints
    }

    private mutating func checkIndexes(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [Index] {
        var indexes: [Index] = []
        for element in draft.element.children(named: "index") {
            guard let written = element["by"] else { continue }
            let elements = checkList(written, of: entity, in: model)
            let condition = element["where"].flatMap {
                checkCondition($0.text, of: entity, in: model)
            }
            let index = Index(elements: elements, condition: condition)
            if indexes.contains(index) {
                report(.duplicateName, "The same index stands above", at: written)
            } else if !elements.isEmpty {
                indexes.append(index)
            }
        }
        return indexes
    }

    private mutating func checkRules(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [Rule] {
        var seen: [String: String] = [:]
        var rules: [Rule] = []
        for element in draft.element.children(named: "rule") {
            guard let name = element["name"], checkName(name, isTaken: [], of: "a rule"),
                checkDuplicate(name, among: &seen, "a rule")
            else { continue }
            guard !element.text.isBlank else {
                report(
                    .invalidExpression, "The rule '\(name.value)' has no condition",
                    at: element.offset, notes: ["Write it between <rule …> and </rule>"])
                continue
            }
            guard let condition = checkCondition(element.text, of: entity, in: model) else {
                continue
            }
            rules.append(
                Rule(name: name.value, message: element["message"]?.value, condition: condition))
        }
        return rules
    }

    private mutating func checkFetchTemplates(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [FetchTemplate] {
        var seen: [String: String] = [:]
        var templates: [FetchTemplate] = []
        let inherited = model.lineage(of: entity).dropLast().flatMap { ancestor in
            parsed.root.children(named: "entity").filter { $0["name"]?.value == ancestor.name }
                .flatMap { $0.children(named: "fetch") }.compactMap { $0["name"]?.value }
        }
        for name in inherited { seen[name.lowercased()] = name }
        // A template becomes a static function beside the static property keys.
        for name in model.attributes(of: entity).map(\.name)
            + model.relationships(of: entity).map(\.name)
        {
            seen[name.lowercased()] = name
        }
        for element in draft.element.children(named: "fetch") {
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.members, of: "a member"),
                checkDuplicate(name, among: &seen, "a property or request")
            else { continue }
            let parameters = checkParameters(of: element)
            let sort = element["sort"].map { checkList($0, of: entity, in: model) } ?? []
            let condition =
                element.text.isBlank
                ? nil : checkCondition(element.text, of: entity, in: model, parameters)
            templates.append(
                FetchTemplate(
                    name: name.value, parameters: parameters, condition: condition, sort: sort))
        }
        return templates
    }

    private mutating func checkParameters(of element: ParsedElement) -> [FetchParameter] {
        var seen: [String: String] = [:]
        return element.children(named: "parameter").compactMap { item in
            guard let name = item["name"], let written = item["type"],
                checkName(name, isTaken: [], of: "a parameter"),
                checkDuplicate(name, among: &seen, "a parameter")
            else { return nil }
            guard let type = type(written) else {
                brokenNames.insert(name.value)
                return nil
            }
            return FetchParameter(name: name.value, type: type)
        }
    }

    // MARK: Lists of properties

    /// The properties of a list; those that cannot be in it are reported and left out.
    private mutating func checkList(
        _ written: ParsedAttribute, of entity: Entity, in model: Model, allowsOrder: Bool = true
    ) -> [IndexElement] {
        var seen: Set<String> = []
        var elements: [IndexElement] = []
        for entry in PropertyList(written.value).entries {
            let offset = written.text.sourceOffset(of: entry.offset, in: parsed.source)
            guard checkEntry(entry, of: entity, in: model, at: offset) else { continue }
            let orders = allowsOrder ? ["ascending", "descending"] : []
            for (index, word) in entry.modifiers.enumerated()
            where index > 0 || !orders.contains(word) {
                report(
                    .invalidWord, "'\(word)' means nothing here", at: offset,
                    notes: allowsOrder ? hint(word, among: orders) : [])
            }
            guard seen.insert(entry.name).inserted else {
                report(.duplicateName, "'\(entry.name)' stands twice in the list", at: offset)
                continue
            }
            elements.append(
                IndexElement(
                    property: entry.name, isDescending: entry.modifiers.first == "descending"))
        }
        return elements
    }

    private mutating func checkEntry(
        _ entry: PropertyList.Entry, of entity: Entity, in model: Model, at offset: Int
    ) -> Bool {
        if let attribute = model.attribute(entry.name, of: entity) {
            guard attribute.isTransient else { return true }
            report(
                .unsuitableProperty, "'\(entry.name)' is transient: it is not in the store",
                at: offset)
            return false
        }
        if let relationship = model.relationship(entry.name, of: entity) {
            if case .key = model.storage(of: relationship, of: entity) { return true }
            report(
                .unsuitableProperty,
                relationship.isToMany
                    ? "'\(entry.name)' leads to many objects"
                    : "The link of '\(entry.name)' is kept at the other end", at: offset)
            return false
        }
        if brokenNames.contains(entry.name) { return false }
        if entry.name.isEmpty {
            report(.unknownProperty, "A property's name is missing", at: offset)
        } else if entry.name.contains(".") {
            report(
                .notSupportedYet, "The path '\(entry.name)' is not supported here yet", at: offset)
        } else {
            let names =
                model.attributes(of: entity).map(\.name)
                + model.relationships(of: entity).map(\.name)
            report(
                .unknownProperty, "'\(entity.name)' has no property '\(entry.name)'", at: offset,
                notes: hint(entry.name, among: names))
        }
        return false
    }
}

extension ParsedText {
    /// Whether there is nothing but white space.
    var isBlank: Bool { value.utf8.allSatisfy { " \t\r\n".utf8.contains($0) } }
}
