import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws {
        // Nobody saves meanwhile: the rows fit each other, and the files fit the rows.
        try writer.withLock { connection in
            try connection.transaction(isReadOnly ? .deferred : .immediate) {
                for root in roots {
                    let keys = try keys(ofRoot: root, connection)
                    for start in stride(from: 0, to: keys.count, by: MovedRows.readAtOnce) {
                        let chunk = keys[start..<min(start + MovedRows.readAtOnce, keys.count)]
                        try receive(nodes(Array(chunk), root: root, connection), root)
                    }
                }
            }
        }
    }

    func nextKey(ofRoot root: Int) throws -> Int64? {
        let name = model.entities[root].name
        let rows = try withReader { try $0.rows(KeySQL.query, [.text(name)]) }
        guard case .integer(let next)? = rows.first?.first else { throw Self.noKeys(of: name) }
        return next
    }

    private func keys(ofRoot root: Int, _ connection: Connection) throws -> [Int64] {
        var request = RowRequest(entity: model.entities[root], selection: .matching(nil, [:]))
        request.readsKeysOnly = true
        var keys: [Int64] = []
        try fetch(request, on: connection) { keys.append($0.key) }
        return keys
    }

    /// Rows with all that a store of another kind keeps in them.
    private func nodes(
        _ keys: [Int64], root: Int, _ connection: Connection
    ) throws -> [StoreNode] {
        let writer = RecordWriter()
        var nodes: [StoreNode] = []
        var places: [Int: [Int]] = [:]
        let request = RowRequest(entity: model.entities[root], selection: .keys(keys))
        try fetch(request, on: connection) { row in
            let entity = model.entities[row.entity]
            let placed = try row.record(in: writer)
            try withExtendedLifetime(placed) {
                places[entity.index, default: []].append(nodes.count)
                nodes.append(try node(placed.record, entity))
            }
        }
        for (entity, places) in places {
            try readMembers(of: &nodes, at: places, model.entities[entity], connection)
        }
        return nodes
    }

    private func node(_ record: Record, _ entity: EntityDescription) throws -> StoreNode {
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
                node.values[attribute.name] = .data(try externalData(named: name))
            } catch {
                throw StoreError(
                    code: .missingFile,
                    message: "The file of \(entity.name)/\(record.key).\(attribute.name) cannot be "
                        + "read.",
                    remedy: "Restore it from a backup, or set another value.",
                    underlying: error)
            }
        }
        return node
    }

    /// Reads pairs where the rows' side keeps them, and lists for their order.
    private func readMembers(
        of nodes: inout [StoreNode], at places: [Int], _ entity: EntityDescription,
        _ connection: Connection
    ) throws {
        for relationship in entity.relationships
        where relationship.ownsPairs || relationship.keepsOrder {
            let owners = places.map { nodes[$0].key }
            guard let lists = try members(of: owners, relationship, on: connection) else {
                continue
            }
            for place in places {
                guard let members = lists[nodes[place].key] else { continue }
                nodes[place].members[relationship.relationship.name] = members.map {
                    StoreReference(entityName: model.entities[$0.entity].name, key: $0.key)
                }
            }
        }
    }
}
