import CambiumModel

// A composite value is added and deleted as a whole. Changes and problems name it, and not only its
// parts.
extension ModelDifference {
    /// - Returns: The parts of composite values that are new as a whole. They need no further
    ///   comparison.
    func compareComposites(of entity: Entity) -> Set<String> {
        var added: Set<String> = []
        for composite in entity.compositeAttributes where !composite.isTransient {
            let parts = entity.attributes.filter(composite.contains)
            if let oldComposite = match.oldComposite(of: composite, in: entity) {
                if oldComposite.name != composite.name, !composite.isNested {
                    add(
                        .attributeRenamed(
                            entity: entity.name, composite.name, from: oldComposite.name))
                }
                if !match.newlyRequiredParts(of: composite.name, in: entity).isEmpty {
                    add(.presenceChanged(entity: entity.name, composite.name))
                    checkNewParts(of: composite, in: entity)
                }
                continue
            }
            guard !composite.isNested,
                parts.allSatisfy({ match.sources(of: $0.name, in: entity).isEmpty })
            else { continue }
            added.formUnion(parts.map { $0.name })
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

    /// - Returns: The parts of composite values that were deleted as a whole.
    func compareMissingComposites(of oldEntity: Entity, _ entity: Entity) -> Set<String> {
        var gone: Set<String> = []
        var kept: Set<String> = []
        for composite in entity.compositeAttributes where !composite.isTransient {
            if let former = match.oldComposite(of: composite, in: entity) {
                kept.insert(former.name)
            }
        }
        for composite in oldEntity.compositeAttributes
        where !composite.isTransient && !composite.isNested && !kept.contains(composite.name) {
            let parts = oldEntity.attributes.filter(composite.contains)
            if parts.contains(where: { isKept($0, of: oldEntity) }) { continue }
            gone.formUnion(parts.map { $0.name })
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

    private func isKept(_ attribute: Attribute, of oldEntity: Entity) -> Bool {
        if let successor = match.newAttribute(of: attribute.name, in: oldEntity.name) {
            return !successor.isTransient
        }
        return match.isKept(.init(entity: oldEntity.name, property: attribute.name))
    }

    /// Reports one problem for the whole value if existing objects have none.
    private func checkValues(
        of parts: [Attribute], in composite: CompositeAttribute, of entity: Entity
    ) {
        for part in parts where match.fill(of: part.name, in: entity.name) != nil {
            checkValueForExistingObjects(part, of: entity, became: "new and required")
        }
        let missing = parts.filter {
            !$0.isOptional && $0.defaultValue == nil
                && match.fill(of: $0.name, in: entity.name) == nil
        }
        guard !missing.isEmpty else { return checkWhole(composite, of: entity) }
        let names = missing.map { $0.name }
        addProblem(
            entity: entity.name, property: composite.name,
            fact: """
                \(entity.name).\(composite.name) is new and required, and existing objects have \
                no value for \(names.joined(separator: ", "))
                """,
            remedy: """
                give each a fill, or a default in \(composite.composite), or make the value \
                optional
                """,
            fixes: [
                .makeOptional(
                    .attribute, name: composite.name, type: composite.composite),
                .fill(names, of: entity.name),
            ])
    }

    /// Reports required parts that no value has yet: every existing value would be rejected.
    private func checkNewParts(of composite: CompositeAttribute, in entity: Entity) {
        let missing = newParts(of: composite.name, in: entity)
        guard !missing.isEmpty, !isSupplied(entity), !match.hasNoObjects(entity) else { return }
        let names = missing.map { $0.name }
        addProblem(
            entity: entity.name, property: composite.name,
            fact: """
                \(names.map { "\(entity.name).\($0)" }.joined(separator: " and ")) \
                \(names.count == 1 ? "is" : "are") new and required, and existing values of \
                \(composite.name) have none
                """,
            remedy: "give them a fill, or make the part\(names.count == 1 ? "" : "s") optional",
            fixes: [
                .together(
                    missing.map {
                        .makeOptional(.attribute, name: $0.name, type: $0.type.word)
                    }),
                .fill(names, of: entity.name),
            ])
    }

    /// Returns the new parts that an optional value requires and that have no fill.
    func newParts(of composite: String, in entity: Entity) -> [Attribute] {
        let needed = match.newlyRequiredParts(of: composite, in: entity).filter {
            !match.hasOldValues($0, in: entity.name)
                && match.fill(of: $0, in: entity.name) == nil
        }
        return entity.attributes.filter { needed.contains($0.name) }
    }

    /// Reports fills of only some parts of a value that no object has: they do not make a complete
    /// value.
    private func checkWhole(_ composite: CompositeAttribute, of entity: Entity) {
        let rules = entity.presenceRules(in: new).filter {
            $0.composite == composite.name || $0.composite.hasPrefix(composite.name + ".")
        }
        for rule in rules {
            let filled = Set(
                rule.parts.filter { match.fill(of: $0, in: entity.name) != nil })
            let missing = rule.required.filter { !filled.contains($0) }
            guard !filled.isEmpty, !missing.isEmpty else { continue }
            addProblem(
                entity: entity.name, property: composite.name,
                fact: """
                    The migration fills a part of \(entity.name).\(rule.composite), which no \
                    object has yet, and a value of it needs \(missing.joined(separator: ", ")) \
                    too
                    """,
                remedy: "fill each of them, or none",
                fixes: [.fill(missing, of: entity.name)])
        }
    }
}
