import CambiumModel

// Two relationships that were each other's inverse had the same links. Where both live on and are so no
// longer, each would have all of them: nobody has linked those objects twice.
extension ModelDifference {
    /// Asks which end keeps the links that a new relationship and its inverse have from such ones.
    ///
    /// - Returns: Whether there are any.
    func checkPartings(_ links: CarriedLinks) -> Bool {
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
            if ends[0] == ends[1] {
                addParting(of: links)
                continue
            }
            addProblem(
                entity: heir.entity.name, property: heir.relationship.name,
                fact: ends.map { "\($0.0).\($0.1)" }.joined(separator: " and ")
                    + """
                     were each other's inverse before, and are not now, so that both would \
                    have all their links
                    """,
                remedy: "drop one of them: the other keeps the links",
                fixes: ends.map { .drop(entity: $0.0, property: $0.1) })
        }
        return !parted.isEmpty
    }

    /// One that was its own inverse is what several are now, which were each other's inverse in it.
    private func addParting(of links: OldLinks) {
        let name = links.relationship.name
        let heirs = match.heirs(of: .init(entity: links.entity.name, property: name))
        let owners = heirs.compactMap { match.oldEntity(of: $0.entity)?.name }
        addProblem(
            entity: heirs[0].entity.name, property: heirs[0].relationship.name,
            fact: """
                \(links.entity.name).\(name) was its own inverse before, and what it is now in \
                \(owners.joined(separator: " and ")) is not each other's inverse, so that both \
                would have the same links
                """,
            remedy: "drop one of them: the other keeps the links",
            fixes: owners.map { .drop(entity: $0, property: name) })
    }

    /// A relationship that is its own inverse has each link both ways; where it was one of a pair, only
    /// a program knows which links are so.
    func addSelfInverse(
        _ relationship: Relationship, of entity: Entity, since old: ModelMatch.PropertyName
    ) {
        let taken: [MigrationFix] =
            relationship.renamedFrom == nil
            ? [] : [.takeBack(.relationship, name: relationship.name, from: old.property)]
        func parted(_ fix: MigrationFix) -> MigrationFix {
            taken.isEmpty ? fix : .together([fix] + taken)
        }
        addProblem(
            entity: entity.name, property: relationship.name,
            fact: """
                \(entity.name).\(relationship.name) is its own inverse now, and \
                \(old.entity).\(old.property) was not, so that a link of one object to another \
                would lead back too
                """,
            remedy: "let a step of the program make the links, or drop them at both ends",
            fixes: [
                parted(.convert(entity: old.entity, property: old.property)),
                parted(.drop(entity: old.entity, property: old.property)),
            ])
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
        // What was its own inverse has each link both ways, and one heir all of them.
        if entity == inverseEntity, name == inverseName, heirs.count < 2 { return false }
        return !heirs.isEmpty && !others.isEmpty
            && !heirs.contains { heir in
                others.contains { isPair(heir.relationship, $0.relationship) }
            }
    }
}
