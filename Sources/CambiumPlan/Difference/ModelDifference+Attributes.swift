import CambiumModel

extension ModelDifference {
    func compareAttributes(of oldEntity: Entity, _ entity: Entity) {
        let added = compareComposites(of: entity)
        for attribute in entity.attributes where !added.contains(attribute.name) {
            if let oldAttribute = match.oldAttribute(of: attribute.name, in: entity.name) {
                compare(oldAttribute, attribute, of: entity)
                compareMoves(to: attribute, of: entity)
            } else if compareMoves(to: attribute, of: entity) {
                continue
            } else if attribute.derivation != nil {
                add(.derivationAdded(entity: entity.name, attribute.name))
            } else if !attribute.isTransient {
                checkValueForExistingObjects(attribute, of: entity, became: "new and required")
                add(
                    .attributeAdded(
                        entity: entity.name, attribute.name,
                        isFilled: match.fill(of: attribute.name, in: entity.name) != nil))
                if match.isRequired(attribute.name, in: entity.name) {
                    add(.attributeBecameRequired(entity: entity.name, attribute.name))
                }
            }
        }
        compareMissingAttributes(of: oldEntity, in: entity)
    }

    /// - Parameter entity: What the old entity is now; nil where it is gone, and entities that
    ///   inherited from it are not.
    func compareMissingAttributes(of oldEntity: Entity, in entity: Entity?) {
        let gone = entity.map { compareMissingComposites(of: oldEntity, $0) } ?? []
        for attribute in oldEntity.attributes
        where !attribute.isTransient && !gone.contains(attribute.name) {
            let property = ModelMatch.PropertyName(
                entity: oldEntity.name, property: attribute.name)
            let newAttribute = match.newAttribute(of: attribute.name, in: oldEntity.name)
            if attribute.derivation != nil {
                // Nothing is lost that is not somewhere else.
                if let entity, newAttribute?.isTransient ?? true {
                    add(.derivationDropped(entity: entity.name, attribute.name))
                }
                continue
            }
            if newAttribute.map({ !$0.isTransient }) ?? match.livesOn(property) {
                compareLosers(of: property, declaration: .attribute)
                continue
            }
            guard let entity else {
                compareLosers(of: property, declaration: .attribute)
                continue
            }
            if match.isDropped(oldEntity.name, attribute.name, in: oldEntity) {
                add(.attributeDropped(entity: entity.name, attribute.name))
            } else {
                addMissing(
                    attribute.name, of: oldEntity, in: entity, declaration: .attribute,
                    candidate: candidate(for: attribute, in: entity)?.name,
                    part: partCandidate(for: attribute, of: oldEntity, in: entity)
                        ?? inheritedCandidate(for: attribute, in: entity))
            }
        }
    }

    /// The new attribute of an entity that one which is gone may be.
    private func candidate(for attribute: Attribute, in entity: Entity) -> Attribute? {
        entity.attributes.first {
            !$0.isTransient && $0.derivation == nil && $0.type == attribute.type
                && match.sources(of: $0.name, in: entity).isEmpty
        }
    }

    /// The same of an ancestor, where the entity itself has none: what moves up may get another name.
    private func inheritedCandidate(
        for attribute: Attribute, in entity: Entity
    ) -> MigrationFix? {
        guard !attribute.isPart, candidate(for: attribute, in: entity) == nil else { return nil }
        for owner in new.lineage(of: entity).dropLast().reversed() {
            if let found = candidate(for: attribute, in: owner), !found.isPart {
                return .renamePart(entity: owner.name, to: found.name, from: attribute.name)
            }
        }
        return nil
    }

    /// The new part of a composite value that a part which is gone most likely is. The value may be
    /// declared further up.
    private func partCandidate(
        for attribute: Attribute, of oldEntity: Entity, in entity: Entity
    ) -> MigrationFix? {
        guard attribute.isPart else { return nil }
        func leaf(_ part: Attribute) -> Substring { part.name.split(separator: ".").last ?? "" }
        let open = new.lineage(of: entity).flatMap { owner in
            owner.attributes.filter {
                $0.isPart && !$0.isTransient && $0.derivation == nil
                    && match.sources(of: $0.name, in: owner).isEmpty
            }.map { (owner: owner, part: $0) }
        }
        let known = Set(oldEntity.attributes.filter(\.isPart).map(leaf))
        let others = open.filter { !known.contains(leaf($0.part)) }
        let found =
            open.first { leaf($0.part) == leaf(attribute) }
            ?? others.first { $0.part.type == attribute.type } ?? others.first
        return found.map {
            .renamePart(entity: $0.owner.name, to: $0.part.name, from: attribute.name)
        }
    }

