import CambiumModel

// Existing objects must have every newly required property. It comes from the old version, from the
// migration, or the author declares that every object has it.
extension ModelDifference {
    /// Checks a required to-one: every existing object needs a destination.
    func checkRequired(_ relationship: Relationship, of entity: Entity) {
        guard !relationship.isToMany, !relationship.isOptional, !relationship.isTransient else {
            return
        }
        let sources = match.sources(of: relationship.name, in: entity)
        let olds = sources.compactMap { match.oldRelationship(at: $0.old) }
        if olds.isEmpty, isRequiredAtInverse(relationship, of: entity) { return }
        if olds.isEmpty || hasObjects(entity, besides: sources)
            || olds.contains(where: { $0.isOptional || $0.isToMany })
        {
            add(.relationshipBecameRequired(entity: entity.name, relationship.name))
            // A link may find no object; then the store rejects the row.
            guard !match.isRequired(relationship.name, in: entity.name),
                match.link(of: relationship.name, in: entity.name) == nil,
                !match.hasNoObjects(entity)
            else { return }
            if noteSupplied(relationship, of: entity) { return }
            add(unlinked(relationship, of: entity, hadLinks: !olds.isEmpty))
        } else {
            checkDroppedObjects(requiredAt: relationship, of: entity)
        }
    }

    /// Notes a relationship with links that a step of the program supplies; returns false if there
    /// is no such step.
    private func noteSupplied(_ relationship: Relationship, of entity: Entity) -> Bool {
        guard isSupplied(entity) else { return false }
        add(SuppliedValue(entity: entity.name, property: relationship.name, isRelationship: true))
        return true
    }

