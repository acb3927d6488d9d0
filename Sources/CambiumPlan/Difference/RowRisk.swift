import CambiumModel

/// A condition of a new version that some existing rows may violate. The versions alone do not show
/// whether there are such rows; that depends on the stores.
package struct RowRisk: Sendable, Equatable {
    /// The condition on the rows.
    package enum Kind: Sendable, Equatable {
        /// No two rows have the same values of these properties.
        case uniqueness([String])
        /// Values are within limits that are new or tighter.
        case limits
        /// Values may not fit into a smaller type. The associated value is whether a fill can
        /// convert them.
        case narrowedType(isFillable: Bool)
        /// Rows meet the rule of that name.
        case rule(String)
        /// The number of objects of a relationship is within its limits.
        case counts
        /// The entity, now abstract, has no objects of its own.
        case abstractEntity
        /// A composite value has all required parts, including these new ones, or it is nil.
        case presence(of: [String])
        /// Values are in the row, none in a file.
        case inRow
    }

    /// The entity of the rows.
    package let entity: String
    /// The property, or nil if the risk does not concern a single one.
    package let property: String?
    /// The condition on the rows.
    package let kind: Kind
    /// Whether the migration fails for a store with such rows. Otherwise such rows are read, and
    /// rejected when they are saved.
    package let refusesStore: Bool
}

extension ModelDifference {
    /// The conditions of the new version that existing rows may violate.
    ///
    /// If an attribute has a fill that uses the old value, there is no condition for the attribute,
    /// because the fill handles it. A fill for objects without a value changes no other objects. If
    /// objects are dropped by a condition, the author has checked the remaining objects.
    package var rowRisks: [RowRisk] {
        let risks =
            changes.flatMap(risks) + new.entities.flatMap(countRisks)
            + new.entities.filter { !match.settled.contains($0.name) }.flatMap(revisionRisks)
            + fillRisks
        guard !match.conditionalDrops.isEmpty else { return risks }
        return risks.filter { !losesObjects($0.entity) || losesMembers($0) }
    }

    /// Whether counted objects are deleted, so that the remaining ones may be too few.
    private func losesMembers(_ risk: RowRisk) -> Bool {
        guard risk.kind == .counts, let name = risk.property,
            let entity = new.entity(named: risk.entity),
            let relationship = new.relationship(name, of: entity),
            let destination = new.entity(named: relationship.destination)
        else { return false }
        let members = Set(new.family(of: destination).compactMap { match.oldEntity(of: $0)?.name })
        return (relationship.counts.minimum ?? 0) > 0
            && match.conditionalDrops.contains {
                $0.entity.name != match.oldEntity(of: entity)?.name
                    && members.contains($0.entity.name)
            }
    }

    private func losesObjects(_ name: String) -> Bool {
        guard let entity = new.entity(named: name) else { return false }
        let members = new.family(of: entity).compactMap(match.oldEntity).filter { !$0.isAbstract }
        let dropped = Set(match.conditionalDrops.map { $0.entity.name })
        return !members.isEmpty && members.allSatisfy { dropped.contains($0.name) }
    }

    private func risks(_ change: ModelChange) -> [RowRisk] {
        guard let entity = new.entity(named: change.entity) else { return [] }
        // A step of the program is responsible for the values that it writes, and proves them. It
        // does not see values that do not fit.
        if isSupplied(entity) {
            guard case .attributeConverted = change else { return [] }
        }
        func risk(
            _ kind: RowRisk.Kind, _ property: String? = nil, refusesStore: Bool = true
        ) -> [RowRisk] {
            [
                RowRisk(
                    entity: entity.name, property: property, kind: kind,
                    refusesStore: refusesStore)
            ]
        }
        switch change {
        case .limitsChanged(_, let name, isTighter: true):
            guard !match.isRevised(name, in: entity.name),
                let refusesStore = tighterLimits(of: name, in: entity)
            else { return [] }
            return risk(.limits, name, refusesStore: refusesStore)
        case .attributeConverted(_, let name, _, isChecked: true):
            let isFillable = canFill(name, in: entity)
            if isFillable, match.isRevised(name, in: entity.name) { return [] }
            return risk(.narrowedType(isFillable: isFillable), name)
        case .uniqueAdded(_, let properties):
            let isMet =
                properties.contains { isNewAndDistinct($0, in: entity) }
                || !hasLateMerges(by: properties, of: entity)
                    && (new.deduplication(by: properties, of: entity.name) != nil
                        || wasUnique(properties, in: entity))
            return isMet ? [] : risk(.uniqueness(properties))
        case .ruleAdded(_, let name), .ruleChanged(_, let name):
            guard let rule = entity.rule(named: name),
                !wasAsked(rule, of: entity)
            else { return [] }
            let refusesStore = match.support.enforces(rule, of: entity, in: new)
            return risk(.rule(name), refusesStore: refusesStore)
        case .entityBecameAbstract: return risk(.abstractEntity)
        case .externalChanged(_, let name, isExternal: false): return risk(.inRow, name)
        case .presenceChanged(_, let name):
            let open = match.newlyRequiredParts(of: name, in: entity).filter {
                match.fill(of: $0, in: entity.name) == nil
            }
            return open.isEmpty ? [] : risk(.presence(of: open), name)
        default: return []
        }
    }

