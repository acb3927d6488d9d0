import CambiumSQL
import CambiumSQLite

/// Works out what a save does to the rows of a custom store.
struct NodeChanges {
    private let graph: NodeGraph
    private let needsUniquenessChecks: Bool
    private var written: [NodeKey: StoreNode] = [:]
    private var insertedKeys: Set<NodeKey> = []
    private var deleted: [NodeKey: StoreNode] = [:]
    private(set) var resolutions: [ConflictResolution] = []

    private struct NodeKey: Hashable {
        let root: Int
        let key: Int64
    }

    init(_ graph: NodeGraph, needsUniquenessChecks: Bool) {
        self.graph = graph
        self.needsUniquenessChecks = needsUniquenessChecks
    }

    private var model: RuntimeModel { graph.model }

    mutating func apply(
        _ request: SaveRequest, _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws {
        for check in request.checks {
            _ = try self.resolve(check.records, check.entity, isDeletion: false, resolve)
        }
        for deletion in request.deletions {
            let resolved = try self.resolve(
                deletion.records, deletion.entity, isDeletion: true, resolve)
            for record in deletion.records where !resolved.contains(record.key) {
                try delete(record.key, deletion.entity)
            }
        }
        for update in request.updates {
            let resolved = try self.resolve(
                update.records, update.entity, isDeletion: false, resolve)
            for record in update.records where !resolved.contains(record.key) {
                try self.update(record, update.slots, update.entity)
            }
        }
        for insertion in request.insertions {
            for record in insertion.records { try insert(record, insertion.entity) }
        }
        for links in request.links { try link(links) }
        for order in request.orders { try arrange(order) }
        try requireDestinations()
        if needsUniquenessChecks { try requireUniqueness() }
    }

    // MARK: Rows

    /// Finds the records whose rows are of another version, and does what is decided about them.
    ///
    /// - Returns: The keys of those records, and of rows that need not be deleted any more.
    private mutating func resolve(
        _ records: [Record], _ entity: EntityDescription, isDeletion: Bool,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws -> Set<Int64> {
        let root = entity.rootIndex
        try graph.load(root: root, keys: records.map(\.key))
        var conflicts: [RowConflict] = []
        var done: Set<Int64> = []
        let writer = RecordWriter()
        for record in records {
            let node = try graph.node(root: root, key: record.key)
            if let node, node.version == record.version { continue }
            done.insert(record.key)
            // A row that is gone already is no conflict: both wanted it gone.
            if node == nil, isDeletion { continue }
            conflicts.append(
                RowConflict(
                    entity: entity, key: record.key,
                    theirs: try node?.record(of: entity, in: writer), isDeletion: isDeletion))
        }
        guard !conflicts.isEmpty else { return done }
        let decided = try resolve(conflicts)
        for resolution in decided { try apply(resolution) }
        resolutions += decided
        return done
    }

    private mutating func apply(_ resolution: ConflictResolution) throws {
        let entity = resolution.conflict.entity
        switch resolution.action {
        case .update(let placed, let slots): try update(placed.record, slots, entity)
        case .reinsert(let placed): try insert(placed.record, entity)
        case .delete(let placed): try delete(placed.record.key, entity)
        case .yield: break
        }
    }

    private mutating func insert(_ record: Record, _ entity: EntityDescription) throws {
        var node = StoreNode(
            entityName: entity.name, key: record.key, version: record.version + 1)
        try node.take(entity.storedSlots, of: record, entity)
        write(node, entity.rootIndex)
        let key = NodeKey(root: entity.rootIndex, key: node.key)
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

    private mutating func delete(_ key: Int64, _ entity: EntityDescription) throws {
        guard let node = try graph.node(root: entity.rootIndex, key: key) else { return }
        // Pairs whose other side keeps them go, too.
        for relationship in entity.relationships
        where relationship.isJoinTable && !relationship.ownsPairs {
            guard let inverse = relationship.relationship.inverse else { continue }
            let root = model.entities[relationship.destination].rootIndex
            for var owner in try graph.related(to: node, by: relationship) {
                owner.members[inverse]?.removeAll { $0.key == key }
                write(owner, root)
            }
        }
        graph.put(nil, root: entity.rootIndex, key: key)
        let nodeKey = NodeKey(root: entity.rootIndex, key: key)
        written[nodeKey] = nil
        deleted[nodeKey] = node
    }

    private mutating func write(_ node: StoreNode, _ root: Int) {
        graph.put(node, root: root, key: node.key)
        written[NodeKey(root: root, key: node.key)] = node
    }

    // MARK: Links and orders

    private mutating func link(_ links: SaveRequest.Links) throws {
        let name = links.relationship.relationship.name
        let destination = model.entities[links.relationship.destination]
        try graph.load(root: links.root, keys: (links.added + links.removed).map(\.source))
        try graph.load(
            root: destination.rootIndex, keys: links.added.map(\.destination))
        for pair in links.removed {
            guard var owner = try graph.node(root: links.root, key: pair.source) else { continue }
            owner.members[name]?.removeAll { $0.key == pair.destination }
            write(owner, links.root)
        }
        for pair in links.added {
            guard var owner = try graph.node(root: links.root, key: pair.source) else { continue }
            let members = owner.members[name] ?? []
            if members.contains(where: { $0.key == pair.destination }) { continue }
            let member = try graph.node(root: destination.rootIndex, key: pair.destination)
            guard let member else { throw Self.missingDestination(owner, name) }
            owner.members[name] =
                members + [StoreReference(entityName: member.entityName, key: member.key)]
            write(owner, links.root)
        }
    }

    private mutating func arrange(_ order: SaveRequest.Order) throws {
        for list in order.lists {
            guard var owner = try graph.node(root: order.root, key: list.owner),
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
            write(owner, order.root)
        }
    }

    // MARK: What SQLite would refuse

    private func requireDestinations() throws {
        for (key, node) in written {
            let entity = model.entities[key.root]
            for (name, destination) in node.destinations {
                guard let target = model[destination.entityName] else { continue }
                if try graph.node(root: target.rootIndex, key: destination.key) == nil {
                    throw Self.missingDestination(node, name, root: entity.name)
                }
            }
        }
    }

    private static func missingDestination(
        _ node: StoreNode, _ name: String, root: String? = nil
    ) -> ValidationError {
        ValidationError(
            code: .missing, entityName: node.entityName, objectID: nil, property: name,
            message: "\(name) leads to an object that is being deleted, or is gone. Clear the "
                + "link first.")
    }

    private func requireUniqueness() throws {
        var checked: Set<String> = []
        for node in written.values.sorted(by: { $0.key < $1.key }) {
            let entity = try graph.entity(of: node)
            for declarer in entity.model.lineage(of: entity.entity)
            where !declarer.uniqueConstraints.isEmpty && checked.insert(declarer.name).inserted {
                guard let description = model[declarer.name] else { continue }
                try requireUniqueness(of: description)
            }
        }
    }

    private func requireUniqueness(of entity: EntityDescription) throws {
        let family = Set(model.families[entity.index].map { model.entities[$0].name })
        let nodes = try graph.nodes(root: entity.rootIndex)
            .filter { family.contains($0.entityName) }
        for constraint in entity.entity.uniqueConstraints {
            var seen: Set<[Value]> = []
            for node in nodes {
                let values = constraint.properties.map { name in
                    node.values[name]
                        ?? node.destinations[name].map { .int($0.key) } ?? .null
                }
                // Nil is equal to nothing here, as in SQL.
                if values.contains(.null) || seen.insert(values).inserted { continue }
                let names = constraint.properties
                throw ValidationError(
                    code: .notUnique, entityName: entity.name, objectID: nil,
                    property: names.count == 1 ? names[0] : nil,
                    message: "Another object has the same \(names.joined(separator: ", ")).")
            }
        }
    }

    // MARK: The result

    /// What is to be written, in the order of entities and keys.
    func request(notes: [String: String]?) -> StoreSaveRequest {
        func sorted(_ nodes: [NodeKey: StoreNode]) -> [StoreNode] {
            nodes.sorted { one, other in
                one.key.root == other.key.root
                    ? one.key.key < other.key.key : one.key.root < other.key.root
            }.map(\.value)
        }
        var request = StoreSaveRequest()
        request.inserted = sorted(written.filter { insertedKeys.contains($0.key) })
        request.updated = sorted(written.filter { !insertedKeys.contains($0.key) })
        request.deleted = sorted(deleted)
        request.notes = notes
        return request
    }
}
