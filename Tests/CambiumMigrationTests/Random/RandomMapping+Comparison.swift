import CambiumModel

@testable import MigrationTestSupport

extension RandomMapping {
    /// What a migrated store has other than this mapping makes of the old one; nil where nothing.
    func difference(from graph: StoredGraph) -> String? {
        guard let keys = newKeys(in: graph) else { return "the objects of an entity" }
        var expected = graph.objects.mapValues { _ in false }
        for (old, object) in objects {
            guard let reference = keys[old], let found = graph.objects[reference] else {
                return "\(object.entity) \(old.key) is gone"
            }
            expected[reference] = true
            guard found.entity == object.entity, found.version == object.version else {
                return "\(object.entity) \(old.key) is another object: \(found)"
            }
            for (id, value) in object.values where !value.admits(found.values[id]) {
                return "\(id) of \(object.entity) \(old.key) is "
                    + "\(found.values[id].map { "\($0)" } ?? "nothing"), not \(value)"
            }
        }
        if let stranger = expected.first(where: { !$0.value }) { return "\(stranger.key) is new" }
        return new.links.lazy.compactMap { difference(of: $0, in: graph, keys) }.first
    }

    /// The new references of the objects, by the old ones.
    ///
    /// Those of one old table have the keys of before, all of them raised by as much where tables
    /// come together.
    private func newKeys(
        in graph: StoredGraph
    ) -> [StoredGraph.Reference: StoredGraph.Reference]? {
        var result: [StoredGraph.Reference: StoredGraph.Reference] = [:]
        let groups = Dictionary(grouping: objects) { old, object in
            Move(from: old.root, to: root(ofNew: object.entity))
        }
        for (move, members) in groups {
            let kinds = Set(members.map(\.value.entity))
            let before = members.map(\.key.key).sorted()
            let after = graph.objects.filter {
                $0.key.root == move.to && kinds.contains($0.value.entity)
            }.map(\.key.key).sorted()
            guard before.count == after.count, let first = before.first, let start = after.first
            else { return nil }
            let shift = start - first
            guard shift >= 0, zip(before, after).allSatisfy({ $0 + shift == $1 }) else {
                return nil
            }
            for member in members {
                result[member.key] = StoredGraph.Reference(
                    root: move.to, key: member.key.key + shift)
            }
        }
        return result
    }

    private struct Move: Hashable {
        let from: String
        let to: String
    }

    private func root(ofNew entity: String) -> String {
        new.kind(entity).map { new.root(of: $0).id } ?? entity
    }

    // MARK: Links

    private func difference(
        of link: RandomModel.Link, in graph: StoredGraph,
        _ keys: [StoredGraph.Reference: StoredGraph.Reference]
    ) -> String? {
        let ends = [link.source, link.destination].compactMap(new.kind(named:)).map(new.root)
        // What becomes of links to objects that go has tests of its own.
        guard !ends.contains(where: { thinned.contains($0.id) }) else { return nil }
        let expected = (links[link.id] ?? []).compactMap { link -> StoredGraph.Link? in
            guard let source = keys[link.source], let destination = keys[link.destination] else {
                return nil
            }
            return StoredGraph.Link(source: source, destination: destination, places: link.places)
        }
        let found = graph.links[link.id] ?? []
        let isOrdered = (
            ofSource: link.isToMany && link.isOrdered,
            ofDestination: link.inverse != nil && link.isInverseToMany && link.isInverseOrdered
        )
        guard
            expected.listsOfSources(areOrdered: isOrdered.ofSource)
                == found.listsOfSources(areOrdered: isOrdered.ofSource),
            expected.listsOfDestinations(areOrdered: isOrdered.ofDestination)
                == found.listsOfDestinations(areOrdered: isOrdered.ofDestination)
        else { return "the links of \(link.id): \(found), not \(expected)" }
        return nil
    }
}

extension [StoredGraph.Link] {
    /// The keys that each source has links to, in the order of its list where that has one.
    fileprivate func listsOfSources(
        areOrdered: Bool
    ) -> [StoredGraph.Reference: [Int64]] {
        Dictionary(grouping: self, by: \.source).mapValues { links in
            links.map { (areOrdered ? $0.places.ofSource ?? .max : 0, $0.destination.key) }
                .sorted(by: <).map(\.1)
        }
    }

    /// The same from the other end.
    fileprivate func listsOfDestinations(
        areOrdered: Bool
    ) -> [StoredGraph.Reference: [Int64]] {
        Dictionary(grouping: self, by: \.destination).mapValues { links in
            links.map { (areOrdered ? $0.places.ofDestination ?? .max : 0, $0.source.key) }
                .sorted(by: <).map(\.1)
        }
    }
}

extension RandomMapping.Expectation {
    fileprivate func admits(_ value: StoredValue?) -> Bool {
        switch self {
        case .value(let expected): value == expected
        case .some: value != nil && value != .null
        case .unknown: true
        }
    }
}
