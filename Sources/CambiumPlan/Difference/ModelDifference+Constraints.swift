import CambiumModel

extension ModelDifference {
    func compareConstraints(of oldEntity: Entity, _ entity: Entity) {
        let oldUniques = oldEntity.uniqueConstraints.map { constraint in
            UniqueConstraint(
                properties: constraint.properties.map { newName(of: $0, in: oldEntity) })
        }
        for constraint in entity.uniqueConstraints where !oldUniques.contains(constraint) {
            add(.uniqueAdded(entity: entity.name, constraint.properties))
        }
        for constraint in oldUniques where !entity.uniqueConstraints.contains(constraint) {
            add(.uniqueDropped(entity: entity.name, constraint.properties))
        }
        if oldEntity.indexes != entity.indexes {
            add(.indexesChanged(entity: entity.name))
        }
        for rule in entity.rules {
            let oldRule = oldEntity.rule(named: rule.name)
            if oldRule == nil {
                add(.ruleAdded(entity: entity.name, rule.name))
            } else if let oldRule,
                inNewNames(oldRule.condition, of: oldEntity) != rule.condition
            {
                add(.ruleChanged(entity: entity.name, rule.name))
            }
        }
        for rule in oldEntity.rules where !entity.rules.contains(where: { $0.name == rule.name }) {
            add(.ruleDropped(entity: entity.name, rule.name))
        }
    }

    // One of several objects that are equal from now on stays. References to the others are moved
    // to it, and this may make further objects equal.

    func compareDeduplications() {
        for declared in new.migration?.deduplications ?? [] {
            let list = declared.properties.joined(separator: ", ")
            guard let entity = new.entity(named: declared.entity),
                let constraint = entity.uniqueConstraints.first(where: {
                    Set($0.properties) == Set(declared.properties)
                })
            else {
                addProblem(
                    entity: declared.entity,
                    fact: """
                        A de-duplication names \(list) of \(declared.entity), which version \
                        \(new.version) does not declare unique
                        """)
                continue
            }
            add(.duplicatesDropped(entity: entity.name, constraint.properties))
            for order in declared.order {
                let attribute = new.attribute(order.attribute, of: entity)
                guard attribute?.isTransient != false || attribute?.derivation != nil else {
                    continue
                }
                addProblem(
                    entity: entity.name, property: order.attribute,
                    fact: """
                        The de-duplication of \(entity.name) orders by \(order.attribute), \
                        which is no stored attribute of it
                        """)
            }
        }
    }

    // MARK: References to equal objects

    /// Equal objects that become one.
    package struct Merge: Equatable {
        /// The entity of the merged objects.
        package let entity: String
        /// The properties that are equal.
        package let properties: [String]
        /// The relationship that references them, among the equal properties of other objects.
        package let relationship: String
    }

    /// Returns the merges that may make objects equal in some properties after their own
    /// de-duplication. These are the merges with a later de-duplication, or all merges if the
    /// objects have none.
    package func lateMerges(by properties: [String], of entity: Entity) -> [Merge] {
        let declared = new.migration?.deduplications ?? []
        let own = declared.firstIndex {
            $0.entity == entity.name && Set($0.properties) == Set(properties)
        }
        let later = declared[(own.map { $0 + 1 } ?? 0)...].filter { $0.links == .move }
        return merges(later.map { ($0.entity, $0.properties) }, by: properties, of: entity)
    }

    /// Returns the merges that must come before a de-duplication of objects: the merges that the
    /// migration declares, and the merges that it may require.
    package func earlierMerges(by properties: [String], of entity: Entity) -> [Merge] {
        let declared = (new.migration?.deduplications ?? []).filter { $0.links == .move }
            .map { ($0.entity, $0.properties) }
        let possible = rowRisks.compactMap { risk -> (String, [String])? in
            guard case .uniqueness(let others) = risk.kind,
                (risk.entity, others) != (entity.name, properties),
                !declared.contains(where: { $0 == (risk.entity, others) })
            else { return nil }
            return (risk.entity, others)
        }
        return merges(declared + possible, by: properties, of: entity)
    }

    /// Whether two merges must each come before the other, so that no order is valid.
    package func isMutual(_ merge: Merge, by properties: [String], of entity: Entity) -> Bool {
        let declared = (new.migration?.deduplications ?? []).map { ($0.entity, $0.properties) }
        var open = [(merge.entity, merge.properties)]
        var seen: [Merge] = []
        while let (name, list) = open.popLast() {
            guard let owner = new.entity(named: name) else { continue }
            for next in merges(declared, by: list, of: owner) where !seen.contains(next) {
                seen.append(next)
                if next.entity == entity.name, Set(next.properties) == Set(properties) {
                    return true
                }
                open.append((next.entity, next.properties))
            }
        }
        return false
    }

    private func merges(
        _ merged: [(entity: String, properties: [String])], by properties: [String],
        of entity: Entity
    ) -> [Merge] {
        properties.flatMap { name -> [Merge] in
            guard let end = new.relationship(name, of: entity),
                let destination = new.entity(named: end.destination)
            else { return [] }
            return merged.compactMap { other in
                guard let member = new.entity(named: other.entity),
                    new.entity(member, isKindOf: destination)
                        || new.entity(destination, isKindOf: member)
                else { return nil }
                return Merge(
                    entity: other.entity, properties: other.properties, relationship: name)
            }
        }
    }
}

extension Model {
    /// Returns the author's declaration about objects that are equal in the properties of a
    /// constraint.
    package func deduplication(
        by properties: [String], of entity: String
    ) -> MigrationDeclaration.Deduplication? {
        migration?.deduplications.first {
            $0.entity == entity && Set($0.properties) == Set(properties)
        }
    }
}