    /// Objects that require one of an entity that is dropped cannot stay as they are.
    private func checkDroppedObjects(
        requiredAt relationship: Relationship, of entity: Entity
    ) {
        guard let destination = new.entity(named: relationship.destination),
            let oldDestination = match.oldEntity(of: destination)
        else { return }
        let dropped = old.family(of: oldDestination).filter {
            !$0.isAbstract && match.newEntity(of: $0) == nil
        }
        let open = dropped.flatMap {
            drops(of: $0, where: .literal(.bool(true)), requiredAt: relationship, of: entity)
        }.filter { !isDeclared($0) }
        guard let first = open.first else { return }
        if noteSupplied(relationship, of: entity) { return }
        let objectDrops = open.map {
            MigrationFix.dropObjects(entity: $0.entity, where: $0.condition)
        }
        addProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(first.required) is dropped, but the required relationship \
                \(entity.name).\(relationship.name) may reference its objects
                """,
            remedy: "make it optional, or drop the objects that reference them",
            fixes: [
                .makeOptional(
                    .relationship, name: relationship.name, type: relationship.destination),
                open.count > 1
                    ? .together(objectDrops)
                    : .dropObjects(entity: first.entity, where: first.condition),
            ])
    }

    /// Whether a new relationship has the links of an old one that every object had. The old one is
    /// the other end of its inverse's old relationship.
    private func isRequiredAtInverse(_ relationship: Relationship, of entity: Entity) -> Bool {
        guard let inverse = new.inverse(of: relationship),
            let links = CarriedLinks(of: relationship, of: entity, in: match)?.single,
            links.owners == nil, links.members == nil, !links.changesKeys,
            let end = old.inverse(of: links.relationship), !end.relationship.isToMany,
            !end.relationship.isOptional,
            match.link(of: inverse.relationship.name, in: inverse.entity.name) == nil
        else { return false }
        return new.family(of: entity).allSatisfy { member in
            match.oldEntity(of: member).map { old.entity($0, isKindOf: end.entity) } ?? true
        }
    }

    private func unlinked(
        _ relationship: Relationship, of entity: Entity, hadLinks: Bool
    ) -> MigrationProblem {
        var fixes: [MigrationFix] = [
            .makeOptional(
                .relationship, name: relationship.name, type: relationship.destination)
        ]
        if isLinkable(relationship, of: entity) {
            fixes.append(.link(entity: entity.name, relationship: relationship.name))
        }
        if hadLinks { fixes.append(.require(entity: entity.name, property: relationship.name)) }
        // The entities of the new version that existed before, by their old names.
        let objectDrops = new.family(of: entity).compactMap { member -> MigrationFix? in
            guard let former = match.oldEntity(of: member), !former.isAbstract else { return nil }
            let source = match.source(
                of: .init(entity: entity.name, property: relationship.name), for: member)
            return .dropObjects(
                entity: former.name,
                where: source.map(match.conditionOfNone) ?? .literal(.bool(true)))
        }
        if let first = objectDrops.first {
            fixes.append(objectDrops.count > 1 ? .together(objectDrops) : first)
        }
        return MigrationProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(entity.name).\(relationship.name) is required, and existing \
                objects may reference none
                """,
            remedy: "make it optional, or declare what happens to them",
            fixes: fixes)
    }

    /// Whether existing objects can get a link. They can if their rows hold the key, and there are
    /// objects to choose from.
    func isLinkable(_ relationship: Relationship, of entity: Entity) -> Bool {
        guard case .key = new.storage(of: relationship, of: entity) else { return false }
        return new.entity(named: relationship.destination).flatMap(match.oldEntity) != nil
    }

    // MARK: Declarations of the author

    /// Checks the declarations about objects: dropped objects, links, and required properties.
    func compareObjects() {
        for drop in new.migration?.drops ?? [] {
            guard let condition = drop.condition, let entity = old.entity(named: drop.entity) else {
                continue
            }
            if entity.isAbstract {
                let members = old.family(of: entity).filter { !$0.isAbstract }.map { $0.name }
                addProblem(
                    entity: entity.name, in: .old,
                    fact: """
                        A drop by condition names \(entity.name), which is abstract and has no \
                        objects of its own
                        """,
                    remedy: "name the entities below it (\(members.joined(separator: ", ")))",
                    fixes: members.isEmpty
                        ? []
                        : [.together(members.map { .dropObjects(entity: $0, where: condition) })])
            }
            if !match.support.finds(where: condition, of: entity, in: match) {
                addProblem(
                    entity: entity.name, in: .old,
                    fact: """
                        The store cannot compute which objects of \(entity.name) a drop \
                        deletes
                        """, remedy: "use its stored properties")
            }
            let name = match.newEntity(of: entity)?.name ?? entity.name
            add(.objectsDropped(name, where: condition.description))
        }
        for link in new.migration?.links ?? [] { compare(link) }
        for requirement in new.migration?.requirements ?? [] { compare(requirement) }
    }

    private func compare(_ link: MigrationDeclaration.Link) {
        let place = "\(link.entity).\(link.relationship)"
        func problem(_ fact: String, remedy: String? = nil) -> MigrationProblem {
            MigrationProblem(
                entity: link.entity, property: link.relationship, fact: fact, remedy: remedy)
        }
        guard let entity = new.entity(named: link.entity),
            let relationship = entity.relationship(named: link.relationship)
        else {
            return add(
                problem(
                    """
                    A link names \(place), which version \(new.version) does not declare (name \
                    the entity that declares the relationship, not a sub-entity)
                    """))
        }
        guard case .key = new.storage(of: relationship, of: entity) else {
            return add(
                problem(
                    "The links of \(place) are kept at the other end", remedy: "link its inverse"))
        }
        guard match.support.finds(link, in: match) else {
            let formers = match.formers(of: entity).map { $0.name }
            return add(
                problem(
                    """
                    The store cannot compute the destination of \(place): version \
                    \(old.version) has no objects of \(relationship.destination), or the \
                    condition needs more than its stored properties
                    """
                        + (formers.count < 2
                            ? ""
                            : """
                            , and more of $source than \(formers.joined(separator: " and ")) \
                            all have
                            """)))
        }
    }

    private func compare(_ requirement: MigrationDeclaration.Requirement) {
        let (entity, name) = (requirement.entity, requirement.property)
        if let problem = takenAway(name, of: entity) { return add(problem) }
        let isAsked = changes.contains { change in
            switch change {
            case .attributeBecameRequired(entity, name), .relationshipBecameRequired(entity, name),
                .attributeAdded(entity, name, _), .attributeStored(entity, name):
                true
            default: false
            }
        }
        // If there is a problem with the property, it is reported first.
        guard !isAsked, !problems.contains(where: { $0.entity == entity }) else { return }
        addProblem(
            entity: entity, property: name,
            fact: "A requirement names \(entity).\(name), which every object has as it is",
            remedy: "remove it")
    }

    /// Returns the problem that a requirement names a property that a drop deletes from all
    /// objects.
    private func takenAway(_ name: String, of entity: String) -> MigrationProblem? {
        guard let owner = new.entity(named: entity), let oldOwner = match.oldEntity(of: owner),
            let declarer = new.declarer(of: name, in: owner), !match.hasNoObjects(owner),
            match.sources(of: name, in: declarer).isEmpty
        else { return nil }
        let fix: MigrationFix?
        if new.attribute(name, of: owner) != nil {
            if match.fill(of: name, in: declarer.name) != nil { return nil }
            fix = .fill([name], of: declarer.name)
        } else if let relationship = new.relationship(name, of: owner) {
            guard match.link(of: name, in: declarer.name) == nil,
                CarriedLinks(of: relationship, of: declarer, in: match) == nil
            else { return nil }
            fix =
                isLinkable(relationship, of: declarer)
                ? .link(entity: declarer.name, relationship: name) : nil
        } else {
            return nil
        }
        let lineage = Set(old.lineage(of: oldOwner).map { $0.name })
        let drop = new.migration?.drops.first { drop in
            drop.condition == nil && drop.property == name && lineage.contains(drop.entity)
        }
        guard let drop else { return nil }
        return MigrationProblem(
            entity: entity, property: name,
            fact:
                """
                A requirement declares that every object has \(entity).\(name), but the \
                migration drops the old values (\(drop.entity).\(name))
                """,
            remedy: "remove the drop, or "
                + (fix == nil ? "make it optional" : "declare what they get instead"),
            fixes: [fix].compactMap { $0 })
    }
}
