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
                try withExtendedLifetime(request) {
                    committed(try write(request, connection, arbiter, willCommit))
                }
                checkpointIfNeeded(connection)
            }
        } catch let error as SQLiteError {
            throw ConstraintFailure.error(for: error, in: model)
        }
    }

    /// Writes everything as if nobody else had changed a row. Where somebody has, or where a unique
    /// value or a key is in the way, all of it is taken back; then everything is looked at before
    /// anything is written. So a save that meets nobody, the normal case, reads no row twice.
    private func write(
        _ request: SaveRequest, _ connection: Connection, _ arbiter: any ConflictArbiter,
        _ willCommit: () throws -> Void
    ) throws -> SaveOutcome {
        do {
            return try transaction(connection, request.author, willCommit) {
                let lookup = SQLiteLookup(self, connection)
                for check in request.checks {
                    let conflicts = try lookup.conflicts(
                        check.entity, check.records, isDeletion: false)
                    guard conflicts.isEmpty else { throw SaveObstacle() }
                }
                return Job(request: request)
            }
        } catch  where Self.mayBeResolved(error) {
            return try transaction(connection, request.author, willCommit) {
                let planner = SavePlanner(lookup: SQLiteLookup(self, connection), model: model)
                let plan = try planner.plan(request, arbiter)
                return Job(
                    request: plan.request, resolutions: plan.resolutions,
                    droppedPairs: plan.droppedPairs,
                    movers: try planner.movers(in: plan))
            }
        }
    }

    /// Whether it was others who were in the way, or other rows of the same save.
    private static func mayBeResolved(_ error: any Error) -> Bool {
        if error is SaveObstacle { return true }
        guard let error = error as? SQLiteError else { return false }
        return ConstraintFailure.isUnique(error) || ConstraintFailure.isForeignKey(error)
    }

    /// What one transaction writes.
    private struct Job {
        let request: SaveRequest
        var resolutions: [ConflictResolution] = []
        var droppedPairs: [DroppedPair] = []
        /// Rows whose unique values others take.
        var movers: Set<RowIdentity> = []
    }

    /// Runs a transaction, with all that saves do beside writing rows: large values go to files,
    /// and derived values are brought up to date.
    ///
    /// - Parameter prepare: Says, inside the transaction, what to write.
    private func transaction(
        _ connection: Connection, _ author: TransactionAuthor, _ willCommit: () throws -> Void,
        _ prepare: () throws -> Job
    ) throws -> SaveOutcome {
        let notes = waitingNotes
        var files = externalFiles.flatMap {
            hasExternalColumns ? ExternalRun($0, prepared.externalColumns, connection) : nil
        }
        do {
            let outcome = try connection.transaction {
                let job = try prepare()
                // The job keeps the pages of its records.
                return try withExtendedLifetime(job) {
                    let request = try files?.prepare(job.request) ?? job.request
                    let derived = try recording(author, on: connection) {
                        var derivations = try derivationRun(for: request, connection)
                        try write(request, job.movers, connection)
                        return try derivations?.finish(request, now: .now)
                    }
                    try files?.finish()
                    if let notes { try write(notes, connection) }
                    // Other stores may commit now: what this commit would refuse it refuses before.
                    if connection.hasDanglingKeys { throw ConstraintFailure.danglingKey }
                    try willCommit()
                    return SaveOutcome(
                        resolutions: job.resolutions, droppedPairs: job.droppedPairs,
                        derived: (derived ?? []) + (files?.moved ?? []))
                }
            }
            files?.commit(keepsFiles: isPinned)
            if let notes { didWrite(notes) }
            return outcome
        } catch {
            files?.rollBack()
            throw error
        }
    }

    /// What keeps derived attributes up to date; nil where the model has none.
    func derivationRun(
        for request: SaveRequest, _ connection: Connection
    ) throws -> DerivationRun? {
        guard var run = DerivationRun(prepared, model, connection) else { return nil }
        try run.prepare(for: request)
        return run
    }

    /// Writes the rows. Deletes come first, then updates: a unique value that becomes free in this
    /// save may be taken in it.
    private func write(
        _ request: SaveRequest, _ movers: Set<RowIdentity>, _ connection: Connection
    ) throws {
        for deletion in request.deletions { try delete(deletion, connection) }
        let moving = try movers.isEmpty ? [] : takeOut(movers, of: request, connection)
        for update in request.updates {
            guard !movers.isEmpty else {
                try self.update(update, connection)
                continue
            }
            var others = update
            others.records.removeAll {
                movers.contains(RowIdentity(root: update.entity.rootIndex, key: $0.key))
            }
            if !others.records.isEmpty { try self.update(others, connection) }
        }
        for row in moving { try row.putBack(connection) }
        try writeNew(request, connection)
        try checkPartners(request, connection)
    }

    /// Two contexts may have given one object two partners in a one-to-one.
    func checkPartners(_ request: SaveRequest, _ connection: Connection) throws {
        let lookup = SQLiteLookup(self, connection)
        for update in request.updates {
            let stolen = try lookup.stolenPartner(update.entity, update.records, update.slots)
            if stolen != nil { throw SaveObstacle() }
        }
        for insertion in request.insertions {
            let stolen = try lookup.stolenPartner(insertion.entity, insertion.records, nil)
            if stolen != nil { throw SaveObstacle() }
        }
    }

    /// Takes rows out of their tables, which are put back with their new values.
    func takeOut(
        _ movers: Set<RowIdentity>, of request: SaveRequest, _ connection: Connection
    ) throws -> [MovingRow] {
        var moving: [MovingRow] = []
        for update in request.updates {
            let entity = update.entity
            let root = model.entities[entity.rootIndex]
            let records = update.records.filter {
                movers.contains(RowIdentity(root: root.index, key: $0.key))
            }
            guard !records.isEmpty else { continue }
            let sql = RowCopySQL(root: root.entity, in: model.model)
            moving += try records.compactMap {
                try MovingRow(
                    $0, update.slots, of: entity, sql, connection, history: history)
            }
        }
        return moving
    }

    private func writeNew(_ request: SaveRequest, _ connection: Connection) throws {
        for insertion in request.insertions {
            try insert(insertion.records, insertion.entity, connection)
        }
        for links in request.links { try save(links, connection) }
        // Last, when all who belong to a list are there.
        for order in request.orders { try write(order, connection) }
    }

    private func insert(
        _ records: [Record], _ entity: EntityDescription, _ connection: Connection
    ) throws {
        _ = try connection.runPending(
            prepared.inserts[entity.index], over: records.sortedByKey(), shape: entity.shape)
    }

    private func update(_ update: SaveRequest.Update, _ connection: Connection) throws {
        let entity = update.entity
        let sql = prepared.saves[entity.index]
        let records = update.records.sortedByKey()
        let slots = update.slots.slots
        var updated = 0
        var others: [Record] = []
        for group in records.groupedByVersion() {
            for run in group.records.runsOfKeys() {
                guard run.count >= Self.shortestRun else {
                    others += group.records[run]
                    continue
                }
                updated += try connection.runPending(
                    sql.updateRange(slots: slots), over: group.records, in: run,
                    shape: entity.shape)
            }
        }
        if !others.isEmpty {
            updated += try connection.runPending(
                sql.update(slots: slots), over: others.sortedByKey(),
                shape: entity.shape)
        }
        guard updated == records.count else { throw SaveObstacle() }
    }

    func delete(_ deletion: SaveRequest.Deletion, _ connection: Connection) throws {
        let records = deletion.records.sortedByKey()
        let entity = deletion.entity
        for relationship in entity.relationships {
            guard let sql = prepared.links[relationship.identity].pairs else { continue }
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        // From where nothing leads back, nobody may have read the pairs.
        for (_, relationship) in model.oneWayLinks[entity.index] {
            guard let sql = prepared.links[relationship.identity].reversedPairs else { continue }
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        // A set for each version, and there are few of them: SQLite has no DELETE with a join.
        let deleted = try records.groupedByVersion().reduce(0) { count, group in
            try count + delete(group.records, ofVersion: group.version, entity, connection)
        }
        guard deleted == records.count else { throw SaveObstacle() }
    }

    /// Where the keys of so many records follow each other, their rows are written as a range:
    /// SQLite walks along the table then, where it looks up the others one by one.
    private static let shortestRun = 16

    /// Deletes rows of one version.
    ///
    /// - Returns: How many rows there were.
    private func delete(
        _ records: [Record], ofVersion version: Int64, _ entity: EntityDescription,
        _ connection: Connection
    ) throws -> Int {
        let sql = prepared.saves[entity.index]
        var deleted = 0
        var others: [Record] = []
        for run in records.runsOfKeys() {
            guard run.count >= Self.shortestRun else {
                others += records[run]
                continue
            }
            deleted += try connection.runPending(
                sql.deleteRange, over: records, in: run, shape: entity.shape)
        }
        if others.isEmpty { return deleted }
        return try deleted
            + connection.runPending(
                sql.delete, over: others, shape: entity.shape,
                parameters: [.integer(version)])
    }

    /// Writes the order of lists, of which all members are there.
    func write(_ order: SaveRequest.Order, _ connection: Connection) throws {
        guard let sql = prepared.links[order.relationship.identity].order else { return }
        try ListWriter(sql, connection).write(order.lists)
    }

    func save(_ links: SaveRequest.Links, _ connection: Connection) throws {
        guard let sql = prepared.links[links.relationship.identity].pairs else { return }
        try connection.run(sql.delete, over: links.removed)
        try connection.run(sql.insert, over: links.added)
    }
}

extension Connection {
    /// Runs one of the statements of ``LinkSQL`` over pairs.
    func run(_ sql: String, over pairs: [(source: Int64, destination: Int64)]) throws {
        guard !pairs.isEmpty else { return }
        let shape = RecordShape(kinds: [.integer])
        let writer = RecordWriter()
        let records = pairs.map { pair in
            let placed = writer.makeRecord(shape)
            placed.record.key = pair.source
            placed.record.setInteger(0, pair.destination)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try runPending(sql, over: records.map(\.record), shape: shape)
        }
    }
}

/// Somebody was here before: a row is not as the context last saw it, or an object has a partner
/// already.
struct SaveObstacle: Error {}
