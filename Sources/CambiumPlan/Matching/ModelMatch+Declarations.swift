import CambiumModel

extension ModelMatch {
    /// Objects of an entity of the old version that are dropped by a condition.
    package struct ConditionalDrop {
        /// The entity. Objects of its sub-entities are not included.
        package let entity: Entity
        /// The condition that selects its objects.
        package let condition: ModelExpression
        /// The selected objects and the reason, in words.
        package let words: String
    }

    /// The drops by a condition, in the order of the declarations. If the store cannot compute the
    /// condition of a drop, the drop is reported, and is not in the result.
    package var conditionalDrops: [ConditionalDrop] {
        (new.migration?.drops ?? []).compactMap { drop in
            guard let entity = old.entity(named: drop.entity), let condition = drop.condition,
                support.finds(where: condition, of: entity, in: self)
            else { return nil }
            return ConditionalDrop(
                entity: entity, condition: condition,
                words: "the objects of \(entity.name) where \(condition)"
                    + (drop.reason.isEmpty ? "" : " (\(drop.reason))"))
        }
    }

    /// Whether every object of an entity of the old version is dropped.
    package func isEmptied(_ oldEntity: Entity) -> Bool {
        (new.migration?.drops ?? []).contains {
            $0.entity == oldEntity.name && $0.condition == .literal(.bool(true))
        }
    }

    /// Whether no objects of an entity exist before the new version creates one.
    func hasNoObjects(_ entity: Entity) -> Bool {
        new.family(of: entity).allSatisfy { member in
            oldEntity(of: member).map { $0.isAbstract || isEmptied($0) } ?? true
        }
    }

    /// Whether every object has a property already, because the author declares it, or because all
    /// objects without it are dropped.
    func isRequired(_ property: String, in entity: String) -> Bool {
        isDeclaredRequired(property, in: entity)
            || givesUpAll(without: .init(entity: entity, property: property))
    }

    func isDeclaredRequired(_ property: String, in entity: String) -> Bool {
        new.migration?.requirements.contains { $0.entity == entity && $0.property == property }
            ?? false
    }

    private func givesUpAll(without property: PropertyName) -> Bool {
        let drops = (new.migration?.drops ?? []).filter { $0.condition != nil }
        guard !drops.isEmpty, let owner = new.entity(named: property.entity) else { return false }
        let members = new.family(of: owner).compactMap { member in
            oldEntity(of: member).flatMap { $0.isAbstract ? nil : (new: member, old: $0) }
        }
        return members.allSatisfy { member in
            guard let source = source(of: property, for: member.new) else { return false }
            return drops.contains { drop in
                drop.entity == member.old.name && drop.condition == conditionOfNone(at: source)
            }
        }
    }

    /// Returns the condition that an old object has no value or link at a property.
    func conditionOfNone(at property: PropertyName) -> ModelExpression {
        let path = ModelExpression.keyPath(
            root: .subject, names: property.property.split(separator: ".").map(String.init))
        return oldRelationship(at: property)?.isToMany == true
            ? .comparison(.aggregate(.count, path), .equal, .literal(.int(0)), [])
            : .comparison(path, .equal, .literal(.null), [])
    }

    /// Returns the declared link for objects with an empty to-one relationship.
    package func link(of relationship: String, in entity: String) -> MigrationDeclaration.Link? {
        new.migration?.links.first { $0.entity == entity && $0.relationship == relationship }
    }
}

extension ModelMatch {
    /// Returns the fill of an attribute for existing objects.
    @inline(never)
    package func fill(of attribute: String, in entity: String) -> ModelExpression? {
        new.migration?.fills.first { $0.entity == entity && $0.attribute == attribute }?.value
    }

    /// Returns the former objects of an entity, for fills that use them; nil if all objects are
    /// new.
    package func formerRow(of entity: Entity) -> Entity? {
        oldEntity(of: entity).map { old.formerRow(of: $0, in: new) }
    }

