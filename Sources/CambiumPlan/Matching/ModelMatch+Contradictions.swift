import CambiumModel

// Of two declarations that cannot both be true, neither wins: one of them destroys data.
extension ModelMatch {
    /// Things that live on under another name, and that the migration drops.
    var contradictions: [MigrationProblem] {
        guard new.migration?.drops.isEmpty == false else { return [] }
        var found: [MigrationProblem] = []
        for entity in new.entities {
            if let from = formerEntities[entity.name], isDropped(from, nil) {
                found.append(renamedAndDropped(entity.name, from, in: entity))
            }
            guard let oldEntity = oldEntity(of: entity) else { continue }
            for (name, from) in renamedProperties(of: entity, since: oldEntity)
            where givesUp(from, of: oldEntity) {
                // A composite value is dropped as a whole, and so are its parts.
                let (whole, former) = wholes(of: name, in: entity, from, in: oldEntity)
                let problem = renamedAndDropped(
                    "\(entity.name).\(whole)", "\(oldEntity.name).\(former)", in: entity,
                    property: whole)
                if !found.contains(problem) { found.append(problem) }
            }
        }
        return found
    }

    /// Whether the migration drops what an entity declared or inherited, there or on the way to it.
    private func givesUp(_ property: String, of oldEntity: Entity) -> Bool {
        guard let declarer = old.declarer(of: property, in: oldEntity),
            declarer.name != oldEntity.name
        else { return isDropped(oldEntity.name, property, in: oldEntity) }
        return isGivenUp(.init(entity: declarer.name, property: property), below: oldEntity)
    }

    /// Two things of the new version say that they were the same.
    func severalHeirs(
        _ name: String, _ other: String, of from: String, in entity: Entity, property: String? = nil
    ) -> MigrationProblem {
        let place = property == nil ? "" : "\(entity.name)."
        return MigrationProblem(
            entity: entity.name, property: property,
            fact: """
                \(place)\(name) and \(place)\(other) both say that they were '\(from)' in \
                version \(old.version), and only one of them can have been
                """,
            remedy: "take it back at the other",
            disputed: .init(name: other, former: from))
    }

    private func renamedAndDropped(
        _ name: String, _ from: String, in entity: Entity, property: String? = nil
    ) -> MigrationProblem {
        MigrationProblem(
            entity: entity.name, property: property,
            fact:
                """
                \(name) says that it was \(from) in version \(old.version), and the migration \
                drops that
                """,
            remedy: """
                remove the drop, so that it lives on, or take back that it was \
                renamed, so that it goes
                """)
    }

    /// The properties that an entity declares and that had other names, and those names.
    private func renamedProperties(
        of entity: Entity, since oldEntity: Entity
    ) -> [(name: String, from: String)] {
        let oldLineage = old.lineage(of: oldEntity)
        let names = Set(oldLineage.flatMap { $0.attributes.map(\.name) })
        let own =
            attributeNames(of: entity, among: names)
            + entity.relationships.map { ($0.name, $0.renamedFrom) }
        guard own.contains(where: { $0.renamedFrom != nil }) else { return [] }
        let former = formerNames(in: new.lineage(of: entity), since: oldLineage, among: names)
        return own.compactMap { name, _ in former[name].map { (name, $0) } }
    }

    private func wholes(
        of name: String, in entity: Entity, _ from: String, in oldEntity: Entity
    ) -> (String, String) {
        let composite = entity.compositeAttributes.first { !$0.isNested && $0.holds(name) }
        let former = oldEntity.compositeAttributes.first { !$0.isNested && $0.holds(from) }
        guard let composite, let former else { return (name, from) }
        return (composite.name, former.name)
    }
}

extension CompositeAttribute {
    /// Whether a name is that of a part of the value.
    fileprivate func holds(_ part: String) -> Bool { part.hasPrefix(name + ".") }
}
