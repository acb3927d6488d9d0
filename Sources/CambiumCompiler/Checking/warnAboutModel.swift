import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

extension ModelChecker {
    /// Warns about valid but harmful declarations. Only a model without errors is examined.
    ///
    /// A warning belongs here if it is nearly always right: authors who intend such a declaration
    /// should be rare.
    func warn(about model: Model, _ drafts: [EntityDraft]) {
        for (entity, draft) in zip(model.entities, drafts) {
            warnAboutShape(of: entity, draft, in: model)
            warnAboutAttributes(of: entity, draft, in: model)
            warnAboutDeletes(of: entity, draft, in: model)
            warnAboutIndexes(of: entity, draft, in: model)
            if engine == .postgres { warnAboutEntries(of: entity, draft, in: model) }
            warnAboutFloatingUniques(of: entity, draft, in: model)
            warnAboutConditions(of: entity, draft, in: model)
            warnAboutPatterns(of: entity, draft)
        }
        warnAboutUnusedTypes(of: model)
    }

    private func warnAboutShape(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        let isChildless = !model.hasSubentities(entity)
        if entity.isAbstract, isChildless {
            report(
                .childlessAbstract,
                "'\(entity.name)' is abstract and nothing inherits from it, so it has no objects",
                at: (draft.element["abstract"]?.offset) ?? draft.element.offset,
                notes: [wording.remove("abstract", "true") + ", or remove the entity"])
        } else if isChildless, entity.attributes.isEmpty, entity.relationships.isEmpty,
            model.attributes(of: entity).isEmpty, model.relationships(of: entity).isEmpty
        {
            report(
                .emptyEntity, "'\(entity.name)' has nothing to store", at: draft.element.offset,
                notes: ["Declare an attribute or a relationship"])
        }
    }

    /// Enumerations and composites that nothing has as its type.
    private func warnAboutUnusedTypes(of model: Model) {
        let declared = parsed.root.children.filter { ["enum", "composite"].contains($0.name) }
        guard !declared.isEmpty else { return }
        var used: Set<String> = []
        let attributes = model.entities.flatMap { $0.attributes }
        for attribute in attributes + model.composites.flatMap({ $0.attributes }) {
            if case .enumeration(let name) = attribute.type { used.insert(name) }
        }
        for parameter in model.entities.flatMap({ $0.fetchTemplates.flatMap { $0.parameters } }) {
            if case .enumeration(let name) = parameter.type { used.insert(name) }
        }
        for composite in model.entities.flatMap({ $0.compositeAttributes })
            + model.composites.flatMap({ $0.compositeAttributes })
        {
            used.insert(composite.composite)
        }
        for element in declared {
            guard let name = element["name"], !used.contains(name.value) else { continue }
            report(
                .unusedType, "No attribute has the type '\(name.value)'", at: name,
                notes: [
                    parsed.format == .xcode
                        ? "Remove it, or give an attribute that type"
                        : "Remove it, or write type=\"\(name.value)\" at an attribute"
                ])
        }
    }
}

