import CambiumModel

// What the versions ask alike, rows may meet no longer where the migration gives them other values.
extension ModelDifference {
    /// Uniqueness and rules that stay, and that are about values which do not.
    func revisionRisks(of entity: Entity) -> [RowRisk] {
        guard match.oldEntity(of: entity) != nil, !isSupplied(entity) else { return [] }
        func risk(_ kind: RowRisk.Kind) -> RowRisk {
            RowRisk(entity: entity.name, property: nil, kind: kind, refusesStore: true)
        }
        let uniques = entity.uniqueConstraints.map(\.properties).filter { properties in
            !changes.contains(.uniqueAdded(entity: entity.name, properties))
                && (hasLateMerges(by: properties, of: entity)
                    || new.deduplication(by: properties, of: entity.name) == nil
                        && properties.contains { mayBecomeEqual($0, in: entity) })
        }
        let rules = entity.rules.filter { rule in
            guard !isNew(rule: rule.name, of: entity),
                match.support.enforces(rule, of: entity, in: new)
            else { return false }
            return match.support.properties(in: rule.condition, of: entity, of: new)
                .contains { isRevised($0, in: entity) }
        }
        return uniques.map { risk(.uniqueness($0)) } + rules.map { risk(.rule($0.name)) }
    }

    /// Whether a rule is new in this version, or says something else than before.
    package func isNew(rule: String, of entity: Entity) -> Bool {
        changes.contains(.ruleAdded(entity: entity.name, rule))
            || changes.contains(.ruleChanged(entity: entity.name, rule))
    }

    /// Fills with the value of an attribute whose type holds more.
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

    /// Whether objects may become equal as those that they lead to become one, and nothing else that is
    /// unique tells them apart.
    func hasLateMerges(by properties: [String], of entity: Entity) -> Bool {
        guard !lateMerges(by: properties, of: entity).isEmpty else { return false }
        return !new.lineage(of: entity).flatMap(\.uniqueConstraints).contains { other in
            other.properties.count < properties.count
                && other.properties.allSatisfy(properties.contains)
                && lateMerges(by: other.properties, of: entity).isEmpty
        }
    }

    /// Whether a fill, or what takes the place of a case, gives objects another value than before,
    /// and not only those that a condition names: what that is for its author knows.
    private func isRevised(_ property: String, in entity: Entity) -> Bool {
        guard let declarer = new.declarer(of: property, in: entity),
            let attribute = new.attribute(property, of: entity)
        else { return false }
        if hasReplacedCases(attribute) { return true }
        return match.isRevised(property, in: declarer.name)
            && match.fill(of: property, in: declarer.name).map { !$0.keepsSome(of: property) }
                ?? false
    }

    /// Whether two objects whose values differed, or of which one had none, may have the same.
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

    /// Whether several old values are the same value of the new type: texts of a number.
    private func hasSeveralForms(_ old: AttributeType, in type: AttributeType) -> Bool {
        guard self.old.plainType(of: old) == .string else { return false }
        switch new.plainType(of: type) {
        case .bool, .float, .double, .decimal, .anyDecimal: return true
        default: return false
        }
    }
}

extension ModelExpression {
    /// Whether it leaves the value of an attribute as it is where a condition says so.
    fileprivate func keepsSome(of attribute: String) -> Bool {
        guard case .conditional(_, let one, let other) = self else { return false }
        let value = ModelExpression.keyPath(
            root: .subject, names: attribute.split(separator: ".").map(String.init))
        return [one, other].contains { $0 == value || $0.keepsSome(of: attribute) }
    }

    /// Whether it adds the same to every value of an attribute, so that those that differ still do.
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
