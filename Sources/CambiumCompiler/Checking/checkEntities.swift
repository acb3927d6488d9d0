import CambiumModel

extension ModelChecker {
    /// Makes the entities with their properties. Constraints follow when all entities are known.
    func checkEntities() -> [EntityDraft] {
        var seen: [String: String] = [:]
        var drafts: [EntityDraft] = []
        for element in parsed.root.children(named: "entity") {
            guard let name = element["name"], checkIdentifier(name),
                checkDuplicate(name, among: &seen, "an entity")
            else { continue }
            if name.value.lowercased().hasPrefix("sqlite_") {
                report(
                    .reservedName, "Names that start with 'sqlite_' belong to SQLite", at: name,
                    notes: ["Choose a name that starts with something else"])
            }
            drafts.append(checkEntity(element, named: name.value))
        }
        checkParents(of: drafts)
        return drafts
    }

    private func checkEntity(_ element: ParsedElement, named name: String) -> EntityDraft {
        let draft = EntityDraft(name: name, element: element)
        draft.codeGeneration =
            word("codegen", of: element, from: CodeGeneration.self) ?? .fullClass
        draft.className = checkClassName(
            of: element, named: name, hasKeys: draft.codeGeneration != .none)
        draft.hashModifier = element["hashModifier"]?.value
        draft.userInfo = userInfo(of: element)
        draft.isAbstract = flag("abstract", of: element)
        draft.hasCustomValidation = isSet("validate", of: element)
        draft.renamedFrom = renamedFrom(element, Subject(entity: name))
        var seen: [String: String] = [:]
        for (index, child) in element.children.enumerated()
        where Self.properties.contains(child.name) {
            guard let property = child["name"],
                checkName(property, isTaken: ReservedNames.properties, of: "a member"),
                checkDuplicate(
                    property, among: &seen, "a property", isCaseSensitive: parsed.isOfXcode)
            else { continue }
            if ReservedNames.properties.contains(property.value) {
                let swiftName = ReservedNames.memberName(property.value)
                seen[parsed.isOfXcode ? swiftName : swiftName.lowercased()] = swiftName
            }
            draft.declare(property.value, asChild: index)
            if !checkProperty(child, named: property.value, of: draft),
                !excluded.contains(child.offset)
            {
                brokenNames.insert(property.value)
            }
        }
        return draft
    }

    private static let properties: Set<String> = [
        "attribute", "derived", "relationship", "fetched",
    ]

    /// Adds a property, or returns false if it cannot be used. Fetched properties follow when all
    /// entities are known.
    private func checkProperty(
        _ element: ParsedElement, named name: String, of draft: EntityDraft
    ) -> Bool {
        let subject = Subject(entity: draft.name, property: name)
        switch element.name {
        case "attribute":
            if let composite = element["type"].flatMap({ compositesByName[$0.value] }) {
                guard let parts = checkCompositeAttribute(element, subject, composite) else {
                    return false
                }
                draft.attributes += parts.attributes
                draft.compositeAttributes += parts.compositeAttributes
                return true
            }
            guard let attribute = checkAttribute(element, subject) else { return false }
            draft.attributes.append(attribute)
        case "derived":
            guard let attribute = checkDerived(element, subject) else { return false }
            draft.attributes.append(attribute)
        case "relationship":
            guard let relationship = checkRelationship(element, subject) else { return false }
            draft.relationships.append(relationship)
        default:
            break
        }
        return true
    }

    /// The name of the Swift class. If a model of Xcode has an invalid class name, the entity's own
    /// name is used, or one with underscores.
    private func checkClassName(
        of element: ParsedElement, named name: String, hasKeys: Bool
    ) -> String {
        guard let written = element["class"] ?? element["name"] else { return name }
        guard parsed.isOfXcode else {
            if checkName(written, isTaken: ReservedNames.types, of: "a type") {
                _ = takeTypeName(written, of: "entity", named: name, hasKeys: hasKeys)
            }
            return written.value
        }
        var className = written.value
        var fallback = name
        while !isFree(forClass: className) {
            className = fallback
            fallback += "_"
        }
        let chosen = ParsedAttribute(name: "class", value: className, from: written, at: 0)
        _ = takeTypeName(chosen, of: "entity", named: name, hasKeys: hasKeys)
        if className != written.value {
            report(
                .renamedInSwift,
                "'\(written.value)' cannot be the name of a class here; it is '\(className)'",
                at: written, notes: ["Another class name in Xcode's inspector is kept as it is"])
        }
        return className
    }

    private func isFree(forClass name: String) -> Bool {
        Vocabulary.isIdentifier(name) && !ReservedNames.types.contains(name)
            && typeNames.isFree(forClass: name)
    }

