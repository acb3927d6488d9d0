import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The transaction of a batch operation.
final class PostgresBatch: BatchTransaction {
    private let store: PostgresEngine
    private let connection: PostgresConnection
    private let rows: PostgresLookup
    private let recorder: PostgresRecorder?
    /// Whether everything is checked before anything is written.
    let isPlanned: Bool
    var changes: BatchChanges

    var identifier: StoreIdentifier { store.identifier }
    var model: ModelDescription { store.model }
    var lookup: any SaveLookup { rows }
    var planningLookup: any SaveLookup { PostgresAnswers(store.layout, connection) }
    var derivesValues: Bool { !store.derivations.maintained.isEmpty }

    init(
        _ store: PostgresEngine, _ connection: PostgresConnection, _ recorder: PostgresRecorder?,
        isPlanned: Bool, changes: BatchChanges
    ) {
        self.store = store
        self.recorder = recorder
        self.connection = connection
        self.isPlanned = isPlanned
        self.changes = changes
        rows = PostgresLookup(layout: store.layout, connection: connection)
    }

    func savepoint(_ body: () throws -> Void) throws {
        let mark = changes.mark
        _ = try connection.run("SAVEPOINT _part")
        do {
            try body()
            _ = try connection.run("RELEASE SAVEPOINT _part")
        } catch {
            changes.revert(to: mark)
            _ = try connection.run("ROLLBACK TO SAVEPOINT _part")
            throw error
        }
    }

    // MARK: Finding

    func rowKeys(_ request: RowRequest) throws -> [RowKey] {
        var request = request
        request.readsKeysOnly = true
        let layout = store.layout
        let select = try PostgresSelect(request, layout, locks: true)
        guard select.isComplete else {
            let found = try PostgresSnapshot(layout, connection).subjects(request).map { subject in
                RowKey(
                    entity: subject.entity.index, key: subject.expressionKey,
                    version: subject.placed.record.version)
            }
            // The rows were read before they were locked, so other transactions may have changed
            // them.
            let same = RowRequest(entity: request.entity, selection: .keys(found.map(\.key)))
            let unchanged = Set(try rowKeys(same).map { [$0.key, $0.version] })
            guard found.allSatisfy({ unchanged.contains([$0.key, $0.version]) }) else {
                throw SaveConflict()
            }
            return found
        }
        let rows = try connection.run([select.statement])[0]
        return (0..<rows.count).map { rowKey(rows, $0, 0, request.entity) }
    }

    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[relationship.destinationRoot]
        return try related(storage(of: relationship, entity), from: root, to: far, keys)
    }

    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        let root = model.entities[entity.rootIndex]
        let far = model.entities[relationship.destinationRoot]
        guard let back = storage(of: relationship, entity).fromDestination else { return [] }
        return try related(back, from: far, to: root, keys)
    }

    private func storage(
        of relationship: RelationshipDescription, _ entity: EntityDescription
    ) -> RelationshipStorage {
        let name = relationship.relationship.name
        let declarer = model.model.declarer(of: name, in: entity.entity) ?? entity.entity
        return model.model.storage(of: relationship.relationship, of: declarer)
    }

    /// - Parameter storage: The storage of the links, seen from the rows with the given keys.
    private func related(
        _ storage: RelationshipStorage, from root: EntityDescription, to far: EntityDescription,
        _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)] {
        let layout = store.layout
        let table = layout.tables[far.index]
        let join: String
        switch storage {
        case .key(let column, _):
            join =
                "JOIN \(layout.table(of: root.entity)) AS s ON s.\"_id\" = p.\"key\" "
                + "JOIN \(table.source) ON t.\"_id\" = \(PostgresTable.column(column, of: "s"))"
        case .inverseKey(let column):
            join = "JOIN \(table.source) ON \(PostgresTable.column(column)) = p.\"key\""
        case .joinTable(let name, let near, let end):
            join =
                "JOIN \(layout.qualified(name)) AS j ON "
                + "\(PostgresTable.column(near, of: "j")) = p.\"key\" "
                + "JOIN \(table.source) ON t.\"_id\" = \(PostgresTable.column(end, of: "j"))"
        case .transient: return []
        }
        let pending = PendingArrays(keys: keys)
        let names = table.systemColumns.map { PostgresTable.column($0) }.joined(separator: ", ")
        let rows = try connection.run(
            "SELECT p.\"key\", \(names) FROM \(pending.source) \(join)", pending.parameters)
        return (0..<rows.count).map { (rows.integer($0, 0), rowKey(rows, $0, 1, far)) }
    }

    private func rowKey(
        _ rows: PostgresRows, _ row: Int, _ first: Int, _ entity: EntityDescription
    ) -> RowKey {
        RowKey(
            entity: entity.hasEntityColumn
                ? model.index(named: rows.text(row, first + 2)) ?? entity.index : entity.index,
            key: rows.integer(row, first), version: rows.integer(row, first + 1))
    }

    func computation(
        of expressions: [(expression: ModelExpression, type: AttributeType)],
        for entity: EntityDescription
    ) throws -> BatchComputation {
        let (own, whole) = (entity.entity, model.model)
        var evaluators: [ExpressionEvaluator] = []
        var types: [ExpressionType] = []
        for (expression, type) in expressions {
            let rounded = SelectSQL.roundedType(of: expression, for: type, own, whole)
            evaluators.append(
                ExpressionEvaluator(
                    try ExpressionCompiler.typedValue(
                        expression, as: rounded == nil ? type : nil, entity: own, model: whole)))
            types.append(rounded ?? ExpressionType(type))
        }
        let snapshot = PostgresSnapshot(store.layout, connection)
        return BatchComputation(isOfOwnRow: false, types: types) { keys in
            var values: [Int64: [StoredValue]] = [:]
            let found = try snapshot.subjects(RowRequest(entity: entity, selection: .keys(keys)))
            for subject in found {
                values[subject.expressionKey] = try zip(evaluators, types).map { evaluator, type in
                    type.stored(try evaluator.evaluate(subject)) ?? .null
                }
            }
            if let failure = snapshot.failure { throw failure }
            return values
        }
    }

    // MARK: Writing

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        try store.reserveKeys(root: root, count: count)
    }

    func write(
        _ request: SaveRequest, from source: RowSource, swapping swapped: Set<RowIdentity>
    ) throws {
        let derivations =
            source.stages.contains(.derivedValues)
            ? PostgresDerivationRun(store.derivations, connection, request) : nil
        let locks = derivations?.lock() ?? []
        let written = try PostgresWriter(store.derivations, connection, from: source, recorder)
            .write(request, after: locks, swapping: swapped, derivations)
        let (roots, reading) = derivations?.reading() ?? ([], [])
        let results = try connection.run(written.rest + reading).suffix(reading.count)
        guard let derivations else { return }
        changes.refresh(derivations.rows(results, roots), besides: request)
    }
}