    /// Whether a fill can use all information of the old values.
    private func canFill(_ name: String, in entity: Entity) -> Bool {
        guard let attribute = entity.attribute(named: name) else {
            return false
        }
        return match.sources(of: name, in: entity).compactMap { match.oldAttribute(at: $0.old) }
            .allSatisfy { before in
                AttributeConversion(from: before, in: old, to: attribute, in: new)
                    .map { $0.isExact == nil } ?? false
            }
    }

    // MARK: Limits

    /// Returns nil if every value within the old limits is within the new ones. Otherwise returns
    /// whether the store checks one of the tighter limits.
    private func tighterLimits(of name: String, in entity: Entity) -> Bool? {
        guard let attribute = new.attribute(name, of: entity) else { return nil }
        // Objects may have it from elsewhere in the hierarchy, and from several sources.
        let checks = match.sources(of: name, in: entity)
            .compactMap { match.oldAttribute(at: $0.old) }
            .compactMap { tighterLimits(of: attribute, than: $0.limits) }
        return checks.isEmpty ? nil : checks.contains(true)
    }

    private func tighterLimits(of attribute: Attribute, than before: Limits) -> Bool? {
        let tighter = attribute.limits.tightened(since: before)
        guard !tighter.isEmpty else { return nil }
        let enforced = attribute.enforcedLimits.tightened(since: before)
        if enforced.minimum != nil || enforced.maximum != nil { return true }
        guard !attribute.usesExternalForm else { return false }
        return enforced.minimumLength != nil || enforced.maximumLength != nil
            || enforced.pattern.map(match.support.enforces(pattern:)) == true
    }

    // MARK: Numbers of objects

    /// Numbers of related objects are checked on save only.
    private func countRisks(of entity: Entity) -> [RowRisk] {
        entity.relationships.filter { relationship in
            guard relationship.isToMany, !relationship.isTransient else { return false }
            // Objects may have it from elsewhere in the hierarchy, and from several sources.
            return match.sources(of: relationship.name, in: entity)
                .compactMap { match.oldRelationship(at: $0.old)?.counts }
                .contains { before in
                    let after = relationship.counts
                    return (after.minimum ?? 0) > (before.minimum ?? 0)
                        || Limits.isTighter(after.maximum, before.maximum, <)
                }
        }.map {
            RowRisk(
                entity: entity.name, property: $0.name, kind: .counts, refusesStore: false)
        }
    }
}

extension Limits {
    /// Returns the limits that reject values within the old limits.
    func tightened(since before: Limits) -> Limits {
        Limits(
            minimum: Self.isTighter(minimum, before.minimum) { Value.isLess($1, $0) }
                ? minimum : nil,
            maximum: Self.isTighter(maximum, before.maximum) { Value.isLess($0, $1) }
                ? maximum : nil,
            // The minimum length of any value is 0.
            minimumLength: (minimumLength ?? 0) > (before.minimumLength ?? 0)
                ? minimumLength : nil,
            maximumLength: Self.isTighter(maximumLength, before.maximumLength, <)
                ? maximumLength : nil,
            pattern: Self.isTighter(pattern, before.pattern, !=) ? pattern : nil)
    }

    fileprivate static func isTighter<Bound>(
        _ new: Bound?, _ old: Bound?, _ excludesSome: (Bound, Bound) -> Bool
    ) -> Bool {
        guard let new else { return false }
        return old.map { excludesSome(new, $0) } ?? true
    }
}

extension Relationship {
    /// The minimum and maximum number of its objects; nil means no limit.
    var counts: Counts {
        isToMany
            ? Counts(minimum: minimumCount, maximum: maximumCount)
            : Counts(minimum: isOptional ? nil : 1, maximum: 1)
    }

    struct Counts: Equatable {
        let minimum: Int?
        let maximum: Int?
    }
}

extension Attribute {
    /// The limits that the store's CHECK constraints can enforce. If the attribute's own default
    /// violates a limit, that limit is not one of them, because a migration writes the default into
    /// rows. (Only models from Xcode have such defaults.)
    package var enforcedLimits: Limits {
        guard !limits.isEmpty, case .constant(let value)? = defaultValue else { return limits }
        let length = value.length
        let isMatched =
            if case .string(let text) = value, let pattern = limits.pattern {
                (try? Regex(pattern).wholeMatch(in: text)) != nil
            } else {
                true
            }
        return Limits(
            minimum: limits.minimum.flatMap { Value.isLess(value, $0) ? nil : $0 },
            maximum: limits.maximum.flatMap { Value.isLess($0, value) ? nil : $0 },
            minimumLength: limits.minimumLength.flatMap { length ?? .max < $0 ? nil : $0 },
            maximumLength: limits.maximumLength.flatMap { length ?? 0 > $0 ? nil : $0 },
            pattern: isMatched ? limits.pattern : nil)
    }
}

extension Value {
    /// The number of Unicode scalars of a string, or of bytes of data.
    package var length: Int? {
        switch self {
        case .string(let text): text.unicodeScalars.count
        case .data(let data): data.count
        default: nil
        }
    }
}
