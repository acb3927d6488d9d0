import CambiumModel
import CambiumRecords

/// The rows of a store while they are moved to a new store of another kind. The rows of all
/// hierarchies come first, then their links and the order of the lists.
package struct MovedNodes {
    private let model: ModelDescription
    /// The keys of the rows, by the number of the root entity.
    private var keys: [Set<Int64>]
    /// By the identity of the relationship.
    private var lists: [Int: MemberLists] = [:]

    /// The members of a relationship, by owner.
    package struct MemberLists {
        package let relationship: RelationshipDescription
        package fileprivate(set) var lists: [(owner: Int64, members: [Int64])] = []
    }

    package init(_ model: ModelDescription) {
        self.model = model
        keys = model.entities.map { _ in [] }
    }

    /// Returns a request that inserts the next rows. They belong to one hierarchy.
    ///
    /// - Throws: ``StoreError`` if a row does not fit the model.
    package mutating func insertions(of nodes: [StoreNode]) throws -> SaveRequest {
        let writer = RecordWriter()
        var request = SaveRequest()
        var places: [Int: Int] = [:]
        for node in nodes {
            let entity = try model.entity(of: node)
            let placed = try node.record(of: entity, in: writer)
            // The insertion increments the version.
            placed.record.version &-= 1
            request.pages.append(placed.page)
            let place = places[entity.index] ?? request.insertions.count
            if place == request.insertions.count {
                places[entity.index] = place
                request.insertions.append(.init(entity: entity, records: []))
            }
            request.insertions[place].records.append(placed.record)
            keys[entity.rootIndex].insert(node.key)
            note(node, entity)
        }
        return request
    }

    private mutating func note(_ node: StoreNode, _ entity: EntityDescription) {
        for relationship in entity.relationships
        where relationship.ownsPairs || relationship.keepsOrder {
            guard let members = node.members[relationship.relationship.name] else { continue }
            var seen: Set<Int64> = []
            lists[relationship.identity, default: MemberLists(relationship: relationship)]
                .lists.append((node.key, members.map(\.key).filter { seen.insert($0).inserted }))
        }
    }

    /// The members of all relationships that keep pairs or an order, when all rows are written.
    package var members: [MemberLists] { lists.keys.sorted().compactMap { lists[$0] } }

    /// The pairs of a relationship that owns them. A row may still name a member that was deleted
    /// since.
    package func pairs(_ lists: MemberLists) -> [(source: Int64, destination: Int64)] {
        let members = keys[model.entities[lists.relationship.destination].rootIndex]
        return lists.lists.flatMap { list in
            list.members.filter(members.contains).map { (source: list.owner, destination: $0) }
        }
    }
}

extension MovedRows {
    /// Rows with all that a store of another kind keeps in them.
    ///
    /// - Parameters:
    ///   - fetch: Finds rows.
    ///   - members: Finds the far ends of a relationship of many owners.
    ///   - externalData: Reads the file of a large value.
    package static func nodes(
        _ keys: [Int64], root: Int, of model: ModelDescription,
        fetch: (RowRequest, (StoreRow) throws -> Void) throws -> Void,
        members: ([Int64], RelationshipDescription) throws -> [Int64: [LinkSet.Member]]?,
        externalData: (String) throws -> Data
    ) throws -> [StoreNode] {
        let writer = RecordWriter()
        var nodes: [StoreNode] = []
        var places: [Int: [Int]] = [:]
        let request = RowRequest(entity: model.entities[root], selection: .keys(keys))
        var rows: [(entity: EntityDescription, placed: PlacedRecord)] = []
        try fetch(request) { rows.append((model.entities[$0.entity], try $0.record(in: writer))) }
        for (entity, placed) in rows {
            try withExtendedLifetime(placed) {
                places[entity.index, default: []].append(nodes.count)
                nodes.append(try node(placed.record, entity, externalData))
            }
        }
        for (entity, places) in places {
            // Pairs if this side of the relationship keeps them, and lists for their order.
            for relationship in model.entities[entity].relationships
            where relationship.ownsPairs || relationship.keepsOrder {
                let owners = places.map { nodes[$0].key }
                guard let lists = try members(owners, relationship) else { continue }
                for place in places {
                    guard let members = lists[nodes[place].key] else { continue }
                    nodes[place].members[relationship.relationship.name] = members.map {
                        StoreReference(entityName: model.entities[$0.entity].name, key: $0.key)
                    }
                }
            }
        }
        return nodes
    }

    private static func node(
        _ record: Record, _ entity: EntityDescription, _ externalData: (String) throws -> Data
    ) throws -> StoreNode {
        var node = StoreNode(
            entityName: entity.name, key: record.key, version: record.version)
        try node.take(entity.storedSlots, of: record, entity)
        for slot in entity.externalSlots.slots where record.hasValue(slot) {
            let bytes = record.bytes(slot)
            guard bytes.first == ExternalForm.file, let attribute = entity.attributes[slot] else {
                continue
            }
            let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
            do {
                node.values[attribute.name] = .data(try externalData(name))
            } catch {
                throw StoreError.missingLargeValue(
                    of: "\(entity.name)/\(record.key).\(attribute.name)", error)
            }
        }
        return node
    }
}

extension StoreError {
    /// The error of a store with existing rows that is to receive others.
    package static func hasObjects(of entity: String) -> StoreError {
        .invalidRequest(
            "The store already has objects of \(entity), and only "
                + "an empty store can receive the objects of another one.",
            remedy: "Delete those objects, or choose another location.")
    }
}
