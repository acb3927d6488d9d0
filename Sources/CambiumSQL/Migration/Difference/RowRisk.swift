import CambiumModel

/// Something that a new version asks of the rows that are there, and that some of them may not meet.
/// The versions alone do not tell; whether there are such rows, only the stores out there do.
package struct RowRisk: Sendable, Hashable {
    /// What is asked.
    package enum Kind: Sendable, Hashable {
        /// Values of the enumeration are no longer among those that were removed.
        case removedCases(enumeration: String, [String])
        /// No two rows have the same values of these properties.
        case uniqueness([String])
        /// Values lie within limits that are new or tighter.
        case limits
        /// Values fit into a type that holds fewer.
        case narrowedType
        /// Rows meet the rule of that name.
        case rule(String)
        /// A relationship leads to so many objects.
        case counts
        /// The entity, which is abstract now, has no objects of its own.
        case abstractEntity
        /// A value with several parts has all that it needs, or none.
        case presence
    }

    /// The entity of the rows.
    package let entity: String
    /// The property that it is about, where it is about one.
    package let property: String?
    /// What is asked.
    package let kind: Kind
    /// Whether a store with such rows is refused; else they are read, and refused when they are saved.
    package let refusesStore: Bool
}

extension ModelDifference {
    /// What the new version asks of the rows that are there. An attribute that the migration fills is
    /// taken care of.
    package var rowRisks: [RowRisk] {
        changes.flatMap(risks) + new.entities.flatMap(countRisks)
            + new.enumerations.compactMap(risk)
    }

    private func risks(_ change: ModelChange) -> [RowRisk] {
        guard let entity = new.entity(named: change.entity) else { return [] }
        func risk(
            _ kind: RowRisk.Kind, _ property: String? = nil, refusesStore: Bool = true
        ) -> [RowRisk] {
            let isFilled = property.map { match.fill(of: $0, in: entity.name) != nil } ?? false
            return isFilled
                ? []
                : [
                    RowRisk(
                        entity: entity.name, property: property, kind: kind,
                        refusesStore: refusesStore)
                ]
        }
        switch change {
        case .limitsChanged(_, let name):
            return tighterLimits(of: name, in: entity).map {
                risk(.limits, name, refusesStore: $0)
            } ?? []
        case .attributeConverted(_, let name, _, .needsData):
            return risk(.narrowedType, name)
        case .uniqueAdded(_, let properties):
            return properties.contains { isNewAndDistinct($0, in: entity) }
                ? [] : risk(.uniqueness(properties))
        case .ruleAdded(_, let name), .ruleChanged(_, let name):
            guard let rule = entity.rules.first(where: { $0.name == name }) else { return [] }
            return risk(.rule(name), refusesStore: new.isEnforcedByStore(rule, of: entity))
        case .entityBecameAbstract: return risk(.abstractEntity)
        case .presenceChanged(_, let name): return risk(.presence, name)
        default: return []
        }
    }

    /// Whether rows are sure to have no two equal values there: none at all, or each a new one.
    private func isNewAndDistinct(_ property: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity),
            match.oldAttribute(of: property, in: declarer.name) == nil,
            match.oldRelationship(of: property, in: declarer.name) == nil
        else { return false }
        if let fill = match.fill(of: property, in: declarer.name) {
            if case .literal = fill { return false }
            return true
        }
        guard let attribute = new.attribute(property, of: entity) else { return true }
        return attribute.defaultValue == nil || attribute.defaultValue == .newUUID
    }

    // MARK: Limits

    /// Nil where every value that was within the old limits is within the new ones; else whether the
    /// store checks one of those that are not implied.
    private func tighterLimits(of name: String, in entity: Entity) -> Bool? {
        guard let old = match.oldAttribute(of: name, in: entity.name),
            let attribute = new.attribute(name, of: entity)
        else { return nil }
        let (before, after) = (old.limits, attribute.limits)
        let tighter = Limits(
            minimum: Self.isTighter(after.minimum, before.minimum) { Value.isLess($1, $0) }
                ? after.minimum : nil,
            maximum: Self.isTighter(after.maximum, before.maximum) { Value.isLess($0, $1) }
                ? after.maximum : nil,
            // No value is shorter than nothing.
            minimumLength: (after.minimumLength ?? 0) > (before.minimumLength ?? 0)
                ? after.minimumLength : nil,
            maximumLength: Self.isTighter(after.maximumLength, before.maximumLength, <)
                ? after.maximumLength : nil,
            pattern: Self.isTighter(after.pattern, before.pattern, !=) ? after.pattern : nil)
        guard !tighter.isEmpty else { return nil }
        if tighter.minimum != nil || tighter.maximum != nil { return true }
        guard !attribute.usesExternalForm else { return false }
        return tighter.minimumLength != nil || tighter.maximumLength != nil
            || tighter.pattern.flatMap(GlobPattern.init(regularExpression:)) != nil
    }

    private static func isTighter<Bound>(
        _ new: Bound?, _ old: Bound?, _ excludesSome: (Bound, Bound) -> Bool
    ) -> Bool {
        guard let new else { return false }
        return old.map { excludesSome(new, $0) } ?? true
    }

    /// Numbers of related objects are checked on save only.
    private func countRisks(of entity: Entity) -> [RowRisk] {
        entity.relationships.filter { relationship in
            guard relationship.isToMany, !relationship.isTransient,
                let old = match.oldRelationship(of: relationship.name, in: entity.name)
            else { return false }
            let (least, oldLeast) = (relationship.minimumCount ?? 0, old.minimumCount ?? 0)
            return least > oldLeast
                || Self.isTighter(relationship.maximumCount, old.maximumCount, <)
        }.map {
            RowRisk(
                entity: entity.name, property: $0.name, kind: .counts, refusesStore: false)
        }
    }

    // MARK: Enumerations

    /// What becomes of rows with a raw value that no case has any more: it stays, and nobody can
    /// read it.
    private func risk(_ enumeration: Enumeration) -> RowRisk? {
        guard let before = old.enumeration(named: enumeration.name) else { return nil }
        let kept = Set(enumeration.cases.map(\.rawValue))
        let removed = before.cases.filter { !kept.contains($0.rawValue) }.map(\.name)
        guard !removed.isEmpty else { return nil }
        let type = AttributeType.enumeration(enumeration.name)
        for entity in new.entities {
            let attribute = entity.attributes.first { attribute in
                attribute.type == type && !attribute.isTransient
                    && match.oldAttribute(of: attribute.name, in: entity.name)?.type == type
                    && match.fill(of: attribute.name, in: entity.name) == nil
            }
            guard let attribute else { continue }
            return RowRisk(
                entity: entity.name, property: attribute.name,
                kind: .removedCases(enumeration: enumeration.name, removed), refusesStore: false)
        }
        return nil
    }
}
