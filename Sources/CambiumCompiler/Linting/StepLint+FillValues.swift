import CambiumModel
import CambiumPlan

// What the attributes that a fill looks at may be: it sees what other fills and defaults give them, or,
// where two fills look at each other, what was there before.
extension StepLint {
    /// What may make the fill of an attribute nil.
    func nullability(ofFillOf reader: String, of entity: Entity) -> FillNullability {
        FillNullability(
            mayBeNil: { self.mayBeNil($0, where: $1, inFillOf: reader, of: entity) },
            mayBeZero: { self.mayBeZero($0, inFillOf: reader, of: entity) })
    }

    /// What in the fill of an attribute leaves an object without a value that it needs.
    func culprit(in fill: MigrationDeclaration.Fill) -> FillNullability.Culprit? {
        guard let entity = new.model.entity(named: fill.entity),
            let attribute = new.model.attribute(fill.attribute, of: entity)
        else { return nil }
        var nullability = nullability(ofFillOf: attribute.name, of: entity)
        if !attribute.isOptional { return nullability.culprits(in: fill.value).first }
        // A composite value that has another part needs this one.
        guard let rule = rule(requiring: attribute.name, of: entity),
            difference.isNewlyRequired(attribute.name, of: rule.composite, in: entity)
        else { return nil }
        if !difference.fillsEveryObject(attribute, of: entity) {
            // The value is there, and with it what it has always needed.
            let established = rule.required.filter {
                !difference.isNewlyRequired($0, of: rule.composite, in: entity)
            }
            nullability = nullability.knowing(Set([rule.composite] + established))
        }
        return nullability.culprits(in: fill.value).first { found in
            rule.parts.contains { part in
                guard part != attribute.name, found != .absent(part) else { return false }
                if !difference.isAdded(part, to: entity.name) { return true }
                guard let other = difference.fill(of: part, in: entity) else { return false }
                // Both are nil then, so that there is no value.
                let others = self.nullability(ofFillOf: part, of: entity).culprits(in: other)
                return !others.contains(found)
            }
        }
    }

    /// The rule of the optional composite value that has an attribute whenever it is there.
    private func rule(requiring part: String, of entity: Entity) -> PresenceRule? {
        entity.presenceRules(in: new.model).first { $0.required.contains(part) }
    }

    /// - Parameter present: The attributes, and composite values, that are known to be there.
    private func mayBeNil(
        _ path: String, where present: Set<String>, inFillOf reader: String, of entity: Entity
    ) -> Bool {
        if let name = FillNullability.formerName(path) {
            let row = difference.match.formerRow(of: entity)
            return row?.attributes.first { $0.name == name }?.isOptional ?? false
        }
        guard let attribute = new.model.attribute(path, of: entity),
            let declarer = new.model.declarer(of: path, in: entity)
        else { return false }
        let former = difference.match.oldAttribute(of: path, in: declarer.name)
        let mayLack = attribute.isOptional || former?.isOptional == true
        let rule = rule(requiring: path, of: declarer)
            .flatMap { present.contains($0.composite) ? $0 : nil }
        if difference.seesOldValue(of: path, inFillOf: reader, of: entity) {
            if difference.isAdded(path, to: declarer.name) { return true }
            return rule.map {
                difference.isNewlyRequired(path, of: $0.composite, in: declarer)
            } ?? mayLack
        }
        let isSupplied = difference.supplied.contains {
            $0.entity == declarer.name && $0.property == path
        }
        if isSupplied || attribute.derivation != nil { return mayLack }
        // What is required, and gets no value, is told of itself.
        if !attribute.isOptional || rule != nil { return false }
        guard let fill = difference.fill(of: path, in: declarer) else {
            return attribute.defaultValue == nil || !difference.isAdded(path, to: declarer.name)
        }
        return !difference.fillsEveryObject(attribute, of: declarer)
            || isEmpty(fill, of: path, in: declarer)
    }

    /// Whether a fill may come to nil. Found out once: each of a chain of fills may look at the one
    /// before several times.
    private func isEmpty(_ fill: ModelExpression, of path: String, in entity: Entity) -> Bool {
        let property = ModelMatch.PropertyName(entity: entity.name, property: path)
        if let known = emptyFills.known[property] { return known }
        let isEmpty = !nullability(ofFillOf: path, of: entity).culprits(in: fill).isEmpty
        emptyFills.known[property] = isEmpty
        return isEmpty
    }

    /// Whether a number may be 0: where neither its limits nor what it is given exclude it.
    private func mayBeZero(_ path: String, inFillOf reader: String, of entity: Entity) -> Bool {
        guard let declarer = new.model.declarer(of: path, in: entity) else { return true }
        let before = difference.match.oldAttribute(of: path, in: declarer.name)
        if !difference.seesOldValue(of: path, inFillOf: reader, of: entity),
            case .literal(let value)? = valueGiven(to: path, of: declarer)
        {
            let isZero = value.sign == 0
            guard !isZero, !difference.isAdded(path, to: declarer.name) else { return isZero }
        }
        guard let limits = before?.limits else { return true }
        let isPositive = limits.minimum?.sign == 1
        let isNegative = limits.maximum?.sign == -1
        return !isPositive && !isNegative
    }

    /// What objects get that have no value of an attribute.
    private func valueGiven(to path: String, of entity: Entity) -> ModelExpression? {
        if let fill = difference.fill(of: path, in: entity) { return fill }
        guard let attribute = new.model.attribute(path, of: entity),
            difference.isAdded(path, to: entity.name) || !attribute.isOptional,
            case .constant(let value)? = attribute.defaultValue
        else { return nil }
        return .literal(value)
    }
}

/// Which fills may come to nil, as far as it has been asked.
final class EmptyFills {
    fileprivate var known: [ModelMatch.PropertyName: Bool] = [:]
}
