import CambiumModel

/// The old links that become those of a relationship of the new version: of the relationship that
/// it was, or of its inverse; of several where they have moved up a hierarchy.
struct CarriedLinks {
    /// The old relationships, at least one.
    let sets: [OldLinks]
    /// The same, with those of the other end where both ends have links of their own.
    let all: [OldLinks]
    /// The old relationships, where both ends have links of their own that are not the same.
    let conflict: [ModelMatch.PropertyName]?
    /// What the author says about which links stay, by the end that can have only one.
    let keeps: (source: MigrationDeclaration.Keep?, destination: MigrationDeclaration.Keep?)
    /// Whether what the author says about the destinations comes first.
    private let keepsDestinationsFirst: Bool
    private let relationship: Relationship
    private let inverse: (relationship: Relationship, entity: Entity)?

    /// Finds the links, or nil where the relationship and its inverse are both new.
    init?(of relationship: Relationship, of entity: Entity, in match: ModelMatch) {
        let own = OldLinks.links(of: relationship.name, in: entity, isSwapped: false, match)
        let inverse = match.new.inverse(of: relationship)
        let others =
            inverse.map {
                OldLinks.links(of: $0.relationship.name, in: $0.entity, isSwapped: true, match)
            } ?? []
        sets = own.isEmpty ? others : own
        all = own + others
        guard !sets.isEmpty else { return nil }
        self.relationship = relationship
        self.inverse = inverse
        let stranger = own.first { one in
            !others.isEmpty && !others.contains { $0.relationship.name == one.relationship.inverse }
        }
        conflict = stranger.map { one in
            [one, others[0]].map { .init(entity: $0.entity.name, property: $0.relationship.name) }
        }
        let declared = match.new.migration?.keeps ?? []
        func number(_ name: String, of entity: String) -> Int? {
            declared.firstIndex { $0.entity == entity && $0.relationship == name }
        }
        let numbers = (
            source: number(relationship.name, of: entity.name),
            destination: inverse.flatMap { number($0.relationship.name, of: $0.entity.name) }
        )
        keeps = (numbers.source.map { declared[$0] }, numbers.destination.map { declared[$0] })
        keepsDestinationsFirst = (numbers.destination ?? .max) < (numbers.source ?? .max)
    }

    /// The links, where they come from one relationship and all stay.
    var single: OldLinks? {
        sets.count == 1 && keeps.source == nil && keeps.destination == nil ? sets[0] : nil
    }

    /// Whether the links come from the relationship itself, and not from its inverse.
    var isOwn: Bool { sets.allSatisfy { !$0.isSwapped } }

    /// The ends that hold fewer objects than before: that of the sources, that of the destinations.
    var losesLinks: (ofSource: Bool, ofDestination: Bool) {
        // An object of the entity that declared the relationships has the links of one of them.
        let hasSeveralSources = sets.count > 1 && isOwn
        let hasSeveralDestinations = sets.count > 1 && !isOwn
        let wasToMany = (
            forward: hasSeveralDestinations || sets.contains(where: \.wasToMany.forward),
            backward: hasSeveralSources || sets.contains(where: \.wasToMany.backward)
        )
        return (
            wasToMany.forward && !relationship.isToMany,
            wasToMany.backward && !(inverse?.relationship.isToMany ?? true)
        )
    }

    /// A query of the pairs, `source` and `destination`, that stay.
    ///
    /// - Parameter positions: The new columns of places, and whether they are those in the lists of
    ///   the sources, or of the destinations.
    func query(with positions: [(column: String, isOfSource: Bool)] = []) -> String {
        let isMerged = sets.count > 1
        let queries = sets.indices.map { index in
            let places = sets[index].positions
            let columns = positions.map { position in
                let old = position.isOfSource ? places.ofSource : places.ofDestination
                return (name: position.column, sql: old.map(SQLText.identifier) ?? "NULL")
            }
            let number = isMerged ? [(name: Self.set, sql: "\(index)")] : []
            return sets[index].query(with: columns + number + choices(of: sets[index]))
        }
        var query = queries.joined(separator: " UNION ALL ")
        if isMerged, !positions.isEmpty { query = consecutive(query, positions) }
        var ends = [(keeps.source, "source", "_s"), (keeps.destination, "destination", "_d")]
        if keepsDestinationsFirst { ends.reverse() }
        for (index, (keep, end, prefix)) in ends.enumerated() {
            guard let keep else { continue }
            let order =
                self.order(of: keep, prefix)
                + [end == "source" ? "\"destination\"" : "\"source\""]
            var names = ["source", "destination"].map(SQLText.identifier)
            names += positions.map { SQLText.identifier($0.column) }
            if index == 0 { names += choices(ofEnd: ends[1]) }
            query =
                "SELECT \(names.joined(separator: ", ")) FROM (SELECT *, row_number() OVER ("
                + "PARTITION BY \"\(end)\" ORDER BY \(order.joined(separator: ", "))) AS \"_number\" "
                + "FROM (\(query))) WHERE \"_number\" = 1"
        }
        return query
    }