    private func compare(_ old: Attribute, _ new: Attribute, of entity: Entity) {
        let isRenamed =
            new.isPart && old.isPart
            // A part whose value has another name is told of with the value.
            ? old.name.split(separator: ".").last != new.name.split(separator: ".").last
            : old.name != new.name
        if isRenamed {
            add(.attributeRenamed(entity: entity.name, new.name, from: old.name))
        }
        guard !new.isTransient else { return }
        if old.derivation != nil || new.derivation != nil {
            return compareDerivations(old, new, of: entity)
        }
        if old.isTransient {
            checkValueForExistingObjects(new, of: entity, became: "stored now and required")
            add(.attributeStored(entity: entity.name, new.name))
            addFilled(new, of: entity)
            return
        }
        compareTypes(old, new, of: entity)
        let becomesRequired = old.isOptional && !new.isOptional
        if becomesRequired || match.fill(of: new.name, in: entity.name) != nil {
            checkValueForExistingObjects(new, of: entity, became: "no longer optional")
        }
        if match.isRevised(new.name, in: entity.name) {
            add(.attributeRevised(entity: entity.name, new.name))
        }
        if becomesRequired {
            add(.attributeBecameRequired(entity: entity.name, new.name))
        } else if !old.isOptional, new.isOptional {
            add(.attributeBecameOptional(entity: entity.name, new.name))
        }
        if old.isOptional { addFilled(new, of: entity, isRequired: becomesRequired) }
        if old.defaultValue != new.defaultValue {
            add(.defaultChanged(entity: entity.name, new.name))
        }
        compareLimits(of: [old], new, of: entity)
        if old.isExternal != new.isExternal {
            add(
                .externalChanged(
                    entity: entity.name, new.name, isExternal: new.isExternal))
        }
    }

    /// A fill for the objects that have no value; where they need one from now on, a default does as
    /// well.
    func addFilled(
        _ attribute: Attribute, of entity: Entity, isRequired: Bool = false
    ) {
        let isGiven =
            match.fill(of: attribute.name, in: entity.name) != nil
            || isRequired && attribute.defaultValue != nil
        guard isGiven, !match.isRevised(attribute.name, in: entity.name) else { return }
        addOnce(.attributeFilled(entity: entity.name, attribute.name))
    }

    /// - Parameter olds: What objects have the values from.
    func compareLimits(of olds: [Attribute], _ attribute: Attribute, of entity: Entity) {
        guard olds.contains(where: { $0.limits != attribute.limits }) else { return }
        let isTighter = olds.contains { !attribute.limits.tightened(since: $0.limits).isEmpty }
        add(.limitsChanged(entity: entity.name, attribute.name, isTighter: isTighter))
    }

    private func compareDerivations(
        _ old: Attribute, _ new: Attribute, of entity: Entity
    ) {
        guard new.derivation != nil else {
            // The values that were computed stay as they are.
            compareTypes(old, new, of: entity)
            checkValueForExistingObjects(new, of: entity, became: "no longer derived")
            add(.derivationDropped(entity: entity.name, new.name))
            if match.isRevised(new.name, in: entity.name) {
                add(.attributeRevised(entity: entity.name, new.name))
            }
            addFilled(new, of: entity, isRequired: !new.isOptional)
            if !new.isOptional {
                add(.attributeBecameRequired(entity: entity.name, new.name))
            }
            compareLimits(of: [old], new, of: entity)
            return
        }
        guard old.derivation != nil || old.isTransient else {
            let oldEntity = match.oldEntity(of: entity)?.name ?? entity.name
            return addProblem(
                entity: entity.name, property: new.name,
                fact: """
                    \(entity.name).\(new.name) becomes derived, and the values that objects \
                    have would be lost
                    """,
                remedy: "say that they may be, or give the derived attribute another name",
                fixes: [.drop(entity: oldEntity, property: old.name)])
        }
        if old.derivation != new.derivation || old.type != new.type || old.isTransient {
            add(.derivationChanged(entity: entity.name, new.name))
        }
    }

    /// A required attribute needs a value in every object that is there.
    func checkValueForExistingObjects(
        _ attribute: Attribute, of entity: Entity, became reason: String
    ) {
        if let fill = match.fill(of: attribute.name, in: entity.name) {
            if match.isRevised(attribute.name, in: entity.name),
                !match.hasOldValues(attribute.name, in: entity.name)
            {
                let place = "\(entity.name).\(attribute.name)"
                addProblem(
                    entity: entity.name, property: attribute.name,
                    fact: """
                        The fill of \(place) looks at \(place), which has no value before the \
                        fill: it is new, or a drop takes the old values
                        """,
                    remedy: "without the drop they are there")
            }
            if !match.support.computes(fill, for: attribute, of: entity, in: match) {
                addProblem(
                    entity: entity.name, property: attribute.name,
                    fact: """
                        The fill of \(entity.name).\(attribute.name) cannot be computed by the \
                        store from the row alone
                        """,
                    remedy: """
                        use a constant of the attribute's type, or other attributes and \
                        SQLite's own functions
                        """)
            }
            return
        }
        guard !attribute.isOptional, attribute.defaultValue == nil,
            !match.isRequired(attribute.name, in: entity.name), !match.hasNoObjects(entity)
        else { return }
        if isSupplied(entity) {
            return add(SuppliedValue(entity: entity.name, property: attribute.name))
        }
        let hasValues = match.hasOldValues(attribute.name, in: entity.name)
        addProblem(
            entity: entity.name, property: attribute.name,
            fact: """
                \(entity.name).\(attribute.name) is \(reason), and existing objects \
                \(hasValues ? "may " : "")have no value for it
                """,
            remedy: "give it a default or a fill, or make it optional",
            fixes: [
                .giveDefault(name: attribute.name, type: attribute.type.word),
                .fill([attribute.name], of: entity.name),
            ] + (hasValues ? [.require(entity: entity.name, property: attribute.name)] : []))
    }
}
