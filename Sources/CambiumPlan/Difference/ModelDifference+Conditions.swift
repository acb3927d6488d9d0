import CambiumModel

extension ModelDifference {
    // MARK: Uniqueness

    /// Whether the old version allowed no two objects with the same values of some of the
    /// properties, so that none have the same values of all.
    func wasUnique(_ properties: [String], in entity: Entity) -> Bool {
        guard let oldEntity = match.oldEntity(of: entity) else { return false }
        return old.lineage(of: oldEntity).contains { owner in
            owner.uniqueConstraints.contains { constraint in
                constraint.properties.allSatisfy { name in
                    let newName = newName(of: name, in: owner)
                    return properties.contains(newName) && keeps(newName, from: name, in: entity)
                }
            }
        }
    }

    /// Whether objects have the very values of a property that they had before.
    private func keeps(_ property: String, from oldName: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity) else { return false }
        if let attribute = new.attribute(property, of: entity),
            let before = match.oldAttribute(of: property, in: declarer.name)
        {
            return before.name == oldName && before.type == attribute.type
                && !before.isTransient && (attribute.isOptional || !before.mayLackValue)
                && match.fill(of: property, in: declarer.name) == nil
        }
        let before = match.oldRelationship(of: property, in: declarer.name)
        return before?.name == oldName && before?.isToMany == false
    }

    /// Whether the values in the rows are certainly unique: the rows have no value, or each gets a
    /// new one.
    func isNewAndDistinct(_ property: String, in entity: Entity) -> Bool {
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

    // MARK: Rules

    /// Whether the rules of the old version included all conditions of a rule, for values that the
    /// migration does not change.
    func wasAsked(_ rule: Rule, of entity: Entity) -> Bool {
        guard let oldEntity = match.oldEntity(of: entity) else { return false }
        let filled = new.lineage(of: entity).flatMap { owner in
            owner.attributes.map { $0.name }.filter { match.fill(of: $0, in: owner.name) != nil }
        }
        let properties = match.support.properties(in: rule.condition, of: entity, of: new)
        guard properties.isDisjoint(with: filled) else { return false }
        // Rows in a store are sure to meet only the rules that the store itself checks.
        let isEnforced = match.support.enforces(rule, of: entity, in: new)
        let asked = old.lineage(of: oldEntity).flatMap { owner in
            owner.rules.filter {
                !isEnforced || match.support.enforces($0, of: owner, in: old)
            }.flatMap {
                inNewNames(afterReplacements($0.condition, of: owner), of: owner).conjuncts
            }
        }
        return rule.condition.conjuncts.allSatisfy(asked.contains)
    }

    /// Returns a condition of the old version with new cases in place of the cases that they
    /// replace. An object has the new case exactly if it had the old one.
    private func afterReplacements(
        _ condition: ModelExpression, of owner: Entity
    ) -> ModelExpression {
        condition.transformed { expression in
            guard
                case .comparison(
                    .keyPath(root: .subject, let names), let relation, .literal(let value),
                    let options) = expression, relation == .equal || relation == .notEqual,
                case .enumeration(let name)? = old.attribute(
                    names.joined(separator: "."), of: owner)?.type,
                let cases = old.enumeration(named: name)?.cases,
                let former = cases.first(where: { $0.rawValue == value }),
                let replacement = new.replacement(of: former.name, in: name),
                let successor = new.enumeration(named: name)?.cases.first(where: {
                    $0.name == replacement.replacement
                }), !cases.contains(where: { $0.rawValue == successor.rawValue }),
                new.migration?.replacements.count(where: { $0.replacement == successor.name }) == 1
            else { return nil }
            return .comparison(
                .keyPath(root: .subject, names: names), relation, .literal(successor.rawValue),
                options)
        }
    }

    /// A condition of the old version with the names that its properties have now.
    func inNewNames(_ condition: ModelExpression, of oldEntity: Entity) -> ModelExpression {
        condition.transformed { expression in
            guard case .keyPath(root: .subject, let names) = expression else { return nil }
            return .keyPath(root: .subject, names: newNames(of: names, from: oldEntity))
        }
    }

    private func newNames(of path: [String], from oldEntity: Entity) -> [String] {
        var owner = oldEntity
        var names: [String] = []
        for (position, name) in path.enumerated() {
            guard let relationship = old.relationship(name, of: owner) else {
                // The attribute at the end has several names if it is within a composite value.
                let attribute = path[position...].joined(separator: ".")
                return names
                    + newName(of: attribute, in: owner).split(separator: ".").map(String.init)
            }
            names.append(newName(of: name, in: owner))
            guard let destination = old.entity(named: relationship.destination) else {
                return names + path[(position + 1)...]
            }
            owner = destination
        }
        return names
    }

    /// Returns the new name of a property of an old entity, or of its ancestors.
    @inline(never)
    func newName(of property: String, in oldEntity: Entity) -> String {
        guard let declarer = old.declarer(of: property, in: oldEntity) else { return property }
        return match.newAttribute(of: property, in: declarer.name)?.name
            ?? match.newRelationship(of: property, in: declarer.name)?.name ?? property
    }
}

extension ModelExpression {
    /// The conditions that all have to be true.
    fileprivate var conjuncts: [ModelExpression] {
        guard case .and(let operands) = self else { return [self] }
        return operands.flatMap { $0.conjuncts }
    }
}

// Rows may violate a constraint that both versions have if the migration gives them other values.
extension ModelDifference {
    /// Returns the risks of unchanged unique constraints and rules on values that change.
    func revisionRisks(of entity: Entity) -> [RowRisk] {
        guard match.oldEntity(of: entity) != nil, !isSupplied(entity) else { return [] }
        var kinds: [RowRisk.Kind] = []
        for constraint in entity.uniqueConstraints
        where mayRepeat(constraint.properties, in: entity) {
            kinds.append(.uniqueness(constraint.properties))
        }
        for rule in entity.rules where looksAtRevised(rule, of: entity) {
            kinds.append(.rule(rule.name))
        }
        return kinds.map {
            RowRisk(entity: entity.name, property: nil, kind: $0, refusesStore: true)
        }
    }

