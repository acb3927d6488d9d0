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
    /// For each entity the property names that two entities of its table declare, so that each
    /// needs a column of its own.
    let sharedNames: [Set<String>]

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
        self.families = families
        let places = entities.map(Self.places)
        self.places = places
        var sharedByRoot: [Int: Set<String>] = [:]
        for (index, lineage) in lineages.enumerated()
        where lineage.count == 1 && families[index].count > 1 {
            sharedByRoot[index] = Self.sharedNames(in: families[index].map { places[$0] })
        }
        sharedNames = lineages.map { sharedByRoot[$0[0]] ?? [] }
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

    private static func sharedNames(in family: [[String: Place]]) -> Set<String> {
        var seen: Set<String> = []
        var shared: Set<String> = []
        for name in family.lazy.flatMap(\.keys) where !seen.insert(name).inserted {
            shared.insert(name)
        }
        return shared
    }

    // It follows from the entities, which are compared beside it.

    static func == (_: ModelHierarchy, _: ModelHierarchy) -> Bool { true }

    func hash(into _: inout Hasher) {}
}
