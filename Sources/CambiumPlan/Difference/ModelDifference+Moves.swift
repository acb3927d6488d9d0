import CambiumModel

// A property of an object may be declared elsewhere in its lineage than before.
extension ModelDifference {
    /// Compares an attribute with the attributes of other entities that its values come from.
    ///
    /// - Returns: Whether there are any.
    @discardableResult
    func compareMoves(to attribute: Attribute, of entity: Entity) -> Bool {
        guard !attribute.isTransient, attribute.derivation == nil else { return false }
        let own = match.former(.init(entity: entity.name, property: attribute.name))
        let all = match.sources(of: attribute.name, in: entity)
        let sources = all.filter { $0.old != own }
        guard !sources.isEmpty else {
            if !all.isEmpty { checkBareObjects(attribute, of: entity, all) }
            return false
        }
        var becomesRequired = false
        var olds: [Attribute] = []
        for source in sources {
            guard let old = match.oldAttribute(at: source.old) else { continue }
            olds.append(old)
            compareTypes(
                old, attribute, of: entity, givenUpIn: placeOfDrop(of: source, into: entity))
            becomesRequired = becomesRequired || old.mayLackValue && !attribute.isOptional
        }
        add(
            .attributeMoved(
                entity: entity.name, attribute.name, from: Self.names(of: sources)))
        if becomesRequired || match.fill(of: attribute.name, in: entity.name) != nil {
            checkValueForExistingObjects(
                attribute, of: entity,
                became: olds.allSatisfy { $0.derivation != nil }
                    ? "no longer derived" : "no longer optional")
        }
        if match.isRevised(attribute.name, in: entity.name) {
            addOnce(.attributeRevised(entity: entity.name, attribute.name))
        } else if olds.contains(where: \.mayLackValue) {
            addFilled(attribute, of: entity, isRequired: becomesRequired)
        }
        if becomesRequired {
            add(.attributeBecameRequired(entity: entity.name, attribute.name))
        }
        compareLimits(of: olds, attribute, of: entity)
        if olds.contains(where: { $0.isExternal != attribute.isExternal }) {
            add(
                .externalChanged(
                    entity: entity.name, attribute.name, isExternal: attribute.isExternal))
        }
        checkBareObjects(attribute, of: entity, all)
        return true
    }

    /// Whether an entity may have objects whose property comes from none of the sources.
    func hasObjects(_ entity: Entity, besides sources: [PropertySource]) -> Bool {
        let covered = Set(sources.flatMap { $0.entities })
        return new.family(of: entity).contains { member in
            !covered.contains(member.name) && match.oldEntity(of: member)?.isAbstract == false
        }
    }

    /// Checks objects that are new in a family: they have no value if only the others had one.
    private func checkBareObjects(
        _ attribute: Attribute, of entity: Entity, _ sources: [PropertySource]
    ) {
        guard hasObjects(entity, besides: sources) else { return }
        addFilled(attribute, of: entity)
        guard !attribute.isOptional else { return }
        checkValueForExistingObjects(
            attribute, of: entity, became: "required in objects that had none")
    }

    /// Checks the properties that a new entity declares for existing objects of entities that now
    /// inherit from it.
    func compareInherited(of entity: Entity) {
        guard new.family(of: entity).contains(where: { match.oldEntity(of: $0) != nil }) else {
            return
        }
        for attribute in entity.attributes
        where !compareMoves(to: attribute, of: entity) && attribute.derivation == nil
            && !attribute.isTransient
        {
            checkValueForExistingObjects(attribute, of: entity, became: "new and required")
            addFilled(attribute, of: entity)
        }
        for relationship in entity.relationships {
            compareMoves(to: relationship, of: entity)
            checkRequired(relationship, of: entity)
            checkLinks(relationship, of: entity)
        }
    }

    /// - Returns: Whether objects have the relationship from other entities.
    @discardableResult
    func compareMoves(to relationship: Relationship, of entity: Entity) -> Bool {
        let own = match.former(.init(entity: entity.name, property: relationship.name))
        let sources = match.sources(of: relationship.name, in: entity).filter { $0.old != own }
        guard !sources.isEmpty else { return false }
        var wereOrdered: [Bool] = []
        for source in sources {
            guard let old = match.oldRelationship(at: source.old),
                let owner = self.old.entity(named: source.old.entity)
            else { continue }
            compareDestinations(
                old, relationship, of: entity, givenUpIn: placeOfDrop(of: source, into: entity))
            wereOrdered.append(self.old.positionColumn(of: old, of: owner) != nil)
        }
        add(
            .relationshipMoved(
                entity: entity.name, relationship.name, from: Self.names(of: sources)))
        if sources.contains(where: { source in
            match.oldRelationship(at: source.old).map {
                $0.isToMany && $0.counts != relationship.counts
            } ?? false
        }), relationship.isToMany {
            addOnce(.countsChanged(entity: entity.name, relationship.name))
        }
        let isOrdered = new.positionColumn(of: relationship, of: entity) != nil
        if wereOrdered.contains(!isOrdered) {
            addOnce(.orderChanged(entity: entity.name, relationship.name, isOrdered: isOrdered))
        }
        return true
    }

    // MARK: Properties lost in moves

    /// Reports a property that the objects of some remaining entities may lose.
    func compareLosers(
        of property: ModelMatch.PropertyName, declaration: MigrationFix.Declaration
    ) {
        let losers = match.losers(of: property)
        let tops = losers.filter { loser in
            !losers.contains { $0.name != loser.name && old.entity(loser, isKindOf: $0) }
        }
        for top in tops {
            guard let entity = match.newEntity(of: top) else { continue }
            let declarer = old.entity(named: property.entity) ?? top
            if match.isDropped(property, below: top)
                || match.isDropped(property.entity, property.property, in: declarer)
            {
                add(
                    declaration == .attribute
                        ? .attributeDropped(entity: entity.name, property.property)
                        : .relationshipDropped(
                            entity: entity.name, property.property, losesLinks: true))
                continue
            }
            addProblem(
                entity: top.name, property: property.property, in: .old,
                fact: """
                    Objects of \(top.name) of version \(old.version) have \(property.property) \
                    from \(property.entity), but not in version \(new.version)
                    """,
                remedy: "declare that it may be lost, or declare it for them",
                fixes: [.drop(entity: top.name, property: property.property)])
        }
    }

    /// Returns the entity that a drop has to name so that the property is not taken from the
    /// source.
    private func placeOfDrop(of source: PropertySource, into entity: Entity) -> String {
        guard let declarer = old.entity(named: source.old.entity),
            match.isBelow(entity, declarer),
            let member = source.entities.first.flatMap(new.entity(named:)),
            let oldMember = match.oldEntity(of: member)
        else { return source.old.entity }
        return oldMember.name
    }

    private static func names(of sources: [PropertySource]) -> [String] {
        sources.map { "\($0.old.entity).\($0.old.property)" }
    }
}

extension ModelMatch {
    /// An attribute of the old version.
    @inline(never)
    package func oldAttribute(at name: PropertyName) -> Attribute? {
        old.entity(named: name.entity)?.attribute(named: name.property)
    }

    /// A relationship of the old version.
    @inline(never)
    package func oldRelationship(at name: PropertyName) -> Relationship? {
        old.entity(named: name.entity)?.relationship(named: name.property)
    }
}