    /// Whether properties that were unique before may be so no longer.
    private func mayRepeat(_ properties: [String], in entity: Entity) -> Bool {
        if changes.contains(.uniqueAdded(entity: entity.name, properties)) { return false }
        if hasLateMerges(by: properties, of: entity) { return true }
        guard new.deduplication(by: properties, of: entity.name) == nil else { return false }
        for property in properties where mayBecomeEqual(property, in: entity) { return true }
        return false
    }

    /// Whether an unchanged rule that the store checks uses values that change.
    private func looksAtRevised(_ rule: Rule, of entity: Entity) -> Bool {
        guard !isNew(rule: rule.name, of: entity),
            match.support.enforces(rule, of: entity, in: new)
        else { return false }
        for property in match.support.properties(in: rule.condition, of: entity, of: new)
        where isRevised(property, in: entity) {
            return true
        }
        return false
    }

    /// Whether a rule is new or changed in this version.
    package func isNew(rule: String, of entity: Entity) -> Bool {
        changes.contains(.ruleAdded(entity: entity.name, rule))
            || changes.contains(.ruleChanged(entity: entity.name, rule))
    }

    /// The risks of fills that take the value of an attribute with a wider type.
    var fillRisks: [RowRisk] {
        (new.migration?.fills ?? []).compactMap { fill in
            guard case .keyPath(root: .subject, let names) = fill.value,
                let entity = new.entity(named: fill.entity), !isSupplied(entity),
                let attribute = new.attribute(fill.attribute, of: entity),
                let source = new.attribute(names.joined(separator: "."), of: entity),
                source.name != attribute.name,
                let range = attribute.type.descriptor.integers,
                let wider = source.type.descriptor.integers,
                wider.lowerBound < range.lowerBound || wider.upperBound > range.upperBound
            else { return nil }
            return RowRisk(
                entity: entity.name, property: attribute.name,
                kind: .narrowedType(isFillable: true), refusesStore: true)
        }
    }

    /// Whether objects may become equal because objects that they reference are merged, and no
    /// other unique constraint distinguishes them.
    func hasLateMerges(by properties: [String], of entity: Entity) -> Bool {
        guard !lateMerges(by: properties, of: entity).isEmpty else { return false }
        return !new.lineage(of: entity).flatMap { $0.uniqueConstraints }.contains { other in
            other.properties.count < properties.count
                && other.properties.allSatisfy(properties.contains)
                && lateMerges(by: other.properties, of: entity).isEmpty
        }
    }

    /// Whether a fill or the replacement of a case changes the values of objects, and not only of
    /// objects that a condition selects. In the second case, the author has chosen the objects.
    private func isRevised(_ property: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity),
            let attribute = new.attribute(property, of: entity)
        else { return false }
        if hasReplacedCases(attribute) { return true }
        return match.isRevised(property, in: declarer.name)
            && match.fill(of: property, in: declarer.name).map { !$0.keepsSome(of: property) }
                ?? false
    }

    /// Whether two objects with different values, or one without a value, may get the same value.
    private func mayBecomeEqual(_ property: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity),
            let attribute = new.attribute(property, of: entity),
            match.hasOldValues(property, in: declarer.name)
        else { return false }
        if hasReplacedCases(attribute) { return true }
        let olds = match.sources(of: property, in: declarer).compactMap {
            match.oldAttribute(at: $0.old)
        }
        if let fill = match.fill(of: property, in: declarer.name) {
            if match.isRevised(property, in: declarer.name) { return !fill.isShift(of: property) }
            if olds.contains(where: \.mayLackValue) { return true }
        }
        return olds.contains { hasSeveralForms($0.type, in: attribute.type) }
    }

    private func hasReplacedCases(_ attribute: Attribute) -> Bool {
        guard case .enumeration(let name) = attribute.type else { return false }
        return new.migration?.replacements.contains {
            $0.enumeration == name && $0.replacement != nil && $0.replacement != $0.name
        } ?? false
    }

    /// Whether several old values can become the same new value, such as different texts of one
    /// number.
    private func hasSeveralForms(_ old: AttributeType, in type: AttributeType) -> Bool {
        guard self.old.plainType(of: old) == .string else { return false }
        switch new.plainType(of: type) {
        case .bool, .float, .double, .decimal, .anyDecimal: return true
        default: return false
        }
    }
}

extension ModelExpression {
    /// Returns whether the expression leaves the value of an attribute unchanged in one branch of a
    /// condition.
    @inline(never)
    fileprivate func keepsSome(of attribute: String) -> Bool {
        guard case .conditional(_, let one, let other) = self else { return false }
        let value = ModelExpression.keyPath(
            root: .subject, names: attribute.split(separator: ".").map(String.init))
        return [one, other].contains { $0 == value || $0.keepsSome(of: attribute) }
    }

    /// Returns whether the expression adds the same number to every value of an attribute, so that
    /// different values stay different.
    fileprivate func isShift(of attribute: String) -> Bool {
        func isValue(_ expression: ModelExpression) -> Bool {
            guard case .keyPath(root: .subject, let names) = expression else { return false }
            return names.joined(separator: ".") == attribute
        }
        guard case .arithmetic(let left, let sign, let right) = self,
            sign == .add || sign == .subtract
        else { return false }
        return switch (left, right) {
        case (_, .literal): isValue(left)
        case (.literal, _): isValue(right)
        default: false
        }
    }
}