extension ModelChecker {
    func warnAboutAttributes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        warnAboutNames(of: entity, draft, in: model)
        for attribute in entity.attributes {
            guard let element = draft.declaration(of: attribute.name) else { continue }
            warnAboutLength(of: model.column(of: attribute.name, in: entity), "column", element)
            // The limits of a composite are reported at the composite.
            guard !attribute.isPart else { continue }
            warnAboutLimits(of: attribute, element)
            if let derivation = attribute.derivation {
                warnAboutDistance(of: derivation, attribute, element, entity, in: model)
            } else if attribute.isOptional, attribute.type == .bool,
                let optional = element["optional"]
            {
                report(
                    .optionalBool, "An optional bool has three values, which is seldom meant",
                    at: optional.offset, notes: ["An enumeration can name the three"])
            }
        }
    }

    private func warnAboutLimits(of attribute: Attribute, _ element: ParsedElement) {
        let limits = attribute.limits
        if let minimum = limits.minimum, minimum == limits.maximum, let written = element["min"] {
            report(
                .fixedValue,
                """
                \(wording.name("min")) and \(wording.name("max")) leave \
                '\(attribute.name)' a single value
                """,
                at: written.offset, notes: ["Widen them, or leave the attribute out"])
        }
        if limits.maximumLength == 0, let written = element["maxLength"] {
            report(
                .fixedValue,
                "\(wording.name("maxLength")) leaves '\(attribute.name)' only the empty value",
                at: written.offset, notes: ["Widen it, or leave the attribute out"])
        }
        if attribute.isExternal, let length = limits.maximumLength, length <= Self.smallLength,
            let written = element["storage"]
        {
            report(
                .smallExternalData,
                "Data of at most \(length) bytes is faster in the row than in a file of its own",
                at: written.offset, notes: [wording.remove("storage", "external")])
        }
    }

    /// Up to here a row beats a file by far.
    private static let smallLength = 16_384

    /// Warns about the names of the entity's own table, and of the columns and tables of its
    /// relationships.
    private func warnAboutNames(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        if entity.parent == nil { warnAboutLength(of: entity.name, "table", draft.element) }
        for relationship in entity.relationships {
            guard let element = draft.declaration(of: relationship.name) else { continue }
            switch model.storage(of: relationship, of: entity) {
            case .key(let column, let entityColumn):
                warnAboutLength(of: entityColumn ?? column, "column", element)
            case .joinTable(let name, "_source", _): warnAboutLength(of: name, "table", element)
            case .joinTable, .inverseKey, .transient: break
            }
        }
    }

    /// PostgreSQL does not take longer names, and people cannot read them.
    @inline(never)
    private func warnAboutLength(
        of stored: String, _ kind: String, _ element: ParsedElement
    ) {
        guard stored.utf8.count > 63, let name = element["name"] else { return }
        report(
            .longName, "The \(kind) '\(stored)' has a name of more than 63 bytes", at: name,
            notes: [
                "Choose a shorter name. Some databases and tools cut it off; a store on "
                    + "PostgreSQL calls it \(PostgresName.identifier(stored))"
            ])
    }

    /// A derived attribute that looks beyond its neighbours is computed again after changes of many
    /// other objects.
    private func warnAboutDistance(
        of derivation: ModelExpression, _ attribute: Attribute, _ element: ParsedElement,
        _ entity: Entity, in model: Model
    ) {
        var isDistant = false
        derivation.visit { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return }
            var owner: Entity? = entity
            var steps = 0
            for name in names {
                guard let relationship = owner.flatMap({ model.relationship(name, of: $0) }) else {
                    break
                }
                steps += 1
                owner = model.entity(named: relationship.destination)
            }
            if steps > 1 { isDistant = true }
        }
        guard isDistant, let written = element["expression"] else { return }
        report(
            .distantDerivation,
            """
            '\(attribute.name)' looks further than one relationship away, so every save of \
            an object there searches for the objects to update
            """,
            at: written,
            notes: ["Derive an attribute halfway there, and this one from it"])
    }
}

