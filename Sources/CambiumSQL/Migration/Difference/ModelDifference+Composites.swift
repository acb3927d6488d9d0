import CambiumModel

// A composite value comes and goes as a whole, and what is said about it names it and not only its
// parts.
extension ModelDifference {
    /// - Returns: The parts of composite values that are new as a whole; nothing else is to be said
    ///   about them.
    mutating func compareComposites(of oldEntity: Entity, _ entity: Entity) -> Set<String> {
        var added: Set<String> = []
        let oldRules = Dictionary(
            oldEntity.presenceRules(in: old).map { ($0.composite, $0) },
            uniquingKeysWith: { first, _ in first })
        let rules = Dictionary(
            entity.presenceRules(in: new).map { ($0.composite, $0) },
            uniquingKeysWith: { first, _ in first })
        for composite in entity.compositeAttributes where !composite.isTransient {
            let parts = entity.attributes.filter(composite.contains)
            if let oldComposite = match.oldComposite(of: composite, in: entity) {
                if oldComposite.name != composite.name, !composite.isNested {
                    add(
                        .attributeRenamed(
                            entity: entity.name, composite.name, from: oldComposite.name))
                }
                compare(
                    oldRules[oldComposite.name], rules[composite.name], of: composite, entity)
                continue
            }
            guard !composite.isNested,
                parts.allSatisfy({ match.sources(of: $0.name, in: entity).isEmpty })
            else { continue }
            added.formUnion(parts.map(\.name))
            checkValues(of: parts, in: composite, of: entity)
            add(
                .attributeAdded(
                    entity: entity.name, composite.name,
                    isFilled: parts.contains {
                        match.fill(of: $0.name, in: entity.name) != nil
                    }))
        }
        return added
    }

    /// - Returns: The parts of composite values that are gone as a whole.
    mutating func compareMissingComposites(of oldEntity: Entity, _ entity: Entity) -> Set<String> {
        var gone: Set<String> = []
        let kept = Set(
            entity.compositeAttributes.filter { !$0.isTransient }
                .compactMap { match.oldComposite(of: $0, in: entity)?.name })
        for composite in oldEntity.compositeAttributes
        where !composite.isTransient && !composite.isNested && !kept.contains(composite.name) {
            let parts = oldEntity.attributes.filter(composite.contains)
            guard
                !parts.contains(where: {
                    match.newAttribute(of: $0.name, in: oldEntity.name).map { !$0.isTransient }
                        ?? match.livesOn(.init(entity: oldEntity.name, property: $0.name))
                })
            else { continue }
            gone.formUnion(parts.map(\.name))
            if match.isDropped(oldEntity.name, composite.name)
                || parts.allSatisfy({ match.isDropped(oldEntity.name, $0.name) })
            {
                add(.attributeDropped(entity: entity.name, composite.name))
            } else {
                let candidate = entity.compositeAttributes.first {
                    !$0.isNested && !$0.isTransient && $0.composite == composite.composite
                        && match.oldComposite(of: $0, in: entity) == nil
                }
                addMissing(
                    composite.name, of: oldEntity, in: entity, declaration: .attribute,
                    candidate: candidate?.name)
            }
        }
        return gone
    }

    private mutating func compare(
        _ oldRule: PresenceRule?, _ rule: PresenceRule?, of composite: CompositeAttribute,
        _ entity: Entity
    ) {
        guard let rule else { return }
        func leaves(_ rule: PresenceRule) -> Set<Substring> {
            Set(rule.required.map { $0.dropFirst(rule.composite.count) })
        }
        let wasRequired = match.oldComposite(of: composite, in: entity)?.isOptional == false
        let oldRequired = oldRule.map(leaves) ?? []
        if !wasRequired, !leaves(rule).isSubset(of: oldRequired) {
            add(.presenceChanged(entity: entity.name, composite.name))
        }
    }

    /// One problem for the whole value, where existing objects have none.
    private mutating func checkValues(
        of parts: [Attribute], in composite: CompositeAttribute, of entity: Entity
    ) {
        for part in parts where match.fill(of: part.name, in: entity.name) != nil {
            checkValueForExistingObjects(part, of: entity, became: "new and required")
        }
        let missing = parts.filter {
            !$0.isOptional && $0.defaultValue == nil
                && match.fill(of: $0.name, in: entity.name) == nil
        }
        guard !missing.isEmpty else { return }
        let names = missing.map(\.name)
        add(
            MigrationProblem(
                entity: entity.name, property: composite.name,
                message: "\(entity.name).\(composite.name) is new and required, and existing "
                    + "objects have no value for \(names.joined(separator: ", ")); give each a "
                    + "fill, or a default in \(composite.composite), or make the value optional",
                fixes: [
                    .makeOptional(
                        .attribute, name: composite.name, type: composite.composite),
                    .fill(names.map { .init(entity: entity.name, name: $0) }),
                ]))
    }
}
