/// Who inherits from whom and who declares what, worked out once for a model: everything that
/// follows an entity's parents or children, or looks for a property, asks here instead of searching
/// all of them again.
struct ModelHierarchy: Sendable, Hashable {
    /// Where a property stands in its entity's list.
    enum Place: Sendable {
        case attribute(Int)
        case relationship(Int)
    }

    /// For each entity the numbers of its ancestors and itself, the root first.
    let lineages: [[Int]]
    /// For each entity the numbers of itself and of everything below it, in declaration order.
    let families: [[Int]]
    /// For each entity the places of the attributes and relationships that it declares.
    let places: [[String: Place]]
    /// For each entity the columns of the properties that it declares whose own name another column
    /// of the table has.
    let columns: [[String: String]]
    /// The tables of links whose own name another table has, by `Entity.relationship`.
    let joinTables: [String: String]

    init(_ entities: [Entity], _ indexByName: [String: Int]) {
        lineages = entities.indices.map { index in
            var lineage = [index]
            // A cycle, which the compiler refuses, ends where it closes.
            while let last = lineage.last, let name = entities[last].parent,
                let parent = indexByName[name], !lineage.contains(parent)
            {
                lineage.append(parent)
            }
            lineage.reverse()
            return lineage
        }
        var families = [[Int]](repeating: [], count: entities.count)
        for (index, lineage) in lineages.enumerated() {
            for ancestor in lineage { families[ancestor].append(index) }
        }
        let (lineages, subentities) = (lineages, families)
        self.families = families
        let places = entities.map(Self.places)
        self.places = places
        var columns = [[String: String]](repeating: [:], count: entities.count)
        for (index, lineage) in lineages.enumerated() where lineage.count == 1 {
            let family = families[index]
            let names = ColumnNames(of: family.map { entities[$0] }) { toOne in
                guard let number = indexByName[toOne.destination] else { return [] }
                let inverse = toOne.inverse.flatMap { name in
                    Self.relationship(name, in: lineages[number].map { entities[$0] })
                }
                let isInList = inverse.map { $0.isToMany && $0.isOrdered } ?? false
                return (subentities[number].count > 1 ? ["_entity"] : [])
                    + (isInList ? ["_position"] : [])
            }
            for (member, names) in zip(family, names.columns) { columns[member] = names }
        }
        self.columns = columns
        joinTables = Self.joinTables(of: entities) { relationship in
            indexByName[relationship.destination].flatMap { number in
                relationship.inverse.flatMap { name in
                    Self.relationship(name, in: lineages[number].map { entities[$0] })
                }
            }
        }
    }

    private static func relationship(_ name: String, in lineage: [Entity]) -> Relationship? {
        for ancestor in lineage {
            if let found = ancestor.relationships.first(where: { $0.name == name }) { return found }
        }
        return nil
    }

    private static func joinTables(
        of entities: [Entity], inverse: (Relationship) -> Relationship?
    ) -> [String: String] {
        var names: [String: String] = [:]
        var taken = Set(entities.map { $0.name.lowercased() })
        for entity in entities {
            for relationship in entity.relationships
            where relationship.isToMany && !relationship.isTransient {
                guard inverse(relationship)?.isToMany ?? true else { continue }
                let first = "\(entity.name)_\(relationship.name)"
                var name = first
                var number = 2
                while !taken.insert(name.lowercased()).inserted {
                    name = "\(first)_\(number)"
                    number += 1
                }
                if name != first { names["\(entity.name).\(relationship.name)"] = name }
            }
        }
        return names
    }

    static func places(of entity: Entity) -> [String: Place] {
        var places: [String: Place] = [:]
        places.reserveCapacity(entity.attributes.count + entity.relationships.count)
        for (index, relationship) in entity.relationships.enumerated().reversed() {
            places[relationship.name] = .relationship(index)
        }
        for (index, attribute) in entity.attributes.enumerated().reversed() {
            places[attribute.name] = .attribute(index)
        }
        return places
    }

    // It follows from the entities, which are compared beside it.

    static func == (_: ModelHierarchy, _: ModelHierarchy) -> Bool { true }

    func hash(into _: inout Hasher) {}
}
