import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Writes the rows of a store of another kind into a new database, in one transaction. The rows of
/// all hierarchies come first, then their links and the order of the lists.
final class NodeWriter {
    private let model: ModelDescription
    private let connection: Connection
    private let files: ExternalFiles?
    private let prepared: PreparedSQL
    /// The runs that have moved large values to files.
    private var runs: [ExternalRun] = []
    private var nodes: MovedNodes

    /// - Parameter files: The files for large values; nil if they stay in the rows.
    private init(
        _ connection: Connection, _ model: ModelDescription, _ files: ExternalFiles?
    ) throws {
        self.connection = connection
        self.model = model
        self.files = files
        prepared = try model.preparedSQL()
        nodes = MovedNodes(model)
    }

    /// Turns an empty database into a store with rows. If it throws, the database is unchanged.
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
        let request = try self.nodes.insertions(of: nodes)
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

    // MARK: Links

    private func writeMembers() throws {
        let lists = nodes.members
        for lists in lists where lists.relationship.ownsPairs { try writePairs(lists) }
        for lists in lists {
            guard let sql = prepared.links[lists.relationship.identity].order else { continue }
            // Members that left the list have no position: the statement does not find their rows.
            try ListWriter(sql: sql, connection: connection).writeNew(lists.lists)
        }
    }

    private func writePairs(_ lists: MovedNodes.MemberLists) throws {
        guard let sql = prepared.links[lists.relationship.identity].pairs else { return }
        try connection.run(sql.insert, over: nodes.pairs(lists))
    }

    private func requireSoundKeys() throws {
        if connection.hasDanglingKeys { try connection.requireSoundKeys() }
    }
}

extension Connection {
    /// - Throws: ``StoreError`` if a key references a row that does not exist.
    func requireSoundKeys() throws {
        guard let broken = try rows(MigrationSQL.foreignKeyCheck).first else { return }
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
        // Saves are blocked meanwhile, so that the rows are consistent with each other and with the
        // files.
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

    private func nodes(
        _ keys: [Int64], root: Int, _ connection: Connection
    ) throws -> [StoreNode] {
        try MovedRows.nodes(
            keys, root: root, of: model, fetch: { try fetch($0, on: connection, $1) },
            members: { try members(of: $0, $1, on: connection) },
            externalData: { try externalData(named: $0) })
    }
}
