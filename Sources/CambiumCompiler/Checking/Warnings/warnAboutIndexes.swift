import CambiumModel

extension ModelChecker {
    /// Indexes that cost and do not help, and constraints that constrain less than it seems.
    func warnAboutIndexes(of entity: Entity, _ draft: EntityDraft, in model: Model) {
        for (index, element) in zip(entity.indexes, kept("index", of: draft)) {
            let offset = (element["by"] ?? element["name"])?.offset ?? element.offset
            if let other = cover(of: index, entity, in: model) {
                report(
                    .coveredIndex, "\(other) finds everything that this index finds", at: offset,
                    notes: ["Remove the index: each one makes saving slower"])
            } else if let reason = uselessness(of: index, entity, in: model) {
                report(.uselessIndex, reason, at: offset, notes: ["Remove the index"])
            }
        }
        for (constraint, element) in zip(entity.uniqueConstraints, kept("unique", of: draft)) {
            guard let written = element["by"] else { continue }
            let opaque = constraint.properties.first { name in
                model.attribute(name, of: entity)?.type.isCodable ?? false
            }
            if let opaque {
                report(
                    .leakyConstraint,
                    "Values of '\(opaque)' are taken for equal only where their stored forms are",
                    at: written,
                    notes: ["Name an attribute that holds what makes them equal"])
            }
            // That one property by itself is unique where it is there says what it means.
            guard constraint.properties.count > 1,
                let name = constraint.properties.first(where: {
                    isOptional($0, of: entity, in: model)
                })
            else { continue }
            report(
                .leakyConstraint,
                "Objects without '\(name)' are never taken for equal, whatever else they share",
                at: written, notes: ["Make '\(name)' required, or leave it out"])
        }
    }

    private func isOptional(_ name: String, of entity: Entity, in model: Model) -> Bool {
        model.attribute(name, of: entity)?.isOptional
            ?? model.relationship(name, of: entity)?.isOptional ?? false
    }

    /// What makes an index unnecessary, or nil.
    private func cover(of index: Index, _ entity: Entity, in model: Model) -> String? {
        if index.condition == nil, index.elements.count == 1,
            model.relationship(index.elements[0].property, of: entity) != nil
        {
            return "The store's own index of each to-one relationship"
        }
        let isCovered = entity.indexes.contains { other in
            other.elements.count > index.elements.count && other.condition == index.condition
                && Self.starts(other.elements, with: index.elements)
        }
        if isCovered { return "A longer index of the entity" }
        // The index of a sub-entity's constraint holds only its own rows, as the other does.
        let isUnique = entity.uniqueConstraints.contains { constraint in
            index.condition == nil
                && Self.starts(
                    constraint.properties.map { IndexElement(property: $0) }, with: index.elements)
        }
        return isUnique ? "The index of a uniqueness constraint" : nil
    }

    /// Whether one list starts with the other, read forwards or backwards.
    private static func starts(_ list: [IndexElement], with other: [IndexElement]) -> Bool {
        guard list.count >= other.count else { return false }
        let pairs = zip(list, other)
        guard
            pairs.allSatisfy({
                $0.0.property == $0.1.property && $0.0.expression == $0.1.expression
            })
        else { return false }
        return pairs.allSatisfy { $0.0.isDescending == $0.1.isDescending }
            || pairs.allSatisfy { $0.0.isDescending != $0.1.isDescending }
    }

    private func uselessness(of index: Index, _ entity: Entity, in model: Model) -> String? {
        for element in index.elements {
            guard let attribute = model.attribute(element.property, of: entity) else { continue }
            if attribute.type.isCodable {
                return "Nothing can be found by '\(attribute.name)', whose stored form is opaque"
            }
        }
        if index.elements.count == 1, index.condition == nil,
            model.attribute(index.elements[0].property, of: entity)?.type == .bool
        {
            return "An index over a bool alone still finds about half of all rows"
        }
        return nil
    }
}
