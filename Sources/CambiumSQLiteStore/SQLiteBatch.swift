import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// The transaction of a batch operation in one of SQLite's stores.
final class SQLiteBatch: BatchTransaction {
    private let store: SQLiteEngine
    private let connection: Connection
    /// Whether everything is looked at before anything is written.
    let isPlanned: Bool
    var changes: BatchChanges
    let rows: SQLiteLookup
    private var files: [ExternalRun] = []

    var identifier: StoreIdentifier { store.identifier }
    var model: ModelDescription { store.model }
    var lookup: any SaveLookup { rows }
    /// Whether writing rows may change derived attributes of others.
    var derivesValues: Bool { store.prepared.derivations != nil }

    init(
        _ store: SQLiteEngine, _ connection: Connection, isPlanned: Bool, changes: BatchChanges
    ) {
        self.store = store
        self.connection = connection
        self.isPlanned = isPlanned
        self.changes = changes
        rows = SQLiteLookup(store, connection)
    }

    func commitFiles(keepsFiles: Bool) {
        for run in files { run.commit(keepsFiles: keepsFiles) }
    }

    func rollBackFiles() {
        for run in files { run.rollBack() }
    }

    /// Runs a part of the work. Where it throws, all that it has written and noted is taken back,
    /// and the work before it stays.
    func savepoint(_ body: () throws -> Void) throws {
        let mark = changes.mark
        let fileCount = files.count
        do {
            try connection.savepoint(body)
        } catch {
            changes.revert(to: mark)
            for run in files[fileCount...] { run.rollBack() }
            files.removeLast(files.count - fileCount)
            throw error
        }
    }

    // MARK: Finding

    /// The rows that a request finds.
    func heads(_ request: RowRequest) throws -> [RowHead] {
        let entity = request.entity
        switch request.selection {
        case .matching(let condition, let arguments):
            let (sql, parameters) = try store.prepared.selects[entity.index].heads(
                .matching(condition, arguments), includesSubentities: request.includesSubentities,
                sort: request.sort, limit: request.limit, offset: request.offset)
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(parameters)
            var heads: [RowHead] = []
            while try statement.step() { heads.append(head(statement, 0, entity)) }
            return heads
        case .keys(let keys):
            let (sql, _) = try store.prepared.selects[entity.index].heads(.pendingKeys)
            var heads: [RowHead] = []
            try connection.query(sql, over: Set(keys).sorted()) {
                heads.append(self.head($0, 0, entity))
            }
            return heads
        case .key, .farEnd:
            return []
        }
    }