    /// Whether a fill uses the attribute's own value, by its new name or by its old one. Such a
    /// fill is computed for every object. Any other fill is for the objects without a value.
    @inline(never)
    package func isRevised(_ attribute: String, in entity: String) -> Bool {
        guard let fill = fill(of: attribute, in: entity), let owner = new.entity(named: entity)
        else { return false }
        if support.properties(in: fill, of: owner, of: new).contains(attribute) { return true }
        let former = oldAttribute(of: attribute, in: entity)?.name
        return former.map(FillScope.attributes(in: fill).contains) ?? false
    }

    /// Returns the optional composite value around an attribute that an object must have for the
    /// attribute's fill to apply. An object without the value stays without it. The result is nil
    /// if the fill is for every object, because the migration supplies everything that the value
    /// requires.
    package func valueAround(_ attribute: Attribute, of entity: Entity) -> PresenceRule? {
        entity.optionalValues(in: new).filter { $0.parts.contains(attribute.name) }
            .max { one, other in
                let (isOneWhole, isOtherWhole) = (
                    isFilled(one, of: entity), isFilled(other, of: entity)
                )
                if isOneWhole != isOtherWhole { return isOneWhole }
                return one.parts.count > other.parts.count
            }
            .flatMap { isFilled($0, of: entity) ? nil : $0 }
    }

    /// Whether fills create the value in objects without it. Fills of newly required parts complete
    /// existing values. Only if a fill also supplies a part that every value already had, objects
    /// without the value are meant.
    @inline(never)
    private func isFilled(_ rule: PresenceRule, of entity: Entity) -> Bool {
        guard !rule.required.isEmpty else { return !mayHaveBeenNil(rule, of: entity) }
        guard rule.required.allSatisfy({ fill(of: $0, in: entity.name) != nil }) else {
            return false
        }
        let added = Set(newlyRequiredParts(of: rule.composite, in: entity))
        return added.isEmpty || rule.required.contains { !added.contains($0) }
    }

    /// Whether a value without required parts existed before, and may have been nil. Its fills then
    /// apply to existing values. They create a value only if it is new.
    @inline(never)
    private func mayHaveBeenNil(_ rule: PresenceRule, of entity: Entity) -> Bool {
        guard rule.parts.contains(where: { hasOldValues($0, in: entity.name) }) else {
            return false
        }
        let before = entity.compositeAttribute(named: rule.composite)
            .flatMap { oldComposite(of: $0, in: entity) }
        return before?.isOptional ?? true
    }

    /// Returns the parts that an optional composite value now requires and that old values may
    /// lack.
    func newlyRequiredParts(of name: String, in entity: Entity) -> [String] {
        guard let rule = entity.presenceRules(in: new).first(where: { $0.composite == name }),
            let composite = entity.compositeAttribute(named: name),
            let before = oldComposite(of: composite, in: entity),
            let oldEntity = oldEntity(of: entity)
        else { return [] }
        let oldRule = oldEntity.presenceRules(in: old).first { $0.composite == before.name }
        return rule.required.filter { part in
            guard let former = oldAttribute(of: part, in: entity.name),
                before.contains(former)
            else { return true }
            // In a value that every object had, all parts that were not optional existed.
            return before.isOptional
                ? oldRule?.required.contains(former.name) != true : former.mayLackValue
        }
    }

    /// Whether objects may have a value of the attribute already.
    @inline(never)
    package func hasOldValues(_ attribute: String, in entity: String) -> Bool {
        guard let owner = new.entity(named: entity) else { return false }
        return sources(of: attribute, in: owner).contains {
            oldAttribute(at: $0.old)?.isTransient == false
        }
    }
}

extension Attribute {
    /// Whether stored objects may lack a value of it. A derived value may be required and still be
    /// missing if it cannot be computed (an overflow).
    package var mayLackValue: Bool { isOptional || derivation != nil }
}
