/// Who inherits from whom, worked out once for a model: everything that follows an entity's parents
/// or children asks here instead of searching all entities again.
struct ModelHierarchy: Sendable, Hashable {
    /// For each entity the numbers of its ancestors and itself, the root first.
    let lineages: [[Int]]
    /// For each entity the numbers of itself and of everything below it, in declaration order.
    let families: [[Int]]
    /// For each entity the property names that two entities of its table declare, so that each needs
    /// a column of its own.
    let sharedNames: [Set<String>]

    init(_ entities: [Entity], _ indexByName: [String: Int]) {
        lineages = entities.indices.map { index in
            var lineage = [index]
            // A cycle, which the compiler refuses, ends where it closes.
            while let parent = entities[lineage[0]].parent.flatMap({ indexByName[$0] }),
                !lineage.contains(parent)
            {
                lineage.insert(parent, at: 0)
            }
            return lineage
        }
        var families = [[Int]](repeating: [], count: entities.count)
        for (index, lineage) in lineages.enumerated() {
            for ancestor in lineage { families[ancestor].append(index) }
        }
        self.families = families
        var sharedByRoot: [Int: Set<String>] = [:]
        for (index, lineage) in lineages.enumerated() where lineage == [index] {
            sharedByRoot[index] = Self.sharedNames(of: families[index].map { entities[$0] })
        }
        sharedNames = lineages.map { sharedByRoot[$0[0]] ?? [] }
    }

    private static func sharedNames(of family: [Entity]) -> Set<String> {
        var seen: Set<String> = []
        var shared: Set<String> = []
        for entity in family {
            let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
            shared.formUnion(seen.intersection(names))
            seen.formUnion(names)
        }
        return shared
    }
}