    /// The rows at the other end of a relationship, each with the key of this end.
    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, head: RowHead)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[model.entities[relationship.destination].rootIndex]
        let storage = store.prepared.links[relationship.identity].storage
        return try related(storage, from: root, to: far, keys)
    }

    /// The rows of an entity whose relationship, from which nothing leads back, leads to the keys,
    /// each with the key of that end.
    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, head: RowHead)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[model.entities[relationship.destination].rootIndex]
        let back: RelationshipStorage
        switch store.prepared.links[relationship.identity].storage {
        case .key(let column, _): back = .inverseKey(column: column)
        case .joinTable(let table, let source, let destination):
            back = .joinTable(name: table, sourceColumn: destination, destinationColumn: source)
        case .inverseKey, .transient: return []
        }
        return try related(back, from: far, to: root, keys)
    }

    private func related(
        _ storage: RelationshipStorage, from root: EntityDescription, to far: EntityDescription,
        _ keys: [Int64]
    ) throws -> [(source: Int64, head: RowHead)] {
        guard
            let sql = RelatedSQL.heads(
                of: storage, from: root.entity, to: far.entity, in: model.model)
        else { return [] }
        var found: [(source: Int64, head: RowHead)] = []
        try connection.query(sql, over: keys) {
            found.append(($0.integer(at: 0), self.head($0, 1, far)))
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

    private func head(
        _ statement: Statement, _ first: Int, _ entity: EntityDescription
    ) -> RowHead {
        RowHead(
            entity: entity.hasEntityColumn
                ? model[statement.text(at: first + 2)]?.index ?? entity.index : entity.index,
            key: statement.integer(at: first), version: statement.integer(at: first + 1))
    }

    // MARK: Writing

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(root: root, count: count, on: connection)
    }

    /// Makes sure that what was written gives no object two partners in a one-to-one.
    func checkPartners(_ request: SaveRequest) throws {
        try store.checkPartners(request, connection)
    }

    /// Writes rows: deletes, updates and inserts, with their large values in files and what is
    /// derived from them. The request's records stay alive by their owner.
    ///
    /// - Throws: ``RefusedRow`` where a check of the store says no to a row that is updated or
    ///   inserted; then the transaction is to be taken back.
    func write(_ request: SaveRequest) throws { try write(request, moving: []) }

    func write(_ request: SaveRequest, moving movers: Set<RowIdentity>) throws {
        var derivations = try store.derivationRun(for: request, connection)
        let place = files.count
        if let externalFiles = store.externalFiles, store.hasExternalColumns {
            files.append(ExternalRun(externalFiles, store.prepared.externalColumns, connection))
        }
        let written = files.count > place ? try files[place].prepare(request) : request
        for deletion in written.deletions { try store.delete(deletion, connection) }
        let moving =
            try movers.isEmpty ? [] : store.takeOut(movers, of: written, connection)
        for var update in written.updates {
            if !movers.isEmpty {
                let root = update.entity.rootIndex
                update.records.removeAll { movers.contains(RowIdentity(root: root, key: $0.key)) }
            }
            if !update.records.isEmpty { try self.update(update) }
        }
        for row in moving { try row.putBack(connection) }
        for insertion in written.insertions { try insert(insertion) }
        for links in written.links { try store.save(links, connection) }
        let derived = try derivations?.finish(request, now: .now) ?? []
        if files.count > place {
            try files[place].finish()
            // Where nothing went to a file there is nothing to be done at the end.
            if !files[place].hasFiles { files.removeLast() }
        }
        guard !derived.isEmpty else { return }
        let own = request.rowIDs
        for row in derived
        where !own.contains(RowIdentity(root: row.rootIndex(in: model), key: row.key)) {
            changes.refresh(row)
        }
    }

    /// Writes the order of lists, of which all members are there.
    func write(_ order: SaveRequest.Order) throws { try store.write(order, connection) }

    private func insert(_ insertion: SaveRequest.Insertion) throws {
        let records = insertion.records.sortedByKey()
        try run(
            store.prepared.saves[insertion.entity.index].insert(onRefusal: .stop), records,
            insertion.entity)
    }

    private func update(_ update: SaveRequest.Update) throws {
        let records = update.records.sortedByKey()
        let changed = try run(
            store.prepared.saves[update.entity.index]
                .update(slots: update.slots.slots, onRefusal: .stop), records, update.entity)
        guard changed == records.count else { throw SaveObstacle() }
    }

    @discardableResult
    private func run(
        _ sql: String, _ records: [Record], _ entity: EntityDescription
    ) throws -> Int {
        do {
            return try connection.runPending(sql, over: records, shape: entity.shape)
        } catch  where error.primaryCode == ConstraintFailure.primaryCode {
            // Rows are written in the order of their keys, and those before the refused one count.
            let index = connection.changes
            guard records.indices.contains(index) else { throw error }
            throw RefusedRow(
                entity: entity, key: records[index].key,
                underlying: ConstraintFailure.error(for: error, in: model),
                isOfUniqueValues: ConstraintFailure.isUnique(error))
        }
    }

    /// Writes changed rows that want unique values of each other: looks at all of them first, and
    /// takes those out of their tables meanwhile that hold values which others get.
    ///
    /// - Throws: What the arbiter throws where a row wants what another one keeps.
    func writePlanned(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws {
        let planner = SavePlanner(lookup: rows, model: model)
        let plan = try planner.plan(request, arbiter)
        let settled = plan.request
        try withExtendedLifetime(plan) {
            try write(settled, moving: try planner.movers(in: plan))
        }
    }

    /// Makes sure that rows which were written lead to nobody whom another row has in a one-to-one.
    ///
    /// - Parameter slots: Those that were written; nil for new rows.
    /// - Throws: ``RefusedRow``
    func checkPartners(
        _ placed: [PlacedRecord], _ slots: SlotSet?, of entity: EntityDescription
    ) throws {
        guard
            let (property, key) = try rows.stolenPartner(entity, placed.map(\.record), slots)
        else { return }
        throw RefusedRow(
            entity: entity, key: key,
            underlying: ValidationError(
                code: .notUnique, entityName: entity.name, objectID: nil, property: property,
                message: "\(property) references an object that another one already has."))
    }

    /// Looks at rules that the store's checks do not hold, over rows that were written.
    ///
    /// - Throws: ``RefusedRow`` where one does not hold.
    func checkRules(_ keys: [Int64], of entity: EntityDescription) throws {
        for rule in entity.rules {
            let declarer = entity.model.lineage(of: entity.entity).first { owner in
                owner.rules.contains { $0.name == rule.name }
            }
            if let declarer, entity.model.isEnforcedByStore(rule, of: declarer) { continue }
            let (sql, parameters): (String, [StoredValue])
            do {
                (sql, parameters) = try store.prepared.selects[entity.index]
                    .violations(of: rule.condition, now: .now)
            } catch {
                throw StoreError(
                    code: .invalidRequest,
                    message: "The store cannot check the rule \(rule.name) of \(entity.name) in a "
                        + "batch operation.",
                    remedy: "Change objects of \(entity.name) in a context, and save it.",
                    underlying: error)
            }
            var broken: Int64?
            try connection.query(sql, over: keys, parameters) { broken = $0.integer(at: 0) }
            guard let broken else { continue }
            throw RefusedRow(
                entity: entity, key: broken,
                underlying: ValidationError(
                    code: .ruleViolated, entityName: entity.name, objectID: nil, property: nil,
                    rule: rule.name, message: rule.refusal))
        }
    }
}

extension SaveRequest {
    /// The rows that are written.
    fileprivate var rowIDs: Set<RowIdentity> {
        var ids: Set<RowIdentity> = []
        for insertion in insertions {
            for record in insertion.records {
                ids.insert(RowIdentity(root: insertion.entity.rootIndex, key: record.key))
            }
        }
        for update in updates {
            for record in update.records {
                ids.insert(RowIdentity(root: update.entity.rootIndex, key: record.key))
            }
        }
        return ids
    }
}

extension DerivedRow {
    fileprivate func rootIndex(in model: ModelDescription) -> Int {
        model.entities[entity].rootIndex
    }
}
