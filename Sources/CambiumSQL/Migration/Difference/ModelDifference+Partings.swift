import CambiumModel

// Two relationships that were each other's inverse had the same links. Where both live on and are so no
// longer, each would have all of them: nobody has linked those objects twice.
extension ModelDifference {
    /// Asks which end keeps the links that a new relationship and its inverse have from such ones.
    ///
    /// - Returns: Whether there are any.
    mutating func checkPartings(_ links: CarriedLinks) -> Bool {
        let parted = links.all.filter(isParted)
        for links in parted where reportedLinks.insert(links.ends).inserted {
            guard let inverse = old.inverse(of: links.relationship),
                let heir = match.heir(
                    of: .init(entity: links.entity.name, property: links.relationship.name))
            else { continue }
            let ends = [
                (links.entity.name, links.relationship.name),
                (inverse.entity.name, inverse.relationship.name),
            ]
            add(
                MigrationProblem(
                    entity: heir.entity.name, property: heir.relationship.name,
                    message: ends.map { "\($0.0).\($0.1)" }.joined(separator: " and ")
                        + " were each other's inverse before, and are not now, so that both would "
                        + "have all their links; drop one of them: the other keeps the links",
                    fixes: ends.map { .drop(entity: $0.0, property: $0.1) }))
        }
        return !parted.isEmpty
    }

    private func isParted(_ links: OldLinks) -> Bool {
        guard let inverse = old.inverse(of: links.relationship) else { return false }
        func isPair(_ one: Relationship?, _ other: Relationship?) -> Bool {
            guard let one, let other else { return false }
            return new.inverse(of: one)?.relationship == other
        }
        let (entity, name) = (links.entity.name, links.relationship.name)
        let (inverseEntity, inverseName) = (inverse.entity.name, inverse.relationship.name)
        // Nearly all stay where they are.
        if isPair(
            match.newRelationship(of: name, in: entity),
            match.newRelationship(of: inverseName, in: inverseEntity))
        {
            return false
        }
        let heirs = match.heirs(of: .init(entity: entity, property: name))
        let others = match.heirs(of: .init(entity: inverseEntity, property: inverseName))
        return !heirs.isEmpty && !others.isEmpty
            && !heirs.contains { heir in
                others.contains { isPair(heir.relationship, $0.relationship) }
            }
    }
}
