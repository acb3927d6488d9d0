import CambiumSQLite

@testable import MigrationTestSupport

extension RandomMapping {
    /// The first thing in an old store that is nowhere in the new one, and that an author must have
    /// given up; nil where all of it lives on.
    func loss(of graph: StoredGraph) -> String? {
        for (reference, object) in graph.objects {
            guard let found = objects[reference] else { return "the object \(reference)" }
            if let gone = object.values.first(where: { id, value in
                value != .null && found.values[id] == nil
            }) {
                return "\(gone.key) of \(reference)"
            }
        }
        for link in old.links {
            let before = graph.links[link.id] ?? []
            guard !before.isEmpty else { continue }
            let kept = Set((links[link.id] ?? []).map { [$0.source, $0.destination] })
            guard before.allSatisfy({ kept.contains([$0.source, $0.destination]) }) else {
                return "links of \(link.id)"
            }
            guard let after = new.links.first(where: { $0.id == link.id }) else { continue }
            if link.isOrderedAtSource, !after.isOrderedAtSource { return "the order of \(link.id)" }
            if link.isOrderedAtDestination, !after.isOrderedAtDestination {
                return "the order of the other end of \(link.id)"
            }
        }
        return nil
    }
}

extension RandomModel.Link {
    fileprivate var isOrderedAtSource: Bool { isToMany && isOrdered }

    fileprivate var isOrderedAtDestination: Bool {
        inverse != nil && isInverseToMany && isInverseOrdered
    }
}