    /// The tables that ``query(with:)`` and ``choice`` read.
    var tables: Set<String> {
        let isOrdered = [keeps.source, keeps.destination].contains { $0?.order.isEmpty == false }
        return sets.reduce(into: []) { tables, links in
            tables.formUnion(links.tables)
            if isOrdered { tables.formUnion([links.table, links.destinationTable]) }
        }
    }

    /// A query of all pairs in the order in which the sources choose: in that of their keys, each
    /// the first of its links, as the author says.
    var choice: String {
        let query = sets.map { $0.query(with: choices(of: $0)) }.joined(separator: " UNION ALL ")
        let order =
            ["\"source\""] + (keeps.source.map { self.order(of: $0, "_s") } ?? []) + [
                "\"destination\""
            ]
        return "SELECT \"source\", \"destination\" FROM (\(query))\n"
            + "ORDER BY \(order.joined(separator: ", "))"
    }

    /// What the author puts the links of an object in order by, else their place.
    private func order(of keep: MigrationDeclaration.Keep, _ prefix: String) -> [String] {
        keep.order.enumerated().map { index, order in
            "\"\(prefix)\(index)\"\(order.isDescending ? " DESC" : "") NULLS LAST"
        } + ["\"\(prefix)place\" NULLS LAST"]
    }

    /// What says of which of the sets a link is.
    private static let set = "_set"

    /// Where lists come together, one follows the other, in the order of the sets.
    private func consecutive(
        _ query: String, _ positions: [(column: String, isOfSource: Bool)]
    ) -> String {
        let places = positions.map { column, isOfSource in
            let ends = isOfSource ? ("source", "destination") : ("destination", "source")
            let name = SQLText.identifier(column)
            return "row_number() OVER (PARTITION BY \"\(ends.0)\" ORDER BY \"\(Self.set)\", "
                + "\(name) NULLS LAST, \"\(ends.1)\") * \(Model.positionGap) AS \(name)"
        }
        let names =
            ["\"source\"", "\"destination\""] + places
            + (choices(ofEnd: (keeps.source, "source", "_s"))
                + choices(ofEnd: (keeps.destination, "destination", "_d")))
        return "SELECT \(names.joined(separator: ", ")) FROM (\(query))"
    }

    /// What the links that stay are chosen by.
    private func choices(of links: OldLinks) -> [(name: String, sql: String)] {
        var choices: [(name: String, sql: String)] = []
        let places = links.positions
        let ends = [(keeps.source, "_s", true), (keeps.destination, "_d", false)]
        for (keep, prefix, isOfSource) in ends {
            guard let keep else { continue }
            for (index, order) in keep.order.enumerated() {
                let value = links.value(of: order.attribute, atSource: !isOfSource)
                choices.append(("\(prefix)\(index)", value ?? "NULL"))
            }
            let place = isOfSource ? places.ofSource : places.ofDestination
            choices.append(("\(prefix)place", place.map(SQLText.identifier) ?? "NULL"))
        }
        return choices
    }

    /// What a second choice still needs when the first has been made.
    private func choices(
        ofEnd end: (keep: MigrationDeclaration.Keep?, name: String, prefix: String)
    ) -> [String] {
        guard let keep = end.keep else { return [] }
        return (keep.order.indices.map { "\(end.prefix)\($0)" } + ["\(end.prefix)place"])
            .map(SQLText.identifier)
    }
}
