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

    /// - Parameter entity: The old entity in the new version; nil if the entity was deleted, but
    ///   entities that inherited from it exist.
    func compareMissingAttributes(of oldEntity: Entity, in entity: Entity?) {
        let gone = entity.map { compareMissingComposites(of: oldEntity, $0) } ?? []
        for attribute in oldEntity.attributes
        where !attribute.isTransient && !gone.contains(attribute.name) {
            let property = ModelMatch.PropertyName(
                entity: oldEntity.name, property: attribute.name)
            let newAttribute = match.newAttribute(of: attribute.name, in: oldEntity.name)
            if attribute.derivation != nil {
                // A derived value is computed from values that are stored elsewhere, so nothing is
                // lost.
                if let entity, newAttribute?.isTransient ?? true {
                    add(.derivationDropped(entity: entity.name, attribute.name))
                }
                continue
            }
            if newAttribute.map({ !$0.isTransient }) ?? match.isKept(property) {
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

    /// Returns a new attribute of an entity that may be a deleted one under another name.
    private func candidate(for attribute: Attribute, in entity: Entity) -> Attribute? {
        entity.attributes.first {
            !$0.isTransient && $0.derivation == nil && $0.type == attribute.type
                && match.sources(of: $0.name, in: entity).isEmpty
        }
    }

    /// Returns the same of an ancestor, if the entity itself has no candidate: an attribute may get
    /// another name when it moves to an ancestor.
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

    /// Returns the new part of a composite value that a deleted part most likely is. An ancestor
    /// may declare the value.
    private func partCandidate(
        for attribute: Attribute, of oldEntity: Entity, in entity: Entity
    ) -> MigrationFix? {
        guard attribute.isPart else { return nil }
        @inline(never)
        func leaf(_ part: Attribute) -> Substring { part.name.split(separator: ".").last ?? "" }
        let open = new.lineage(of: entity).flatMap { owner in
            owner.attributes.filter {
                $0.isPart && !$0.isTransient && $0.derivation == nil
                    && match.sources(of: $0.name, in: owner).isEmpty
            }.map { (owner: owner, part: $0) }
        }
        let known = Set(oldEntity.attributes.filter { $0.isPart }.map(leaf))
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
            // If the value was renamed, the renaming of its parts is reported with the value.
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

    /// Adds a fill for objects without a value. If they need a value from now on, a default is
    /// enough.
    func addFilled(
        _ attribute: Attribute, of entity: Entity, isRequired: Bool = false
    ) {
        let isGiven =
            match.fill(of: attribute.name, in: entity.name) != nil
            || isRequired && attribute.defaultValue != nil
        guard isGiven, !match.isRevised(attribute.name, in: entity.name) else { return }
        addOnce(.attributeFilled(entity: entity.name, attribute.name))
    }

    /// - Parameter olds: The attributes that objects have their values from.
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
                remedy: "declare that they may be lost, or give the derived attribute another name",
                fixes: [.drop(entity: oldEntity, property: old.name)])
        }
        if old.derivation != new.derivation || old.type != new.type || old.isTransient {
            add(.derivationChanged(entity: entity.name, new.name))
        }
    }

    /// Checks that every existing object gets a value for a required attribute.
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
                        fill: it is new, or a drop deletes the old values
                        """,
                    remedy: "remove the drop to keep the old values")
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

extension ModelDifference {
    /// Checks a change of type. Values are converted if each one is sure to be preserved or
    /// rejected.
    func compareTypes(
        _ old: Attribute, _ new: Attribute, of entity: Entity, givenUpIn owner: String? = nil
    ) {
        guard
            let conversion = AttributeConversion(
                from: old, in: self.old, to: new, in: self.new)
        else {
            let place = owner ?? match.oldEntity(of: entity)?.name ?? entity.name
            // A value that was renamed or deleted is not a value of the new attribute.
            let isEmpty =
                !new.isOptional && new.defaultValue == nil
                && match.fill(of: new.name, in: entity.name) == nil
            let fill = MigrationFix.fill([new.name], of: entity.name)
            // It cannot be declared as the renamed old one at the same time.
            let isRenamed = new.renamedFrom != nil && !match.followsValue(new, in: entity)
            let taken: [MigrationFix] =
                isRenamed ? [.takeBack(.attribute, name: new.name, from: old.name)] : []
            func parted(_ fix: MigrationFix, isFilled: Bool = true) -> MigrationFix {
                let fixes = [fix] + taken + (isEmpty && isFilled ? [fill] : [])
                return fixes.count > 1 ? .together(fixes) : fix
            }
            addProblem(
                entity: entity.name, property: new.name,
                fact: """
                    \(entity.name).\(new.name) changes its type from \(words(for: old.type)) to \
                    \(words(for: new.type)), and some values may not fit
                    """,
                remedy: """
                    keep the old values under another name, convert them in a step of the \
                    program, or drop them
                    """,
                fixes: [
                    parted(.rename(.attribute, to: nil, from: old.name)),
                    parted(.convert(entity: place, property: old.name), isFilled: false),
                    parted(.drop(entity: place, property: old.name)),
                ])
            return
        }
        if old.type != new.type, !conversion.isSameThing {
            add(
                .attributeConverted(
                    entity: entity.name, new.name, to: words(for: new.type),
                    isChecked: conversion.fits != nil))
        }
    }

    private func words(for type: AttributeType) -> String {
        switch type {
        case .decimal(let scale): "decimal (scale \(scale))"
        case .anyDecimal: "decimal (any scale)"
        case .codable(let name): "codable (\(name))"
        default: type.word
        }
    }
}

extension ModelDifference {
    /// Whether the migration determines the value of an attribute in every object, regardless of
    /// the former value.
    package func decidesEveryValue(of attribute: String, in entity: String) -> Bool {
        match.fill(of: attribute, in: entity) != nil
            && (!match.hasOldValues(attribute, in: entity)
                || match.isRevised(attribute, in: entity))
    }

    /// Whether a property of an entity, or of its ancestors, is one that objects have no value of.
    package func isAdded(_ property: String, to entity: String) -> Bool {
        guard let entity = new.entity(named: entity),
            let declarer = new.declarer(of: property, in: entity),
            new.attribute(property, of: entity) != nil
        else { return false }
        return !match.hasOldValues(property, in: declarer.name)
    }

    /// The fills for objects without a value, of attributes that have one in every object.
    package var idleFills: [MigrationDeclaration.Fill] {
        (new.migration?.fills ?? []).filter { fill in
            guard match.oldAttribute(of: fill.attribute, in: fill.entity) != nil,
                let owner = new.entity(named: fill.entity)
            else { return false }
            let name = ModelMatch.PropertyName(entity: fill.entity, property: fill.attribute)
            // Objects that were none of the entity's have no value that it could have had.
            return !match.isRevised(fill.attribute, in: fill.entity)
                && new.family(of: owner).filter { match.oldEntity(of: $0) != nil }.allSatisfy {
                    match.source(of: name, for: $0).flatMap(match.oldAttribute).map {
                        !$0.mayLackValue && !$0.isTransient
                    } ?? false
                }
        }
    }

    // The values that a fill uses: old ones, or new ones that the migration gives.

    /// Whether the fill of an attribute uses the old value of another attribute. This is true for
    /// the attribute itself, and for attributes whose fills depend on it, directly or through other
    /// fills. For all other attributes, the fill uses the new values.
    package func seesOldValue(of path: String, inFillOf attribute: String, of entity: Entity)
        -> Bool
    {
        guard let own = declared(attribute, of: entity), let other = declared(path, of: entity)
        else {
            return false
        }
        var open = [other]
        var seen: Set<ModelMatch.PropertyName> = []
        while let next = open.popLast() {
            if next == own { return true }
            guard seen.insert(next).inserted,
                let fill = match.fill(of: next.property, in: next.entity),
                let owner = new.entity(named: next.entity)
            else { continue }
            open += match.support.properties(in: fill, of: owner, of: new)
                .compactMap { declared($0, of: owner) }
        }
        return false
    }

    private func declared(_ property: String, of entity: Entity) -> ModelMatch.PropertyName? {
        new.declarer(of: property, in: entity).map { .init(entity: $0.name, property: property) }
    }

    /// Whether a fill is for every object without a value. Otherwise it is only for objects that
    /// have the composite value around the attribute.
    package func fillsEveryObject(_ attribute: Attribute, of entity: Entity) -> Bool {
        match.valueAround(attribute, of: entity) == nil
    }

    /// Whether an existing optional composite value may have lacked a part that it requires.
    package func isNewlyRequired(_ part: String, of composite: String, in entity: Entity) -> Bool {
        isAdded(part, to: entity.name)
            || match.newlyRequiredParts(of: composite, in: entity).contains(part)
    }

    /// Returns the fill for objects without a value of the attribute, if there is one.
    package func fill(of attribute: String, in entity: Entity) -> ModelExpression? {
        match.fill(of: attribute, in: entity.name)
    }
}