extension ModelChecker {
    /// Delete rules that delete too much, or never let anything go.
    func warnAboutDeletes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        for relationship in entity.relationships {
            guard let element = draft.declaration(of: relationship.name) else { continue }
            let offset = (element["onDelete"] ?? element["name"])?.offset ?? element.offset
            switch relationship.deleteRule {
            case .nullify: break
            case .cascade: warnAboutCascade(of: relationship, entity, in: model, at: offset)
            case .deny: warnAboutDeny(of: relationship, entity, at: offset)
            }
            if relationship.isToMany, relationship.maximumCount == 1, let written = element["max"] {
                report(
                    .singularToMany, "A to-many relationship to at most one object is a to-one",
                    at: written.offset, notes: [wording.remove("many", "true")])
            }
        }
    }

    private func warnAboutCascade(
        of relationship: Relationship, _ entity: Entity, in model: Model, at offset: Int
    ) {
        guard let destination = model.entity(named: relationship.destination),
            let inverse = relationship.inverse.flatMap({ model.relationship($0, of: destination) })
        else { return }
        if inverse.deleteRule == .cascade {
            // Two objects of a one-to-one relationship may delete each other.
            guard relationship.isToMany || inverse.isToMany,
                (entity.name, relationship.name) <= (destination.name, inverse.name)
            else { return }
            report(
                .cascadeBothWays,
                """
                Both ends of '\(relationship.name)' cascade: deleting one object deletes \
                everything that is connected
                """,
                at: offset,
                notes: [
                    "\(wording.write(("onDelete", "nullify"), ("onDelete", "deny"))) at one end"
                ])
        } else if inverse.isToMany {
            report(
                .cascadeIntoShared,
                """
                Deleting a '\(entity.name)' deletes its '\(destination.name)', which others \
                reference too
                """,
                at: offset,
                notes: [
                    wording.write(("onDelete", "nullify"))
                        + "; deleting unused ones is the program's choice"
                ])
        }
    }

    private func warnAboutDeny(
        of relationship: Relationship, _ entity: Entity, at offset: Int
    ) {
        let isNeverEmpty =
            relationship.isToMany
            ? relationship.minimumCount ?? 0 > 0 : !relationship.isOptional
        guard isNeverEmpty else { return }
        report(
            .denyForever,
            "'\(relationship.name)' is never empty, so a '\(entity.name)' can never be deleted",
            at: offset,
            notes: [
                wording.write(("onDelete", "nullify")) + ", or make the relationship optional"
            ])
    }
}

