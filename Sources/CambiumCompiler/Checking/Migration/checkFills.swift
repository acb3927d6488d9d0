import CambiumModel

extension DeclarationKind {
    /// What existing objects get, or are known to have.
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
                    : "'\(attribute.name)' is derived: it is computed anew",
                at: property)
            return nil
        }
        let former = old.flatMap { old in
            formerEntity(of: entity, of: model, in: old).map { old.formerRow(of: $0, in: model) }
        }
        // A version before with errors says nothing, and has been reported.
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

    /// The object that a to-one leads to from now on.
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
        // Where the entity is new, its objects were of the entities that inherit from it now.
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

    /// What every object is known to have.
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

    /// A stored to-one relationship of the new version, or nil where it is none (and reported).
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