    /// The name in the version before, declared here or in the migration.
    func renamedFrom(_ element: ParsedElement, _ subject: Subject) -> String? {
        let declared = renames.removeValue(forKey: subject)
        guard let written = element["renamedFrom"] else { return declared }
        // If several have the same Renaming ID, the migration decides.
        let owner = subject.property == nil ? nil : subject.entity
        if parsed.isOfXcode, declared == nil,
            renamedByMigration[owner]?.contains(written.value) == true
        {
            return nil
        }
        if let declared, declared != written.value {
            report(
                .duplicateName,
                "The migration renames '\(subject.property ?? subject.entity)' from '\(declared)'",
                at: written, notes: ["Declare it in one place"])
        }
        return written.value
    }

    /// Removes parents that do not exist or that make a circle.
    private func checkParents(of drafts: [EntityDraft]) {
        let names = Set(drafts.map { $0.name })
        var parents: [String: String] = [:]
        for draft in drafts {
            guard let parent = draft.element["parent"] else { continue }
            if names.contains(parent.value) {
                parents[draft.name] = parent.value
                continue
            }
            let isReported = brokenNames.contains(parent.value)
            if isReported || !parsed.isOfXcode { incompleteEntities.insert(draft.name) }
            if isReported { continue }
            report(
                .unknownEntity, "There is no entity '\(parent.value)'", at: parent,
                notes: hint(parent.value, among: names.ordered(by: <)),
                inXcode: "'\(draft.name)' has no parent here")
        }
        var depths: [String: Int] = [:]
        for index in drafts.indices {
            let name = drafts[index].name
            guard let parent = parents[name], let written = drafts[index].element["parent"] else {
                continue
            }
            switch depth(of: name, parents, &depths) {
            case nil:
                report(.inheritanceCycle, "'\(name)' inherits from itself", at: written)
            case let depth? where depth > 0 && depth % (Self.maximumDepth + 1) == 0:
                // Descendants of this entity are not reported as well.
                if depth == Self.maximumDepth + 1 {
                    report(
                        .limitExceeded,
                        "A hierarchy may not be deeper than \(Self.maximumDepth) levels",
                        at: written)
                }
            default:
                drafts[index].parent = parent
                continue
            }
            incompleteEntities.insert(name)
        }
        guard !incompleteEntities.isEmpty else { return }
        for draft in drafts {
            var chain: Set<String> = [draft.name]
            var current = draft.name
            while let parent = parents[current], chain.insert(parent).inserted { current = parent }
            if !chain.isDisjoint(with: incompleteEntities) { incompleteEntities.insert(draft.name) }
        }
    }

    private static let maximumDepth = 100

    /// The number of ancestors of an entity, or nil if the entity is its own ancestor. If only an
    /// ancestor is in a circle, the ancestors up to the circle count.
    private func depth(
        of name: String, _ parents: [String: String], _ depths: inout [String: Int]
    ) -> Int? {
        var chain: [String] = []
        var positions: [String: Int] = [:]
        var current: String? = name
        while let next = current, depths[next] == nil {
            if let start = positions[next] {
                // All from there on are on the circle: marked by a depth that none has.
                for member in chain[start...] { depths[member] = -1 }
                break
            }
            positions[next] = chain.count
            chain.append(next)
            current = parents[next]
        }
        for member in chain.reversed() where depths[member] == nil {
            depths[member] = parents[member].map { max(depths[$0] ?? 0, 0) + 1 } ?? 0
        }
        return depths[name].flatMap { $0 < 0 ? nil : $0 }
    }
}

extension ModelChecker {
    /// Reports properties that an ancestor declares too.
    ///
    /// In a model of Xcode, a second declaration of the same value is ignored: the ancestor's
    /// declaration counts. In these models, names that differ only in case are different.
    func checkShadowing(of drafts: [EntityDraft]) {
        guard drafts.contains(where: { $0.parent != nil }) else { return }
        let byName = drafts.byName
        let isFolded = !parsed.isOfXcode
        func folded(_ name: String) -> String { isFolded ? name.lowercased() : name }
        let names = byName.mapValues { Set($0.declarations.keys.map(folded)) }
        // They are removed at the end, because a property may be declared again in several
        // descendants.
        var repeated: [(draft: EntityDraft, property: String)] = []
        for draft in drafts where draft.parent != nil {
            for property in draft.declarations.keys.ordered(by: <) {
                guard let name = draft.declaration(of: property)?["name"],
                    let owner = ancestors(of: draft, byName).first(where: {
                        names[$0.name]?.contains(folded(property)) ?? false
                    })
                else { continue }
                let message =
                    "'\(property)' is inherited from '\(owner.name)' and cannot be declared again"
                let isSame = draft.storesTheSame(property, as: owner)
                report(
                    .shadowedProperty, message, at: name,
                    inXcode: isSame ? "the declaration of '\(owner.name)' is used" : nil)
                if isSame, parsed.isOfXcode { repeated.append((draft, property)) }
            }
        }
        for (draft, property) in repeated { draft.remove(property) }
    }

