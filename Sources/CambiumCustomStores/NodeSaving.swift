import CambiumRecords

/// Looks at the rows of a custom store while a save is planned.
final class NodeLookup: SaveLookup {
    private let graph: NodeGraph
    /// Whether the backend leaves unique constraints to Cambium.
    private let needsUniquenessChecks: Bool
    private let writer = RecordWriter()
    /// The rows that hold unique values, by the values.
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

/// Computes the changes of a save to the rows of a custom store.
struct NodeChanges {
    private let graph: NodeGraph
    private var written: [RowIdentity: StoreNode] = [:]
    private var insertedKeys: Set<RowIdentity> = []
    private var deleted: [RowIdentity: StoreNode] = [:]
    private var locked: [RowIdentity: StoreNode] = [:]

    init(graph: NodeGraph) {
        self.graph = graph
    }

    private var model: ModelDescription { graph.model }

    /// Does all of it; there is no conflict left.
    mutating func apply(_ request: SaveRequest) throws {
        try removePairs(of: request.deletions)
        for deletion in request.deletions {
            for record in deletion.records { try delete(record.key, deletion.entity) }
        }
        for update in request.updates {
            for record in update.records { try self.update(record, update.slots, update.entity) }
        }
        for insertion in request.insertions {
            for record in insertion.records { try insert(record, insertion.entity) }
        }
        for links in request.links { try link(links) }
        for order in request.orders { try arrange(order) }
    }

    /// Notes rows that were looked at.
    mutating func note(_ checks: [SaveRequest.Check]) throws {
        for check in checks {
            let root = check.entity.rootIndex
            for record in check.records {
                locked[RowIdentity(root: root, key: record.key)] = try graph.node(
                    root: root, key: record.key)
            }
        }
    }

    // MARK: Rows

    private mutating func insert(_ record: Record, _ entity: EntityDescription) throws {
        var node = StoreNode(
            entityName: entity.name, key: record.key, version: record.version + 1)
        try node.take(entity.storedSlots, of: record, entity)
        write(node, entity.rootIndex)
        let key = RowIdentity(root: entity.rootIndex, key: node.key)
        if deleted.removeValue(forKey: key) == nil { insertedKeys.insert(key) }
    }

    private mutating func update(
        _ record: Record, _ slots: SlotSet, _ entity: EntityDescription
    ) throws {
        guard var node = try graph.node(root: entity.rootIndex, key: record.key) else { return }
        try node.take(slots, of: record, entity)
        node.version += 1
        write(node, entity.rootIndex)
    }

    /// Removes deleted rows from the lists in which other rows keep the pairs, with or without an
    /// inverse. It passes over the owners of each relationship once.
    private mutating func removePairs(of deletions: [SaveRequest.Deletion]) throws {
        var deleted: [Int: Set<Int64>] = [:]
        for deletion in deletions {
            deleted[deletion.entity.index, default: []].formUnion(deletion.records.map(\.key))
        }
        if deleted.isEmpty { return }
        for owner in model.entities {
            let declared = Set(owner.entity.relationships.map(\.name))
            for relationship in owner.relationships
            where relationship.ownsPairs && declared.contains(relationship.relationship.name) {
                let keys = model.families[relationship.destination]
                    .reduce(into: Set<Int64>()) { $0.formUnion(deleted[$1] ?? []) }
                if !keys.isEmpty { try remove(keys, from: relationship, of: owner) }
            }
        }
    }

    private mutating func remove(
        _ keys: Set<Int64>, from relationship: RelationshipDescription, of owner: EntityDescription
    ) throws {
        let name = relationship.relationship.name
        let family = Set(model.families[owner.index].map { model.entities[$0].name })
        for var node in try graph.nodes(root: owner.rootIndex)
        where family.contains(node.entityName)
            && node.members[name]?.contains(where: { keys.contains($0.key) }) == true
        {
            node.members[name]?.removeAll { keys.contains($0.key) }
            write(node, owner.rootIndex)
        }
    }

