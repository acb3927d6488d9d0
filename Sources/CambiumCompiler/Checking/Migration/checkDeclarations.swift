import CambiumModel

extension DeclarationKind {
    /// Declarations about values that existing objects get, or are known to have.
    static let gains = [
        // A fill that looks at the old value gives it another one.
        Self(MigrationDeclaration.Fill.self, [.needsData, .lossy]) { [$0.checkFill($1, $2, $3)] },
        Self(MigrationDeclaration.Link.self, [.needsData]) { [$0.checkLink($1, $2, $3)] },
        Self(MigrationDeclaration.Requirement.self, [.needsData]) {
            [$0.checkRequirement($1, $2, $3)]
        },
    ]
}

extension ModelChecker {
    /// The value that existing objects get.
    func checkFill(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Fill? {
        guard let name = element["entity"], let property = element["attribute"],
            let with = element["with"]
        else { return nil }
        checkReason(element["reason"])
        guard let entity = model.entity(named: name.value),
            let attribute = model.attribute(property.value, of: entity)
        else {
            reportUnknown(name, property, in: model)
            return nil
        }
        guard !attribute.isTransient, attribute.derivation == nil else {
            report(
                .unsuitableProperty,
                attribute.isTransient
                    ? "'\(attribute.name)' is transient: it is not in the store"
                    : "'\(attribute.name)' is derived: it is computed again",
                at: property)
            return nil
        }
        let former = old.flatMap { old in
            formerEntity(of: entity, of: model, in: old).map { old.formerRow(of: $0, in: model) }
        }
        // A previous version with errors has been reported already.
        if old == nil, with.value.contains("$\(FillScope.former)") { return nil }
        guard
            let value = checkValue(with.text, of: entity, in: model, attribute, former: former)
        else { return nil }
        if case .literal(let constant) = value,
            let problem = self.problem(of: constant, with: attribute.limits)
        {
            report(
                .defaultBeyondLimits, "The fill \(with.value) is \(problem)", at: with)
            return nil
        }
        return .init(entity: entity.name, attribute: attribute.name, value: value)
    }

    /// The new destination of a to-one relationship.
    func checkLink(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Link? {
        guard let name = element["entity"], let written = element["relationship"],
            let condition = element["where"]
        else { return nil }
        checkReason(element["reason"])
        guard let relationship = checkToOne(written, of: name, in: model), let old,
            let entity = model.entity(named: name.value),
            let destination = model.entity(named: relationship.destination)
        else { return nil }
        // If the entity is new, its objects had the entities that now inherit from it.
        let formers = model.family(of: entity).compactMap {
            formerEntity(of: $0, of: model, in: old)
        }
        guard let source = formers.first,
            let found = formerEntity(of: destination, of: model, in: old)
        else {
            report(
                .unknownMigrationSubject,
                "Version \(old.version) has no objects that could be linked here", at: written)
            return nil
        }
        let tree = settle(condition.text) {
            ExpressionCompiler.fetchedCondition(
                $0, property: relationship.name, source: source, destination: found, model: old)
        }
        let order = element["sort"].map { checkOrder($0, of: found, in: old) } ?? []
        return tree.map {
            .init(
                entity: entity.name, relationship: relationship.name, condition: $0, order: order)
        }
    }

    /// A property that every object is known to have.
    func checkRequirement(
        _ element: ParsedElement, _ model: Model, _: Model?
    ) -> MigrationDeclaration.Requirement? {
        guard let name = element["entity"], let property = element["property"],
            let reason = element["reason"]
        else { return nil }
        checkReason(reason)
        guard let entity = model.entity(named: name.value),
            model.attribute(property.value, of: entity) != nil
                || model.relationship(property.value, of: entity) != nil
        else {
            reportUnknown(name, property, in: model)
            return nil
        }
        let isRequired =
            model.attribute(property.value, of: entity).map { !$0.isOptional && !$0.isTransient }
            ?? model.relationship(property.value, of: entity).map { !$0.isOptional && !$0.isToMany }
            ?? false
        guard isRequired else {
            report(
                .unsuitableProperty, "'\(property.value)' is not required", at: property)
            return nil
        }
        return .init(entity: name.value, property: property.value, reason: reason.value)
    }

    /// A stored to-one relationship of the new version, or nil if it is not one (and reported).
    func checkToOne(
        _ written: ParsedAttribute, of name: ParsedAttribute, in model: Model
    ) -> Relationship? {
        guard let owner = model.entity(named: name.value),
            let relationship = model.relationship(written.value, of: owner)
        else {
            reportUnknown(name, written, in: model)
            return nil
        }
        guard !relationship.isToMany, !relationship.isTransient else {
            report(
                .unknownMigrationSubject,
                relationship.isToMany
                    ? "'\(written.value)' is a to-many relationship: all its links stay"
                    : "'\(written.value)' is transient: it is not in the store", at: written)
            return nil
        }
        return relationship
    }

    /// An order of objects by attributes of their own.
    func checkOrder(
        _ written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [MigrationDeclaration.Order] {
        checkList(written, of: entity, in: model).compactMap { item in
            guard model.attribute(item.property, of: entity) != nil else {
                report(
                    .unsuitableProperty, "Objects are ordered by attributes of their own",
                    at: written)
                return nil
            }
            return .init(item.property, isDescending: item.isDescending)
        }
    }
}

extension DeclarationKind {
    /// Declarations about data that existing objects lose.
    static let losses = [
        Self(MigrationDeclaration.Drop.self, [.lossy], pairs: dropPairs) {
            $0.checkDrop($1, $2, $3)
        },
        // Declarations run in their order in the file.
        Self(MigrationDeclaration.Keep.self, [.lossy], numberedFrom: 1) {
            [$0.checkKeep($1, $2, $3)]
        },
        // A merge of duplicates may make other objects equal.
        Self(MigrationDeclaration.Deduplication.self, [.lossy], numberedFrom: 2) {
            [$0.checkDeduplication($1, $2, $3)]
        },
    ]
}

extension ModelChecker {
    /// An entity, a property or some objects with data that may be deleted.
    func checkDrop(
        _ element: ParsedElement, _: Model, _ old: Model?
    ) -> [MigrationDeclaration.Drop] {
        guard let entity = element["entity"], let reason = element["reason"],
            let old
        else { return [] }
        let property = element["property"]
        reportUnknown(entity, property, in: old)
        checkReason(reason)
        let owner = old.entity(named: entity.value)
        if let condition = element["where"] {
            guard property == nil else {
                report(
                    .inapplicable, "'where' and 'property' cannot be combined in <drop>",
                    at: condition, notes: ["Write two drops"])
                return []
            }
            guard let owner else { return [] }
            let tree = settle(condition.text) {
                ExpressionCompiler.condition($0, entity: owner, model: old)
            }
            return tree.map {
                [.init(entity: owner.name, condition: $0, reason: reason.value)]
            } ?? []
        }
        if let owner, let property,
            let composite = old.compositeAttribute(property.value, of: owner)
        {
            return old.attributes(of: owner).filter { composite.contains($0) }.map {
                .init(entity: entity.value, property: $0.name, reason: reason.value)
            }
        }
        return [.init(entity: entity.value, property: property?.value, reason: reason.value)]
    }

    /// The links to keep, if an object has several.
    func checkKeep(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Keep? {
        guard let entity = element["entity"], let name = element["relationship"],
            let reason = element["reason"]
        else { return nil }
        checkReason(reason)
        guard let relationship = checkToOne(name, of: entity, in: model) else { return nil }
        let destination = model.entity(named: relationship.destination)
        var order: [MigrationDeclaration.Order] = []
        if let sort = element["sort"], let old, let destination,
            let former = formerEntity(of: destination, of: model, in: old)
        {
            order = checkOrder(sort, of: former, in: old)
        }
        return .init(
            entity: entity.value, relationship: name.value, order: order, reason: reason.value)
    }

    /// The treatment of objects with the same unique values.
    func checkDeduplication(
        _ element: ParsedElement, _ model: Model, _: Model?
    ) -> MigrationDeclaration.Deduplication? {
        guard let name = element["entity"], let by = element["by"], let reason = element["reason"]
        else { return nil }
        checkReason(reason)
        guard let entity = model.entity(named: name.value) else {
            reportUnknown(name, nil, in: model)
            return nil
        }
        let properties = checkNames(in: by, of: entity, in: model).names
        let links = word(
            "links", of: element, from: MigrationDeclaration.Deduplication.Links.self)
        let order = element["sort"].map { checkOrder($0, of: entity, in: model) } ?? []
        guard !properties.isEmpty else { return nil }
        return .init(
            entity: entity.name, properties: properties, order: order, links: links ?? .move,
            reason: reason.value)
    }
}

extension DeclarationKind {
    /// A drop of a composite value is one of each of its parts, so the elements are not as many.
    @Sendable private static func dropPairs(
        _ drops: [any MigrationItem], _ elements: [ParsedElement]
    ) -> [(any MigrationItem, ParsedElement)] {
        var choices = drops.filter { $0["where"] != nil }[...]
        var pairs: [(any MigrationItem, ParsedElement)] = []
        for element in elements {
            if element["where"] != nil {
                if let drop = choices.popFirst() { pairs.append((drop, element)) }
            } else if let entity = element["entity"]?.value {
                let drop = MigrationDeclaration.Drop(
                    entity: entity, property: element["property"]?.value, reason: "")
                pairs.append((drop, element))
            }
        }
        return pairs
    }
}

extension DeclarationKind {
    /// The replacement of a case.
    static let replacement = Self(MigrationDeclaration.Replacement.self, [.lossy]) {
        [$0.checkReplacement($1, $2, $3)]
    }
}

extension ModelChecker {
    /// The value that objects get instead of a removed case. If the enumeration was renamed, the
    /// new name is used.
    func checkReplacement(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Replacement? {
        guard let type = element["enum"], let name = element["case"],
            let reason = element["reason"], let old
        else { return nil }
        checkReason(reason)
        let isRemoved: Bool
        if old.enumeration(named: type.value) != nil {
            isRemoved = checkCase(name, of: type, in: old)
        } else if model.enumeration(named: type.value) != nil {
            isRemoved = checkFormerCase(name, of: type, in: old)
        } else {
            reportUnknown("enumeration", type, in: old, among: old.enumerations.map { $0.name })
            return nil
        }
        let hasName = model.enumeration(named: type.value) != nil
        // If its attributes have another type now, the comparison reports the necessary
        // declarations.
        guard hasName || element["with"] == nil else {
            if !brokenNames.contains(type.value) {
                report(
                    .unknownMigrationSubject,
                    """
                    Version \(model.version) has no enumeration '\(type.value)': where it has \
                    another name now, a replacement names it by that
                    """, at: type,
                    notes: hint(type.value, among: model.enumerations.map { $0.name }))
            }
            return nil
        }
        let exists = element["with"].map { checkCase($0, of: type, in: model) } ?? true
        guard isRemoved, exists else { return nil }
        return .init(
            enumeration: type.value, case: name.value, with: element["with"]?.value,
            reason: reason.value)
    }

    /// Whether any enumeration of the old version has a case; an error is reported if none has.
    /// Renamed enumerations are matched later, by the attributes.
    private func checkFormerCase(
        _ name: ParsedAttribute, of type: ParsedAttribute, in old: Model
    ) -> Bool {
        let names = old.enumerations.flatMap { $0.cases }.map { $0.name }
        if names.contains(name.value) { return true }
        report(
            .unknownMigrationSubject,
            "Version \(old.version) has no case '\(name.value)' of what '\(type.value)' was",
            at: name, notes: hint(name.value, among: names))
        return false
    }

    /// Whether a version has a case; an error is reported if it does not.
    private func checkCase(
        _ name: ParsedAttribute, of type: ParsedAttribute, in model: Model
    ) -> Bool {
        guard let enumeration = model.enumeration(named: type.value) else {
            reportUnknown(
                "enumeration", type, in: model, among: model.enumerations.map { $0.name })
            return false
        }
        let names = enumeration.cases.map { $0.name }
        if names.contains(name.value) { return true }
        let hints = hint(name.value, among: names)
        report(
            .unknownMigrationSubject,
            "'\(type.value)' in version \(model.version) has no case '\(name.value)'", at: name,
            notes: hints.isEmpty ? ["Possible values: \(names.joined(separator: ", "))"] : hints)
        return false
    }
}
