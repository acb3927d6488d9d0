import CambiumSQL
import CambiumSQLite

extension SQLiteStore {
    func save(
        _ request: SaveRequest,
        resolve: (_ conflicts: [RowConflict]) throws -> [ConflictResolution],
        committed: (_ outcome: [ConflictResolution]) -> Void
    ) throws {
        guard !isReadOnly else {
            throw StoreError(
                code: .readOnly,
                message: "The store was opened for reading only. Open it without that option.")
        }
        try writer.withLock { connection in
            try withExtendedLifetime(request) {
                let resolutions = try connection.transaction {
                    var resolutions: [ConflictResolution] = []
                    // Deletes first, then updates: a unique value that becomes free in this save may
                    // be taken in it.
                    for deletion in request.deletions {
                        resolutions += try delete(deletion, connection, resolve)
                    }
                    for update in request.updates {
                        resolutions += try self.update(update, connection, resolve)
                    }
                    for insertion in request.insertions {
                        try insert(insertion.records, insertion.entity, connection)
                    }
                    for links in request.links { try save(links, connection) }
                    return resolutions
                }
                committed(resolutions)
            }
            checkpointIfNeeded(connection)
        }
    }

    private func insert(
        _ records: [Record], _ entity: EntityDescription, _ connection: Connection
    ) throws {
        _ = try connection.runPending(
            entity.insertSQL, over: records.sortedByKey(), shape: entity.shape)
    }

    private func update(
        _ update: SaveRequest.Update, _ connection: Connection,
        _ resolve: ([RowConflict]) throws -> [ConflictResolution]
    ) throws -> [ConflictResolution] {
        let sql = update.entity.saveSQL.update(slots: update.slots.slots)
        let records = update.records.sortedByKey()
        try connection.execute("SAVEPOINT changes")
        let changed = try connection.runPending(sql, over: records, shape: update.entity.shape)
        if changed == records.count {
            try connection.execute("RELEASE changes")
            return []
        }
        // Someone else changed some of the rows: take back, ask, and write the others again.
        try connection.execute("ROLLBACK TO changes; RELEASE changes")
        let conflicts = try conflicts(update.entity, records, isDeletion: false, connection)
        let resolutions = try resolve(conflicts)
        let keys = Set(conflicts.map(\.key))
        _ = try connection.runPending(
            sql, over: records.filter { !keys.contains($0.key) }, shape: update.entity.shape)
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
        guard !conflicts.isEmpty else {
            try deleteRows(records, entity, connection)
            return []
        }
        let resolutions = try resolve(conflicts)
        let keys = Set(conflicts.map(\.key))
        try deleteRows(records.filter { !keys.contains($0.key) }, entity, connection)
        for resolution in resolutions { try apply(resolution, connection) }
        return resolutions
    }

    private func deleteRows(
        _ records: [Record], _ entity: EntityDescription, _ connection: Connection
    ) throws {
        for relationship in entity.relationships {
            guard case .joinTable(let table, let source, let destination) = relationship.storage
            else { continue }
            let sql = LinkSQL(table: table, sourceColumn: source, destinationColumn: destination)
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        _ = try connection.runPending(entity.saveSQL.delete, over: records, shape: entity.shape)
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
                            statement, key: key, version: statement.integer(at: 2), into: writer)
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
}