extension ModelChecker {
    /// Indexes that cost and do not help, and constraints that constrain less than it seems.
    func warnAboutIndexes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        for (index, element) in zip(entity.indexes, kept("index", of: draft)) {
            let offset = (element["by"] ?? element["name"])?.offset ?? element.offset
            if let other = cover(of: index, entity, in: model) {
                report(
                    .coveredIndex, "\(other) finds everything that this index finds", at: offset,
                    notes: ["Remove the index: each one makes saving slower"])
            } else if let reason = uselessness(of: index, entity, in: model) {
                report(.uselessIndex, reason, at: offset, notes: ["Remove the index"])
            }
        }
        for (constraint, element) in zip(entity.uniqueConstraints, kept("unique", of: draft)) {
            guard let written = element["by"] else { continue }
            let opaque = constraint.properties.first { name in
                model.attribute(name, of: entity)?.type.isCodable ?? false
            }
            if let opaque {
                report(
                    .leakyConstraint,
                    "Values of '\(opaque)' are equal only if their stored forms are equal",
                    at: written,
                    notes: ["Name an attribute that identifies them"])
            }
            // If this property has a unique constraint of its own, the intention is clear.
            guard constraint.properties.count > 1,
                let name = constraint.properties.first(where: {
                    isOptional($0, of: entity, in: model)
                })
            else { continue }
            report(
                .leakyConstraint,
                "Objects without '\(name)' are never equal, whatever else they share",
                at: written, notes: ["Make '\(name)' required, or leave it out"])
        }
    }

    /// Warns about values that are too long for PostgreSQL: an entry of an index has a maximum
    /// size.
    private func warnAboutEntries(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        let uniques = zip(entity.uniqueConstraints, kept("unique", of: draft)).map {
            ($0.properties, $1)
        }
        let indexes = zip(entity.indexes, kept("index", of: draft)).compactMap { index, element in
            model.isMadeByPostgres(index, of: entity)
                ? (index.elements.flatMap { properties(of: $0, entity, in: model) }, element) : nil
        }
        for (names, element) in uniques + indexes {
            let lengths = names.map { name in
                model.attribute(name, of: entity).map { ($0, greatestLength(of: $0)) }
            }
            guard let written = element["by"],
                let (attribute, _) = lengths.compactMap({ $0 }).max(by: {
                    ($0.1 ?? .max) < ($1.1 ?? .max)
                }),
                lengths.reduce(0, { $0 + ($1.map { $0.1 ?? Self.greatestEntry } ?? 8) })
                    >= Self.greatestEntry
            else { continue }
            report(
                .unlimitedIndex,
                """
                On PostgreSQL an entry of an index has at most 2,704 bytes, and values of \
                '\(attribute.name)' may have more
                """, at: written,
                notes: [
                    """
                    Give it a \(wording.name("maxLength")): a character may take 4 bytes. Or leave \
                    it out of the index
                    """
                ])
        }
    }

    /// The properties with values, or parts of them, in an entry.
    private func properties(
        of element: IndexElement, _ entity: Entity, in model: Model
    ) -> [String] {
        guard let expression = element.expression else { return [element.property] }
        let typed = try? ExpressionCompiler.typedValue(expression, entity: entity, model: model)
        // Other values than texts and data have a length of their own.
        guard let type = typed?.type, type == .string || type == .uri || type == .data else {
            return []
        }
        return DerivationSources(of: expression, entity: entity, in: model).nodes
            .flatMap(\.properties).sorted()
    }

    /// The part of the 2,704 bytes that is available for values.
    private static let greatestEntry = 2_680

    /// The greatest number of bytes of a value; nil if there is no limit.
    private func greatestLength(of attribute: Attribute) -> Int? {
        switch attribute.type {
        case .string, .uri: attribute.limits.maximumLength.map { $0 * 4 }
        case .data: attribute.isExternal ? nil : attribute.limits.maximumLength
        case .codable: nil
        default: 32
        }
    }

    private func isOptional(_ name: String, of entity: Entity, in model: Model) -> Bool {
        model.attribute(name, of: entity)?.isOptional
            ?? model.relationship(name, of: entity)?.isOptional ?? false
    }

    /// The reason that an index is unnecessary, or nil.
    private func cover(of index: Index, _ entity: Entity, in model: Model) -> String? {
        if index.condition == nil, index.elements.count == 1,
            model.relationship(index.elements[0].property, of: entity) != nil
        {
            return "The store's own index of each to-one relationship"
        }
        let isCovered = entity.indexes.contains { other in
            other.elements.count > index.elements.count && other.condition == index.condition
                && Self.starts(other.elements, with: index.elements)
        }
        if isCovered { return "A longer index of the entity" }
        // The index of a sub-entity's constraint holds only its own rows, as the other does.
        let isUnique = entity.uniqueConstraints.contains { constraint in
            index.condition == nil
                && Self.starts(
                    constraint.properties.map { IndexElement(property: $0) }, with: index.elements)
        }
        return isUnique ? "The index of a uniqueness constraint" : nil
    }

    /// Whether one list starts with the other, read forwards or backwards.
    private static func starts(_ list: [IndexElement], with other: [IndexElement]) -> Bool {
        guard list.count >= other.count else { return false }
        let pairs = zip(list, other)
        guard
            pairs.allSatisfy({
                $0.0.property == $0.1.property && $0.0.expression == $0.1.expression
            })
        else { return false }
        return pairs.allSatisfy { $0.0.isDescending == $0.1.isDescending }
            || pairs.allSatisfy { $0.0.isDescending != $0.1.isDescending }
    }

    private func uselessness(of index: Index, _ entity: Entity, in model: Model) -> String? {
        for element in index.elements {
            guard let attribute = model.attribute(element.property, of: entity) else { continue }
            if attribute.type.isCodable {
                return "Nothing can be found by '\(attribute.name)', whose stored form is opaque"
            }
        }
        if index.elements.count == 1, index.condition == nil,
            model.attribute(index.elements[0].property, of: entity)?.type == .bool
        {
            return "An index over a bool alone still finds about half of all rows"
        }
        return nil
    }
}
