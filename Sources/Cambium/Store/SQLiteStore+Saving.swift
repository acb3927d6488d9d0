import CambiumSQL
import CambiumSQLite

extension SQLiteStore {
    func save(
        _ request: SaveRequest,
        resolve: (_ conflicts: [RowConflict]) throws -> [ConflictResolution],
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try writer.withLock { connection in
            try withExtendedLifetime(request) {
                committed(try write(request, connection, resolve, willCommit))
            }
            checkpointIfNeeded(connection)
        }
    }

    /// Writes everything as if nobody else had changed a row. Where somebody has, all of it is taken
    /// back and written again, with the conflicts looked for before each step: so a save that meets
    /// none, the normal case, reads no row twice.
    private func write(
        _ request: SaveRequest, _ connection: Connection,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution],
        _ willCommit: () throws -> Void
    ) throws -> SaveOutcome {
        do {
            return try transaction(request, connection, willCommit) { request in
                // Deletes first, then updates: a unique value that becomes free in this save may be
                // taken in it.
                for check in request.checks {
                    guard try conflicts(check, connection).isEmpty else { throw VersionMismatch() }
                }
                for deletion in request.deletions { try delete(deletion, connection) }
                for update in request.updates { try self.update(update, connection) }
                try writeNew(request, connection)
                return []
            }
        } catch is VersionMismatch {
            return try transaction(request, connection, willCommit) { request in
                var resolutions: [ConflictResolution] = []
                for check in request.checks {
                    resolutions += try self.resolve(check, connection, resolve)
                }
                for deletion in request.deletions {
                    resolutions += try delete(deletion, connection, resolve)
                }
                for update in request.updates {
                    resolutions += try self.update(update, connection, resolve)
                }
                try writeNew(request, connection)
                return resolutions
            }
        }
    }

    /// Runs the body in a transaction, with all that saves do beside writing rows: large values go
    /// to files, and derived values are brought up to date.
    private func transaction(
        _ request: SaveRequest, _ connection: Connection, _ willCommit: () throws -> Void,
        _ body: (SaveRequest) throws -> [ConflictResolution]
    ) throws -> SaveOutcome {
        let notes = waitingNotes
        var files = externalFiles.flatMap {
            hasExternalColumns ? ExternalRun($0, externalColumns, connection) : nil
        }
        do {
            let outcome = try connection.transaction {
                let request = try files?.prepare(request) ?? request
                var derivations = try derivationRun(for: request, connection)
                let resolutions = try body(request)
                let derived = try derivations?.finish(request, resolutions, now: .now)
                try files?.finish()
                if let notes { try write(notes, connection) }
                try willCommit()
                return SaveOutcome(
                    resolutions: resolutions, derived: (derived ?? []) + (files?.moved ?? []))
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
    private func derivationRun(
        for request: SaveRequest, _ connection: Connection
    ) throws -> DerivationRun? {
        guard let plan = model.derivations else { return nil }
        var run = DerivationRun(plan, model, connection)
        try run.prepare(for: request)
        return run
    }

    private func writeNew(_ request: SaveRequest, _ connection: Connection) throws {
        for insertion in request.insertions {
            try insert(insertion.records, insertion.entity, connection)
        }
        for links in request.links { try save(links, connection) }
        // Last, when all who belong to a list are there.
        for order in request.orders { try ListWriter(order.sql, connection).write(order.lists) }
    }

    private func insert(
        _ records: [Record], _ entity: EntityDescription, _ connection: Connection
    ) throws {
        _ = try connection.runPending(
            entity.insertSQL, over: records.sortedByKey(), shape: entity.shape)
    }

    // MARK: Without conflicts

    private func update(_ update: SaveRequest.Update, _ connection: Connection) throws {
        let changed = try connection.runPending(
            update.entity.saveSQL.update(slots: update.slots.slots),
            over: update.records.sortedByKey(), shape: update.entity.shape)
        guard changed == update.records.count else { throw VersionMismatch() }
    }

    private func delete(_ deletion: SaveRequest.Deletion, _ connection: Connection) throws {
        let deleted = try deleteRows(
            deletion.records.sortedByKey(), deletion.entity, connection)
        guard deleted == deletion.records.count else { throw VersionMismatch() }
    }

    /// Deletes the rows that have the records' versions.
    ///
    /// - Returns: How many there were.
    @discardableResult
    private func deleteRows(
        _ records: [Record], _ entity: EntityDescription, _ connection: Connection
    ) throws -> Int {
        for relationship in entity.relationships {
            guard case .joinTable(let table, let source, let destination) = relationship.storage
            else { continue }
            let sql = LinkSQL(table: table, sourceColumn: source, destinationColumn: destination)
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        // A set for each version, and there are few of them: SQLite has no DELETE with a join.
        return try records.groupedByVersion().reduce(0) { count, group in
            try count
                + connection.runPending(
                    entity.saveSQL.delete, over: group.records, shape: entity.shape,
                    parameters: [.integer(group.version)])
        }
    }

    // MARK: With conflicts

    private func update(
        _ update: SaveRequest.Update, _ connection: Connection,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws -> [ConflictResolution] {
        let records = update.records.sortedByKey()
        let conflicts = try conflicts(update.entity, records, isDeletion: false, connection)
        let resolutions = conflicts.isEmpty ? [] : try resolve(conflicts)
        let keys = Set(conflicts.map(\.key))
        _ = try connection.runPending(
            update.entity.saveSQL.update(slots: update.slots.slots),
            over: records.filter { !keys.contains($0.key) }, shape: update.entity.shape)
        for resolution in resolutions { try apply(resolution, connection) }
        return resolutions
    }

    private func delete(
        _ deletion: SaveRequest.Deletion, _ connection: Connection,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws -> [ConflictResolution] {
        let records = deletion.records.sortedByKey()
        let entity = deletion.entity
        // A row that is gone already is no conflict: both wanted it gone.
        let conflicts = try conflicts(entity, records, isDeletion: true, connection)
            .filter { $0.theirs != nil }
        let resolutions = conflicts.isEmpty ? [] : try resolve(conflicts)
        let keys = Set(conflicts.map(\.key))
        try deleteRows(records.filter { !keys.contains($0.key) }, entity, connection)
        for resolution in resolutions { try apply(resolution, connection) }
        return resolutions
    }

    private func resolve(
        _ check: SaveRequest.Check, _ connection: Connection,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws -> [ConflictResolution] {
        let conflicts = try conflicts(check, connection)
        let resolutions = conflicts.isEmpty ? [] : try resolve(conflicts)
        for resolution in resolutions { try apply(resolution, connection) }
        return resolutions
    }

    private func conflicts(
        _ check: SaveRequest.Check, _ connection: Connection
    ) throws -> [RowConflict] {
        try conflicts(check.entity, check.records.sortedByKey(), isDeletion: false, connection)
    }

    private func apply(_ resolution: ConflictResolution, _ connection: Connection) throws {
        let entity = resolution.conflict.entity
        switch resolution.action {
        case .update(let placed, let slots):
            let sql = entity.saveSQL.update(slots: slots.slots)
            _ = try connection.runPending(sql, over: [placed.record], shape: entity.shape)
        case .reinsert(let placed):
            try insert([placed.record], entity, connection)
        case .delete(let placed):
            try deleteRows([placed.record], entity, connection)
        case .yield:
            break
        }
    }

    private func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool,
        _ connection: Connection
    ) throws -> [RowConflict] {
        let reader = RowReader(
            shape: entity.shape,
            columns: entity.saveSQL.conflictColumns(slotCount: entity.shape.kinds.count),
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
        let writer = RecordWriter()
        var conflicts: [RowConflict] = []
        try connection.queryPending(
            entity.saveSQL.conflicts, over: records, shape: entity.shape
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

    private func save(_ links: SaveRequest.Links, _ connection: Connection) throws {
        let sql = LinkSQL(
            table: links.table, sourceColumn: links.sourceColumn,
            destinationColumn: links.destinationColumn)
        try run(sql.delete, links.removed, connection)
        try run(sql.insert, links.added, connection)
    }

    private func run(
        _ sql: String, _ pairs: [(source: Int64, destination: Int64)], _ connection: Connection
    ) throws {
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
            _ = try connection.runPending(sql, over: records.map(\.record), shape: shape)
        }
    }
}

extension [Record] {
    /// In the order of the keys, in which a B-tree takes rows fastest.
    fileprivate func sortedByKey() -> [Record] {
        for index in indices.dropFirst() where self[index].key < self[index - 1].key {
            return sorted { $0.key < $1.key }
        }
        return self
    }

    /// The records of each version, which stay in their order.
    fileprivate func groupedByVersion() -> [(version: Int64, records: [Record])] {
        guard let first else { return [] }
        if allSatisfy({ $0.version == first.version }) { return [(first.version, self)] }
        return Dictionary(grouping: self, by: \.version).sorted { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}

/// A row is not in the store as the context last saw it.
private struct VersionMismatch: Error {}