    private mutating func delete(_ key: Int64, _ entity: EntityDescription) throws {
        guard let node = try graph.node(root: entity.rootIndex, key: key) else { return }
        graph.put(nil, root: entity.rootIndex, key: key)
        let nodeKey = RowIdentity(root: entity.rootIndex, key: key)
        written[nodeKey] = nil
        deleted[nodeKey] = node
    }

    private mutating func write(_ node: StoreNode, _ root: Int) {
        graph.put(node, root: root, key: node.key)
        written[RowIdentity(root: root, key: node.key)] = node
    }

    // MARK: Links and orders

    private mutating func link(_ links: SaveRequest.Links) throws {
        let name = links.relationship.relationship.name
        let destination = model.entities[links.relationship.destination]
        try graph.load(root: links.sourceRoot, keys: (links.added + links.removed).map(\.source))
        try graph.load(
            root: destination.rootIndex, keys: links.added.map(\.destination))
        for pair in links.removed {
            guard var owner = try graph.node(root: links.sourceRoot, key: pair.source) else {
                continue
            }
            owner.members[name]?.removeAll { $0.key == pair.destination }
            write(owner, links.sourceRoot)
        }
        for pair in links.added {
            guard var owner = try graph.node(root: links.sourceRoot, key: pair.source) else {
                continue
            }
            let members = owner.members[name] ?? []
            if members.contains(where: { $0.key == pair.destination }) { continue }
            let member = try graph.node(root: destination.rootIndex, key: pair.destination)
            guard let member else { throw Self.missingDestination(owner.entityName, name) }
            owner.members[name] =
                members + [StoreReference(entityName: member.entityName, key: member.key)]
            write(owner, links.sourceRoot)
        }
    }

    private mutating func arrange(_ order: SaveRequest.Order) throws {
        for list in order.lists {
            guard var owner = try graph.node(root: order.ownerRoot, key: list.owner),
                let relationship = try graph.entity(of: owner).relationships.first(where: {
                    $0.identity == order.relationship.identity
                })
            else { continue }
            let name = relationship.relationship.name
            let members = try graph.related(to: owner, by: relationship)
            let present = Set(members.map(\.key))
            let newcomers = Set(list.order.appended)
            // Pairs have just been added at the end, in the order of their keys.
            let placed =
                relationship.ownsPairs ? [] : Set((owner.members[name] ?? []).map(\.key))
            let stored = members.map(\.key)
                .filter { placed.contains($0) || !newcomers.contains($0) }
            let entities = Dictionary(
                members.map { ($0.key, $0.entityName) }, uniquingKeysWith: { one, _ in one })
            owner.members[name] = list.order.applied(to: stored).filter(present.contains)
                .compactMap { key in
                    entities[key].map { StoreReference(entityName: $0, key: key) }
                }
            write(owner, order.ownerRoot)
        }
    }

    /// The refusal of a link that would be a dangling reference.
    static func missingDestination(_ entityName: String, _ property: String) -> ValidationError {
        ValidationError(
            code: .missing, entityName: entityName, objectID: nil, property: property,
            message: "\(property) references an object that is being deleted, or was deleted. "
                + "Clear the reference first.")
    }

    // MARK: The result

    /// The writes, in the order of entities and keys.
    func request(notes: [String: String]?) -> StoreSaveRequest {
        func sorted(_ nodes: [RowIdentity: StoreNode]) -> [StoreNode] {
            nodes.sorted { $0.key < $1.key }.map(\.value)
        }
        var request = StoreSaveRequest()
        request.inserted = sorted(written.filter { insertedKeys.contains($0.key) })
        request.updated = sorted(written.filter { !insertedKeys.contains($0.key) })
        request.deleted = sorted(deleted)
        request.locked = sorted(
            locked.filter { written[$0.key] == nil && deleted[$0.key] == nil })
        request.notes = notes
        return request
    }
}