    private func ancestors(
        of draft: EntityDraft, _ byName: [String: EntityDraft]
    ) -> [EntityDraft] {
        var ancestors: [EntityDraft] = []
        var parent = draft.parent
        while let ancestor = parent.flatMap({ byName[$0] }) {
            ancestors.append(ancestor)
            parent = ancestor.parent
        }
        return ancestors
    }
}

extension EntityDraft {
    /// Whether a property of another entity accepts all values of the property of this entity.
    fileprivate func storesTheSame(_ property: String, as other: EntityDraft) -> Bool {
        if let attribute = attributes.first(where: { $0.name == property }) {
            let inherited = other.attributes.first { $0.name == property }
            return inherited.map {
                $0.type == attribute.type && $0.isTransient == attribute.isTransient
                    && ($0.derivation == nil) == (attribute.derivation == nil)
                    && ($0.isOptional || !attribute.isOptional)
            } ?? false
        }
        if let relationship = relationships.first(where: { $0.name == property }) {
            let inherited = other.relationships.first { $0.name == property }
            return inherited.map {
                $0.destination == relationship.destination && $0.inverse == relationship.inverse
                    && $0.isToMany == relationship.isToMany
                    && $0.isTransient == relationship.isTransient
            } ?? false
        }
        return false
    }
}

extension ModelChecker {
    /// Makes the configurations.
    ///
    /// A hierarchy has one table, and a link references a row of the same store. Therefore the
    /// entities of a hierarchy, and both ends of a relationship, must be in the same
    /// configurations. If one configuration contains everything, the others are only selections.
    func checkConfigurations(in model: Model) -> [Configuration] {
        var seen: [String: String] = [:]
        var configurations: [(configuration: Configuration, written: ParsedAttribute)] = []
        for element in parsed.root.children(named: "configuration") {
            guard let name = element["name"], let written = element["entities"] else { continue }
            if name.text.isBlank {
                report(
                    .notAnIdentifier, "A configuration needs a name", at: name,
                    inXcode: "it is left out")
                continue
            }
            let isNew = checkDuplicate(
                name, among: &seen, "a configuration", isCaseSensitive: parsed.isOfXcode,
                inXcode: "it is left out")
            guard isNew else { continue }
            let configuration = Configuration(
                name: name.value, entities: checkMembers(written, in: model),
                userInfo: userInfo(of: element))
            configurations.append((configuration, written))
        }
        let all = model.entities.count
        if !configurations.contains(where: { $0.configuration.entities.count == all }) {
            for (configuration, written) in configurations {
                checkBorders(of: configuration, written, in: model)
            }
        }
        return configurations.map { $0.configuration }
    }

    private func checkMembers(_ written: ParsedAttribute, in model: Model) -> [String] {
        var members: [String] = []
        var seen: Set<String> = []
        for word in WordList(written.value).words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            if model.entity(named: word.text) == nil {
                if !declaredEntities.contains(word.text), !brokenNames.contains(word.text) {
                    report(
                        .unknownEntity, "There is no entity '\(word.text)'", at: offset,
                        notes: hint(word.text, among: declaredEntities.ordered(by: <)),
                        inXcode: "it is left out")
                }
            } else if seen.insert(word.text).inserted {
                members.append(word.text)
            } else {
                report(
                    .duplicateName, "'\(word.text)' is in the list twice", at: offset,
                    inXcode: "the second one is ignored")
            }
        }
        return members
    }

    private func checkBorders(
        of configuration: Configuration, _ written: ParsedAttribute, in model: Model
    ) {
        let members = Set(configuration.entities)
        let code: DiagnosticCode =
            parsed.isOfXcode ? .separatedInXcode : .separatedEntities
        for name in configuration.entities {
            guard let entity = model.entity(named: name) else { continue }
            let missing = entity.parent.flatMap { members.contains($0) ? nil : $0 }
            if let missing {
                report(
                    code,
                    "'\(configuration.name)' contains '\(name)', but not its parent '\(missing)'",
                    at: written, notes: ["A hierarchy has one table, so it is in one store"])
            }
            for relationship in entity.relationships
            where !members.contains(relationship.destination) && !relationship.isTransient {
                report(
                    code,
                    """
                    '\(configuration.name)' contains '\(name)', but not \
                    '\(relationship.destination)', which '\(relationship.name)' references
                    """,
                    at: written,
                    notes: [
                        "Links stay within a store; a fetched property can look into another one"
                    ])
            }
        }
    }
}
