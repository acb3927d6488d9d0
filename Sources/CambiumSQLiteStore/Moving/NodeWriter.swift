import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Writes the rows of a store of another kind into a new database, inside one transaction: first
/// the rows of all hierarchies, then what links them and the order of the lists.
final class NodeWriter {
    private let model: ModelDescription
    private let connection: Connection
    private let files: ExternalFiles?
    private let prepared: PreparedSQL
    /// What has moved large values to files.
    private var runs: [ExternalRun] = []
    /// The keys of the rows, by the number of the root entity.
    private var keys: [Set<Int64>]
    /// By the identity of the relationship.
    private var lists: [Int: MemberLists] = [:]

    private struct MemberLists {
        let relationship: RelationshipDescription
        var lists: [(owner: Int64, members: [Int64])] = []
    }

    /// - Parameter files: Where large values go; nil where they stay in the rows.
    private init(
        _ connection: Connection, _ model: ModelDescription, _ files: ExternalFiles?
    ) throws {
        self.connection = connection
        self.model = model
        self.files = files
        prepared = try model.preparedSQL()
        keys = model.entities.map { _ in [] }
    }

    /// Makes an empty database a store with rows; nothing where it throws.
    static func fill(
        _ connection: Connection, with rows: MovedRows, _ runner: MigrationRunner,
        _ files: ExternalFiles?
    ) throws {
        let writer = try NodeWriter(connection, rows.model, files)
        try writer.makeStore(rows, runner, notes: rows.source.notes())
    }

    private func makeStore(
        _ rows: MovedRows, _ runner: MigrationRunner, notes: [String: String]
    ) throws {
        _ = try runner.open(connection)
        do {
            try connection.transaction {
                let nextKeys = try rows.read { try write($0) }
                try writeMembers()
                try writeMetadata(notes, nextKeys)
                try requireSoundKeys()
            }
        } catch {
            for run in runs { run.rollBack() }
            throw (error as? SQLiteError).map { ConstraintFailure.error(for: $0, in: model) }
                ?? error
        }
        for run in runs { run.commit(keepsFiles: false) }
    }

    private func writeMetadata(_ notes: [String: String], _ nextKeys: [Int: Int64]) throws {
        for (root, next) in nextKeys {
            _ = try connection.rows(
                KeySQL.raise, [.text(model.entities[root].name), .integer(next)])
        }
        let metadata = StoreMetadataAccess(connection)
        try metadata.replaceIdentifier()
        try metadata.setNotes(notes)
    }

    // MARK: Rows

    /// Writes rows of one hierarchy.
    private func write(_ nodes: [StoreNode]) throws {
        let writer = RecordWriter()
        var request = SaveRequest()
        var places: [Int: Int] = [:]
        for node in nodes {
            let entity = try model.entity(of: node)
            let placed = try node.record(of: entity, in: writer)
            // Who inserts a row counts its version up.
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
        try withExtendedLifetime(request) {
            let run = files.map { ExternalRun($0, prepared.externalColumns, connection) }
            let moved = try run?.prepare(request) ?? request
            if let run { runs.append(run) }
            for insertion in moved.insertions {
                _ = try connection.runPending(
                    prepared.inserts[insertion.entity.index], over: insertion.records.sortedByKey(),
                    shape: insertion.entity.shape)
            }
        }
    }

    private func note(_ node: StoreNode, _ entity: EntityDescription) {
        for relationship in entity.relationships
        where relationship.ownsPairs || relationship.keepsOrder {
            guard let members = node.members[relationship.relationship.name] else { continue }
            var seen: Set<Int64> = []
            lists[relationship.identity, default: MemberLists(relationship: relationship)]
                .lists.append((node.key, members.map(\.key).filter { seen.insert($0).inserted }))
        }
    }

    // MARK: Links

    private func writeMembers() throws {
        let lists = lists.keys.sorted().compactMap { self.lists[$0] }
        for lists in lists where lists.relationship.ownsPairs { try writePairs(lists) }
        for lists in lists {
            guard let sql = prepared.links[lists.relationship.identity].order else { continue }
            // Members that left the list have no place: the statement finds no row of theirs.
            try ListWriter(sql: sql, connection: connection).writeNew(lists.lists)
        }
    }

    private func writePairs(_ lists: MemberLists) throws {
        guard let sql = prepared.links[lists.relationship.identity].pairs else { return }
        let members = keys[model.entities[lists.relationship.destination].rootIndex]
        // A row may still name a member that was deleted since.
        let pairs = lists.lists.flatMap { list in
            list.members.filter(members.contains).map { (source: list.owner, destination: $0) }
        }
        try connection.run(sql.insert, over: pairs)
    }

    /// - Throws: ``StoreError`` where a key references a row that is not there.
    private func requireSoundKeys() throws {
        guard connection.hasDanglingKeys else { return }
        let broken = try connection.rows(MigrationSQL.foreignKeyCheck).first ?? []
        var row = "A row"
        if case .text(let table)? = broken.first, broken.count > 1,
            case .integer(let key) = broken[1]
        {
            row = "\(table)/\(key)"
        }
        throw StoreError(
            code: .corrupt,
            message: "\(row) of the store references a row that does not exist.",
            remedy: "Clear the dangling reference first.")
    }
}

extension SQLiteEngine {
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws {
        // Saves are blocked meanwhile: the rows fit each other, and the files fit the rows.
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