extension PostgresEngine {
    func run(
        _ work: some BatchWork, by author: TransactionAuthor, attachesRows: Bool,
        committed: (BatchChanges) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try writing(canRunAgain: work.canRunAgain) { connection in
            do {
                let batch = try batch(of: work, author, connection, attachesRows)
                committed(batch.changes)
            } catch {
                throw layout.refusal(error)
            }
        }
    }

    /// Does the work. Repeats it after a conflict with another transaction.
    private func batch(
        of work: some BatchWork, _ author: TransactionAuthor, _ connection: PostgresConnection,
        _ attachesRows: Bool
    ) throws -> PostgresBatch {
        var isPlanned = false
        var attempts = Attempts()
        while true {
            do {
                return try run(work, author, connection, attachesRows, isPlanned: isPlanned)
            } catch let error as PostgresError
                where error.isOfOthers && work.canRunAgain
            {
                try attempts.waitForNext(after: error)
            } catch
                where !isPlanned
                && work.canPlan(
                    around: error,
                    { ($0 as? PostgresError)?.state == PostgresError.uniqueViolation })
            {
                isPlanned = true
            } catch let error as SaveConflict where work.canRunAgain {
                // Another transaction has written between the reads and the writes of this one.
                try attempts.waitForNext(after: error)
            }
        }
    }

    private func run(
        _ work: some BatchWork, _ author: TransactionAuthor, _ connection: PostgresConnection,
        _ attachesRows: Bool, isPlanned: Bool
    ) throws -> PostgresBatch {
        var recorder: PostgresRecorder?
        return try transaction(
            connection, ending: { history.ending(recorder, by: author) }
        ) { noting, beginning in
            recorder = history.recorder(beginning)
            let batch = PostgresBatch(
                self, connection, recorder, isPlanned: isPlanned,
                changes: BatchChanges(
                    model, store: identifier, listsAll: work.resultType == .objectIDs,
                    attachesRows: attachesRows))
            try work.run(in: batch)
            _ = try connection.run([
                noting, PostgresStatement("SET CONSTRAINTS ALL IMMEDIATE"),
            ])
            try Task.checkCancellation()
            return batch
        }
    }
}
