import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func save(
        _ request: SaveRequest, arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        do {
            try writer.withLock { connection in
                try save(request, connection, arbiter, willCommit, committed)
                checkpointIfNeeded(connection)
            }
        } catch let error as SQLiteError {
            throw ConstraintFailure.error(for: error, in: model)
        }
    }

    /// Writes all changes, and commits.
    fileprivate func save(
        _ request: SaveRequest, _ connection: Connection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void, _ committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        try withExtendedLifetime(request) {
            committed(try write(request, connection, arbiter, willCommit))
        }
    }

    /// Writes all changes as if no other writer had changed a row. If one has, or if there is a
    /// conflict of a unique value or a key, the transaction is rolled back. A second transaction
    /// then checks everything before it writes anything. With this order, a save without a
    /// conflict, the normal case, reads no row twice.
    private func write(
        _ request: SaveRequest, _ connection: Connection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void
    ) throws -> SaveOutcome {
        do {
            return try transaction(connection, request.author, willCommit) {
                let lookup = SQLiteLookup(store: self, connection: connection)
                for check in request.checks {
                    let conflicts = try lookup.conflicts(
                        check.entity, check.records, isDeletion: false)
                    guard conflicts.isEmpty else { throw SaveConflict() }
                }
                return Job(request: request)
            }
        } catch  where Self.mayBeResolved(error) {
            return try transaction(connection, request.author, willCommit) {
                let lookup = SQLiteLookup(store: self, connection: connection)
                let planner = SavePlanner(lookup: lookup, model: model)
                let plan = try planner.plan(request, arbiter)
                return Job(
                    request: plan.request, resolutions: plan.resolutions,
                    droppedPairs: plan.droppedPairs,
                    swapped: try planner.rowsWithSwappedValues(in: plan))
            }
        }
    }

    /// Returns whether the error is a conflict with other writers, or with other rows of the same
    /// save.
    private static func mayBeResolved(_ error: any Error) -> Bool {
        if error is SaveConflict { return true }
        guard let error = error as? SQLiteError else { return false }
        return ConstraintFailure.isUnique(error)
            || ConstraintFailure.isPrimaryKey(error)
            || ConstraintFailure.isForeignKey(error)
    }

    /// The writes of one transaction.
    private struct Job {
        let request: SaveRequest
        var resolutions: [ConflictResolution] = []
        var droppedPairs: [DroppedPair] = []
        /// Rows with unique values that other rows take.
        var swapped: Set<RowIdentity> = []
    }

    /// Runs a transaction with all steps of a save beside writing rows: large values are moved to
    /// files, and derived values are updated.
    ///
    /// - Parameter prepare: Returns the writes, inside the transaction.
    private func transaction(
        _ connection: Connection, _ author: TransactionAuthor, _ willCommit: () throws -> Void,
        _ prepare: () throws -> Job
    ) throws -> SaveOutcome {
        let notes = waitingNotes
        let pipeline = RowPipeline(store: self, connection: connection, source: .save)
        do {
            let outcome = try connection.wholeTransaction {
                let job = try prepare()
                // The job retains the pages of its records.
                return try withExtendedLifetime(job) {
                    let derived = try recording(author, on: connection) {
                        try pipeline.write(job.request, swapping: job.swapped)
                    }
                    if let notes { try write(notes, connection) }
                    // Other stores may commit now, so a constraint that would make this commit fail
                    // is checked before.
                    if connection.hasDanglingKeys { throw ConstraintFailure.danglingKey }
                    try willCommit()
                    return SaveOutcome(
                        resolutions: job.resolutions, droppedPairs: job.droppedPairs,
                        derived: derived + pipeline.movedValues)
                }
            }
            pipeline.commit()
            if let notes { didWrite(notes) }
            return outcome
        } catch {
            pipeline.rollBack()
            throw error
        }
    }
}

extension Connection {
    /// Runs a closure as a transaction, or as the last part of the open one, and commits. If it
    /// throws, its writes are rolled back.
    fileprivate func wholeTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard isInTransaction else { return try transaction(.immediate, body) }
        let result = try savepoint(body)
        try commit()
        return result
    }
}

// MARK: Transactions of programs

/// A transaction that a context reads and saves in. No other connection writes the store meanwhile.
final class SQLiteTransaction: StoreTransaction, SQLiteReading {
    let engine: SQLiteEngine

    init(_ engine: SQLiteEngine) {
        self.engine = engine
    }

