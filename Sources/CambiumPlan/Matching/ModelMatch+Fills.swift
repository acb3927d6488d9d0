import CambiumModel

extension ModelMatch {
    /// What the author gives existing objects as the value of an attribute.
    package func fill(of attribute: String, in entity: String) -> ModelExpression? {
        new.migration?.fills.first { $0.entity == entity && $0.attribute == attribute }?.value
    }

    /// What objects of an entity were, for the fills that look at it; nil where all are new.
    package func formerRow(of entity: Entity) -> Entity? {
        oldEntity(of: entity).map { old.formerRow(of: $0, in: new) }
    }

    /// Whether a fill looks at the attribute's own value, by its new name or by its old one: then it
    /// is computed for every object. Any other fill is for the objects that have no value.
    package func isRevised(_ attribute: String, in entity: String) -> Bool {
        guard let fill = fill(of: attribute, in: entity), let owner = new.entity(named: entity)
        else { return false }
        if support.properties(in: fill, of: owner, of: new).contains(attribute) { return true }
        let former = oldAttribute(of: attribute, in: entity)?.name
        return former.map(FillScope.attributes(in: fill).contains) ?? false
    }

    /// The optional composite value around an attribute that an object has to have for a fill of the
    /// attribute to be for it: where there is none, there is none afterwards. Nil where the fill is for
    /// every object, because the migration gives all that such a value needs, to those without one too.
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

    /// What a value needs from now on its fills give to the values that are there: only one who fills
    /// as well what each of them had means the objects that have none.
    private func isFilled(_ rule: PresenceRule, of entity: Entity) -> Bool {
        guard !rule.required.isEmpty else { return !mayHaveBeenNil(rule, of: entity) }
        guard rule.required.allSatisfy({ fill(of: $0, in: entity.name) != nil }) else {
            return false
        }
        let added = Set(newlyRequiredParts(of: rule.composite, in: entity))
        return added.isEmpty || rule.required.contains { !added.contains($0) }
    }

    /// Whether a value without required parts was there before, and may have been nil. Whatever its
    /// fills give, they give it to the values that are there; one that is new is nothing else.
    private func mayHaveBeenNil(_ rule: PresenceRule, of entity: Entity) -> Bool {
        guard rule.parts.contains(where: { hasOldValues($0, in: entity.name) }) else {
            return false
        }
        let before = entity.compositeAttributes.first { $0.name == rule.composite }
            .flatMap { oldComposite(of: $0, in: entity) }
        return before?.isOptional ?? true
    }

    /// The parts of an optional composite value that it needs now, and that values of before may lack.
    func newlyRequiredParts(of name: String, in entity: Entity) -> [String] {
        guard let rule = entity.presenceRules(in: new).first(where: { $0.composite == name }),
            let composite = entity.compositeAttributes.first(where: { $0.name == name }),
            let before = oldComposite(of: composite, in: entity),
            let oldEntity = oldEntity(of: entity)
        else { return [] }
        let oldRule = oldEntity.presenceRules(in: old).first { $0.composite == before.name }
        return rule.required.filter { part in
            guard let former = oldAttribute(of: part, in: entity.name),
                before.contains(former)
            else { return true }
            // Within a value that every object had, whatever was not optional was there.
            return before.isOptional
                ? oldRule?.required.contains(former.name) != true : former.mayLackValue
        }
    }

    /// Whether objects may have a value of the attribute already.
    package func hasOldValues(_ attribute: String, in entity: String) -> Bool {
        guard let owner = new.entity(named: entity) else { return false }
        return sources(of: attribute, in: owner).contains {
            oldAttribute(at: $0.old)?.isTransient == false
        }
    }
}

extension Attribute {
    /// Whether stored objects may have no value of it. What is derived may be required, and still be
    /// absent where it cannot be computed (an overflow).
    package var mayLackValue: Bool { isOptional || derivation != nil }
}
