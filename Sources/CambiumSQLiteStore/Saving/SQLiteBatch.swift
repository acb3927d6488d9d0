import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// The transaction of a batch operation in an SQLite store.
final class SQLiteBatch: BatchTransaction {
    private let store: SQLiteEngine
    private let connection: Connection
    /// Whether all conflicts are checked before anything is written.
    let isPlanned: Bool
    var changes: BatchChanges
    let rows: SQLiteLookup
    private var pipelines: [RowPipeline] = []

    var identifier: StoreIdentifier { store.identifier }
    var model: ModelDescription { store.model }
    var lookup: any SaveLookup { rows }
    var planningLookup: any SaveLookup { rows }
    /// Whether writing rows may change derived attributes of other rows.
    var derivesValues: Bool { store.prepared.derivations != nil }

    init(
        _ store: SQLiteEngine, _ connection: Connection, isPlanned: Bool, changes: BatchChanges
    ) {
        self.store = store
        self.connection = connection
        self.isPlanned = isPlanned
        self.changes = changes
        rows = SQLiteLookup(store: store, connection: connection)
    }

    func commitFiles() {
        for pipeline in pipelines { pipeline.commit() }
    }

    func rollBackFiles() {
        for pipeline in pipelines { pipeline.rollBack() }
    }

    /// Runs a part of the work. If it throws, its changes are rolled back, and earlier work is
    /// kept.
    func savepoint(_ body: () throws -> Void) throws {
        let mark = changes.mark
        let count = pipelines.count
        do {
            try connection.savepoint(body)
        } catch {
            changes.revert(to: mark)
            for pipeline in pipelines[count...] { pipeline.rollBack() }
            pipelines.removeLast(pipelines.count - count)
            throw error
        }
    }

    // MARK: Finding

    /// Returns the rows that a request finds.
    func rowKeys(_ request: RowRequest) throws -> [RowKey] {
        let entity = request.entity
        switch request.selection {
        case .matching(let condition, let arguments):
            let (sql, parameters) = try store.prepared.selects[entity.index].rowKeys(
                .matching(condition, arguments), includesSubentities: request.includesSubentities,
                sort: request.sort, limit: request.limit, offset: request.offset)
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(parameters)
            var found: [RowKey] = []
            while try statement.step() { found.append(rowKey(statement, 0, entity)) }
            return found
        case .keys(let keys):
            let (sql, _) = try store.prepared.selects[entity.index].rowKeys(.pendingKeys)
            var found: [RowKey] = []
            try connection.query(sql, over: Set(keys).sorted()) {
                found.append(rowKey($0, 0, entity))
            }
            return found
        case .key, .farEnd:
            return []
        }
    }

    /// Returns the rows at the other end of a relationship, each with the key of this end.
    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[model.entities[relationship.destination].rootIndex]
        let storage = store.prepared.links[relationship.identity].storage
        return try related(storage, from: root, to: far, keys)
    }

    /// Returns the rows of an entity that reference the keys by a relationship without an inverse,
    /// each with the referenced key.
    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[model.entities[relationship.destination].rootIndex]
        let storage = store.prepared.links[relationship.identity].storage
        guard let back = storage.fromDestination else { return [] }
        return try related(back, from: far, to: root, keys)
    }

    private func related(
        _ storage: RelationshipStorage, from root: EntityDescription, to far: EntityDescription,
        _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        guard
            let sql = RelatedSQL.rowKeys(
                of: storage, from: root.entity, to: far.entity, in: model.model)
        else { return [] }
        var found: [(source: Int64, row: RowKey)] = []
        try connection.query(sql, over: keys) {
            found.append(($0.integer(at: 0), rowKey($0, 1, far)))
        }
        return found
    }

    func computation(
        of expressions: [(expression: ModelExpression, type: AttributeType)],
        for entity: EntityDescription
    ) throws -> BatchComputation {
        let computed = try store.prepared.selects[entity.index].values(of: expressions, now: .now)
        return BatchComputation(isOfOwnRow: computed.isOfOwnRow, types: computed.types) { keys in
            var values: [Int64: [StoredValue]] = [:]
            try self.connection.query(computed.sql, over: keys, computed.parameters) {
                values[$0.integer(at: 0)] = Array($0.values().dropFirst())
            }
            return values
        }
    }

    private func rowKey(
        _ statement: Statement, _ first: Int, _ entity: EntityDescription
    ) -> RowKey {
        RowKey(
            entity: entity.hasEntityColumn
                ? model[statement.text(at: first + 2)]?.index ?? entity.index : entity.index,
            key: statement.integer(at: first), version: statement.integer(at: first + 1))
    }

    // MARK: Writing

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(root: root, count: count, on: connection)
    }

    func write(
        _ request: SaveRequest, from source: RowSource, swapping swapped: Set<RowIdentity>
    ) throws {
        pipelines.append(RowPipeline(store: store, connection: connection, source: source))
        let derived = try pipelines[pipelines.count - 1].write(request, swapping: swapped)
        // Without files, a pipeline has no work after the commit.
        if !pipelines[pipelines.count - 1].hasFiles { pipelines.removeLast() }
        changes.refresh(derived, besides: request)
    }
}

extension SQLiteEngine {
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try writer.withLock { connection in
            let transaction: SQLiteBatch
            do {
                transaction = try run(work, author, connection, attachesRows, isPlanned: false)
            } catch
                where work.canPlan(
                    around: error, { ($0 as? SQLiteError).map(ConstraintFailure.isUnique) ?? false }
                )
            {
                transaction = try run(work, author, connection, attachesRows, isPlanned: true)
            }
            committed(transaction.changes)
            checkpointIfNeeded(connection)
        }
    }

    private func run(
        _ work: some BatchWork, _ author: TransactionAuthor, _ connection: Connection,
        _ attachesRows: Bool, isPlanned: Bool
    ) throws -> SQLiteBatch {
        let transaction = SQLiteBatch(
            self, connection, isPlanned: isPlanned,
            changes: BatchChanges(
                model, store: identifier, listsAll: work.resultType == .objectIDs,
                attachesRows: attachesRows))
        do {
            try connection.transaction {
                try connection.untilCancelled {
                    try recording(author, on: connection) { try work.run(in: transaction) }
                }
            }
        } catch {
            transaction.rollBackFiles()
            throw error
        }
        transaction.commitFiles()
        return transaction
    }
}
