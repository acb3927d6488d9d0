import CambiumRecords

/// Looks at the rows of a custom store while a save is planned.
final class NodeLookup: SaveLookup {
    private let graph: NodeGraph
    /// Whether the backend leaves unique constraints to Cambium.
    private let needsUniquenessChecks: Bool
    private let writer = RecordWriter()
    /// The rows that hold unique values, by those.
    private var holders: [ObjectIdentifier: [[StoredValue]: [Int64]]] = [:]

    init(_ graph: NodeGraph, needsUniquenessChecks: Bool) {
        self.graph = graph
        self.needsUniquenessChecks = needsUniquenessChecks
    }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict] {
        try graph.load(root: entity.rootIndex, keys: records.map(\.key))
        return try records.compactMap { record in
            let node = try graph.node(root: entity.rootIndex, key: record.key)
            if let node, node.version == record.version { return nil }
            return RowConflict(
                entity: entity, key: record.key,
                theirs: try node?.record(of: entity, in: writer), isDeletion: isDeletion)
        }
    }

    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)] {
        let keys = Array(keys)
        try graph.load(root: root, keys: keys)
        return try keys.compactMap { key in
            guard let node = try graph.node(root: root, key: key) else { return nil }
            let entity = try graph.entity(of: node)
            return (entity, try node.record(of: entity, in: writer))
        }
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        try graph.load(root: root, keys: keys)
        return try keys.sorted().filter { try graph.node(root: root, key: $0) == nil }
    }

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64] {
        try graph.nodes(root: entity.rootIndex)
            .filter { try graph.key(in: relationship, of: $0).map(keys.contains) ?? false }
            .map(\.key)
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        guard key.isPartner || needsUniquenessChecks else { return [] }
        let known = try holders(of: key)
        return records.flatMap { record in
            guard let values = key.values(of: record, entity.shape) else {
                return [UniqueHolder]()
            }
            return (known[values] ?? []).filter { $0 != record.key }
                .map { UniqueHolder(record: record.key, row: $0) }
        }
    }

    private func holders(of key: UniqueKey) throws -> [[StoredValue]: [Int64]] {
        if let known = holders[ObjectIdentifier(key)] { return known }
        let family = Set(graph.model.families[key.declarer])
        var found: [[StoredValue]: [Int64]] = [:]
        for node in try graph.nodes(root: graph.model.entities[key.declarer].rootIndex) {
            let entity = try graph.entity(of: node)
            guard family.contains(entity.index) else { continue }
            let placed = try node.record(of: entity, in: writer)
            let values = withExtendedLifetime(placed) {
                key.values(of: placed.record, entity.shape)
            }
            if let values { found[values, default: []].append(node.key) }
        }
        holders[ObjectIdentifier(key)] = found
        return found
    }

    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64] {
        let links = members.links
        let root = members.isSource ? links.sourceRoot : links.destinationRoot
        let destination = graph.model.entities[links.relationship.destination]
        let wanted =
            members.isSource
            ? links.relationship
            : links.relationship.inverse.map { destination.relationships[$0] }
        guard let wanted, let node = try graph.node(root: root, key: members.key),
            let relationship = try graph.entity(of: node).relationships.first(where: {
                $0.identity == wanted.identity
            })
        else { return [] }
        return try graph.related(to: node, by: relationship).map(\.key)
    }
}
