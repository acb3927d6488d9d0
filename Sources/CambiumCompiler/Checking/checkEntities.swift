import CambiumModel

extension ModelChecker {
    /// Makes the entities with their properties; constraints follow when all of them are known.
    mutating func checkEntities() -> [EntityDraft] {
        let modelName = parsed.root["name"]?.value ?? ""
        var seen = [modelName.lowercased(): modelName]
        for enumeration in enumerations {
            seen[enumeration.name.lowercased()] = enumeration.name
        }
        var drafts: [EntityDraft] = []
        for element in parsed.root.children(named: "entity") {
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.types, of: "a type"),
                checkDuplicate(name, among: &seen, "a type")
            else { continue }
            if name.value.lowercased().hasPrefix("sqlite") {
                report(
                    .reservedName, "Names that start with 'sqlite' belong to SQLite", at: name)
            }
            drafts.append(checkEntity(element, named: name.value))
        }
        checkKeyProtocols(drafts)
        checkParents(of: &drafts)
        return drafts
    }

    private mutating func checkEntity(_ element: ParsedElement, named name: String) -> EntityDraft {
        var draft = EntityDraft(name: name, element: element)
        draft.isAbstract = flag("abstract", of: element)
        draft.codeGeneration =
            word("codegen", of: element, from: CodeGeneration.self) ?? .fullClass
        draft.hasCustomValidation = hasCustomValidation(element)
        draft.renamedFrom = renamedFrom(element, Subject(entity: name))
        var seen: [String: String] = [:]
        for child in element.children where ["attribute", "relationship"].contains(child.name) {
            guard let property = child["name"],
                checkName(property, isTaken: ReservedNames.members, of: "a member"),
                checkDuplicate(property, among: &seen, "a property")
            else { continue }
            draft.declarations[property.value] = child
            let subject = Subject(entity: name, property: property.value)
            if child.name == "attribute" {
                if let attribute = checkAttribute(child, subject) {
                    draft.attributes.append(attribute)
                } else {
                    brokenNames.insert(property.value)
                }
            } else if let relationship = checkRelationship(child, subject) {
                draft.relationships.append(relationship)
            } else {
                brokenNames.insert(property.value)
            }
        }
        return draft
    }

    /// The name in the version before, said here or in the migration.
    mutating func renamedFrom(_ element: ParsedElement, _ subject: Subject) -> String? {
        let declared = renames.removeValue(forKey: subject)
        guard let written = element["renamedFrom"] else { return declared }
        if let declared, declared != written.value {
            report(
                .duplicateName,
                "The migration renames '\(subject.property ?? subject.entity)' from '\(declared)'",
                at: written, notes: ["Say it in one place"])
        }
        return written.value
    }

    /// Generated code has a protocol `ProductKeys` beside `Product`.
    private mutating func checkKeyProtocols(_ drafts: [EntityDraft]) {
        let protocols = Dictionary(
            drafts.map { ("\($0.name)Keys", $0.name) }, uniquingKeysWith: { first, _ in first })
        for draft in drafts {
            if let other = protocols[draft.name], let name = draft.element["name"] {
                report(
                    .reservedName,
                    "'\(draft.name)' is the name of the keys of the entity '\(other)'", at: name)
            }
        }
    }

    /// Removes parents that do not exist or that make a circle.
    private mutating func checkParents(of drafts: inout [EntityDraft]) {
        let names = Set(drafts.map(\.name))
        var parents: [String: String] = [:]
        for draft in drafts {
            guard let parent = draft.element["parent"] else { continue }
            if names.contains(parent.value) {
                parents[draft.name] = parent.value
            } else if !brokenNames.contains(parent.value) {
                report(
                    .unknownEntity, "There is no entity '\(parent.value)'", at: parent,
                    notes: hint(parent.value, among: names.sorted()))
            }
        }
        for index in drafts.indices {
            let name = drafts[index].name
            guard let parent = parents[name] else { continue }
            if isOnCycle(name, parents), let written = drafts[index].element["parent"] {
                report(
                    .inheritanceCycle, "'\(name)' inherits from itself", at: written)
            } else {
                drafts[index].parent = parent
            }
        }
    }

    private func isOnCycle(_ name: String, _ parents: [String: String]) -> Bool {
        var visited: Set<String> = []
        var current = parents[name]
        while let next = current, visited.insert(next).inserted {
            if next == name { return true }
            current = parents[next]
        }
        return false
    }

    /// Reports properties that an ancestor declares too.
    mutating func checkShadowing(in model: Model, _ drafts: [EntityDraft]) {
        for draft in drafts {
            guard let parent = draft.parent.flatMap(model.entity(named:)) else { continue }
            let lineage = model.lineage(of: parent)
            for (property, declaration) in draft.declarations {
                guard let name = declaration["name"],
                    let owner = lineage.first(where: { ancestor in
                        let names =
                            ancestor.attributes.map(\.name) + ancestor.relationships.map(\.name)
                        return names.contains { $0.lowercased() == property.lowercased() }
                    })
                else { continue }
                report(
                    .shadowedProperty,
                    "'\(property)' is inherited from '\(owner.name)' and cannot be declared again",
                    at: name)
            }
        }
    }
}