    /// False: other writers wait until the transaction has ended.
    var mustRetry: Bool { false }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try engine.writer.insideLock(body)
    }

    func reserveKeys(root: Int, count: Int) throws -> Range<Int64> {
        try withReader { try engine.reserveKeys(root: root, count: count, on: $0) }
    }

    func save(
        _ request: SaveRequest, arbiter: any ConflictArbiter, willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        do {
            try withReader { try engine.save(request, $0, arbiter, willCommit, committed) }
        } catch let error as SQLiteError {
            throw ConstraintFailure.error(for: error, in: engine.model)
        }
    }

    func commit() throws {
        try withReader { try $0.commit() }
    }
}

extension SQLiteEngine {
    func withTransaction<Result>(
        _ isolation: TransactionIsolation, _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writer.withLock { connection in
            let result = try connection.transaction { try body(SQLiteTransaction(self)) }
            checkpointIfNeeded(connection)
            return result
        }
    }
}

/// Reads the rows of an SQLite store, inside the transaction of a save.
struct SQLiteLookup: SaveLookup {
    let store: SQLiteEngine
    let connection: Connection
    var model: ModelDescription { store.model }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict] {
        let sql = store.prepared.saves[entity.index]
        let reader = RowReader(
            shape: entity.shape,
            columns: sql.conflictColumns(slotCount: entity.shape.kinds.count),
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
        let writer = RecordWriter()
        var conflicts: [RowConflict] = []
        try connection.queryPending(
            sql.conflicts, over: records.sortedByKey(), shape: entity.shape
        ) { statement throws(SQLiteError) in
            let key = statement.integer(at: 0)
            let exists = statement.integer(at: 1) != 0
            conflicts.append(
                RowConflict(
                    entity: entity, key: key,
                    theirs: exists
                        ? try reader.read(
                            statement.row, key: key, version: statement.integer(at: 2), into: writer
                        )
                        : nil,
                    isDeletion: isDeletion))
        }
        return conflicts
    }

    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)] {
        let keys = Array(keys)
        guard !keys.isEmpty else { return [] }
        let writer = RecordWriter()
        var rows: [(EntityDescription, PlacedRecord)] = []
        try store.fetch(
            keys, RowRequest(entity: model.entities[root], selection: .keys(keys)), connection
        ) { row in
            rows.append((model.entities[row.entity], try row.record(in: writer)))
        }
        return rows
    }

    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64] {
        try self.keys(ReferenceSQL.missing(root: model.entities[root].entity), keys)
    }

    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64] {
        guard case .key(let column, _) = store.prepared.links[relationship.identity].storage else {
            return []
        }
        let root = model.entities[entity.rootIndex].entity
        return try self.keys(ReferenceSQL.referring(root: root, column: column), keys)
    }

    /// Returns the results of a query over keys in the pending table.
    private func keys(_ sql: String, _ keys: Set<Int64>) throws -> [Int64] {
        var found: [Int64] = []
        try connection.query(sql, over: keys.sorted()) { found.append($0.integer(at: 0)) }
        return found
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        try holders(store.prepared.unique(key)?.holders, records, entity)
    }

    private func holders(
        _ sql: String?, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        guard let sql, !records.isEmpty else { return [] }
        var holders: [UniqueHolder] = []
        try connection.queryPending(sql, over: records, shape: entity.shape) {
            holders.append(UniqueHolder(record: $0.integer(at: 0), row: $0.integer(at: 1)))
        }
        return holders
    }

    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64] {
        let relationship = members.links.relationship
        guard let sql = store.prepared.links[relationship.identity].pairs else { return [] }
        return try connection.rows(
            members.isSource ? sql.destinations : sql.sources, [.integer(members.key)]
        ).compactMap { row in
            if case .integer(let key)? = row.first { key } else { nil }
        }
    }

    /// The first record that breaks a one-to-one, and its key. The store has no constraint for this.
    ///
    /// - Parameter slots: The written slots; nil for new rows.
    func brokenPair(
        _ entity: EntityDescription, _ records: [Record], _ slots: SlotSet?
    ) throws -> (key: UniqueKey, record: Int64)? {
        for key in model.partnerKeys[entity.index] {
            if let slots, slots.intersection(key.writtenSlots).isEmpty { continue }
            let sql = store.prepared.unique(key)
            let found =
                key.isOwnInverse
                ? try holders(sql?.oneSided, records, entity)
                : try holders(
                    sql?.holders, records.filter { $0.hasValue(key.slots[0]) }, entity)
            if let first = found.first { return (key, first.record) }
        }
        return nil
    }
}
