import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// The pipeline that writes rows into an SQLite store, for saves and batch operations alike. It
/// runs the stages of its source, one after the other. A transaction may use several pipelines.
final class RowPipeline {
    private let store: SQLiteEngine
    private let connection: Connection
    private let source: RowSource
    private var files: ExternalRun?

    init(store: SQLiteEngine, connection: Connection, source: RowSource) {
        self.store = store
        self.connection = connection
        self.source = source
    }

    /// The values that the rows have instead of values that were moved to files.
    var movedValues: [DerivedRow] { files?.moved ?? [] }

    /// Writes a request. The caller retains the request's records.
    ///
    /// - Parameter swapped: Rows with unique values that other rows of the request take.
    /// - Returns: Rows with changed derived values.
    /// - Throws: ``SaveConflict`` if rows have changed since they were read. For a batch operation,
    ///   ``RefusedRow`` names the row that violates a constraint or a rule. After this error, the
    ///   transaction must be rolled back.
    func write(
        _ request: SaveRequest, swapping swapped: Set<RowIdentity> = []
    ) throws -> [DerivedRow] {
        let stages = source.stages
        if stages.contains(.files), store.hasExternalColumns, let external = store.externalFiles {
            files = ExternalRun(external, store.prepared.externalColumns, connection)
        }
        let request = try files?.prepare(request) ?? request
        let derivations =
            stages.contains(.derivedValues)
            ? DerivationRun(store.prepared, store.model, store.history, connection) : nil
        try derivations?.prepare(for: request)
        if stages.contains(.rows) { try writeRows(request, swapped) }
        if stages.contains(.links) { for links in request.links { try write(links) } }
        if stages.contains(.lists) { for order in request.orders { try write(order) } }
        if stages.contains(.partners) { try checkPartners(request) }
        let derived = try derivations?.finish(request, now: .now) ?? []
        try files?.finish()
        if stages.contains(.rules) { try checkRules(request) }
        return derived
    }

    /// Whether files were created, or may be superfluous.
    var hasFiles: Bool { files?.hasFiles ?? false }

    /// Finishes the files after the commit.
    func commit() { files?.commit(keepsFiles: store.isPinned) }

    /// Deletes the new files after the transaction was rolled back.
    func rollBack() { files?.rollBack() }

    // MARK: Rows

    /// Deletes come first, then updates: a unique value that becomes free may be taken at once.
    private func writeRows(_ request: SaveRequest, _ swapped: Set<RowIdentity>) throws {
        for deletion in request.deletions { try delete(deletion) }
        let removed = try swapped.isEmpty ? [] : takeOut(swapped, of: request)
        for var update in request.updates {
            if !swapped.isEmpty {
                let root = update.entity.rootIndex
                update.records.removeAll { swapped.contains(RowIdentity(root: root, key: $0.key)) }
            }
            if !update.records.isEmpty { try self.update(update) }
        }
        for row in removed { try row.putBack(connection) }
        for insertion in request.insertions {
            let entity = insertion.entity
            let sql =
                source.namesRefusedRow
                ? store.prepared.saves[entity.index].insert(onRefusal: refusal)
                : store.prepared.inserts[entity.index]
            _ = try run(sql, insertion.records.sortedByKey(), entity)
        }
    }

    /// The effect of a rejected row on the rows before it.
    private var refusal: SaveSQL.Refusal { source.namesRefusedRow ? .stop : .rollback }

    /// Runs a statement over records in the order of their keys.
    private func run(
        _ sql: String, _ records: [Record], _ entity: EntityDescription
    ) throws -> Int {
        do {
            return try connection.runPending(sql, over: records, shape: entity.shape)
        } catch {
            // The number of rows before the rejected one.
            let index = connection.changes
            guard source.namesRefusedRow, error.primaryCode == ConstraintFailure.primaryCode,
                records.indices.contains(index)
            else { throw error }
            throw RefusedRow(
                entity: entity, key: records[index].key,
                underlying: ConstraintFailure.error(for: error, in: store.model),
                isOfUniqueValues: ConstraintFailure.isUnique(error))
        }
    }

    /// Removes rows from their tables, to be inserted again with their new values.
    private func takeOut(
        _ swapped: Set<RowIdentity>, of request: SaveRequest
    ) throws -> [SwappedRow] {
        var removed: [SwappedRow] = []
        for update in request.updates {
            let entity = update.entity
            let root = store.model.entities[entity.rootIndex]
            let records = update.records.filter {
                swapped.contains(RowIdentity(root: root.index, key: $0.key))
            }
            guard !records.isEmpty else { continue }
            let sql = RowCopySQL(root: root.entity, in: store.model.model)
            removed += try records.compactMap {
                try SwappedRow(
                    $0, update.slots, of: entity, sql, connection, history: store.history)
            }
        }
        return removed
    }

    private func update(_ update: SaveRequest.Update) throws {
        let records = update.records.sortedByKey()
        // A batch operation writes all rows in the order of their keys: it names the first rejected
        // row, and a freed unique value is available to later rows.
        let updated =
            try source.namesRefusedRow
            ? run(updateStatement(update.slots.slots, update.entity), records, update.entity)
            : updateInRanges(records, update.slots.slots, update.entity)
        guard updated == records.count else { throw SaveConflict() }
    }

    /// - Returns: The number of rows.
    private func updateInRanges(
        _ records: [Record], _ slots: [Int], _ entity: EntityDescription
    ) throws -> Int {
        let range = store.prepared.saves[entity.index].updateRange(slots: slots)
        var updated = 0
        var others: [Record] = []
        for group in records.groupedByVersion() {
            updated += try writeRuns(of: group.records, range, entity, others: &others)
        }
        if others.isEmpty { return updated }
        return try updated
            + run(updateStatement(slots, entity), others.sortedByKey(), entity)
    }

    private func updateStatement(_ slots: [Int], _ entity: EntityDescription) -> String {
        store.prepared.saves[entity.index].update(slots: slots, onRefusal: refusal)
    }

    private func delete(_ deletion: SaveRequest.Deletion) throws {
        let records = deletion.records.sortedByKey()
        let entity = deletion.entity
        for relationship in entity.relationships {
            guard let sql = store.prepared.links[relationship.identity].pairs else { continue }
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        // Without an inverse, the pairs may never have been read.
        let others =
            store.model.oneWayLinks[entity.index].map(\.relationship)
            + entity.relationships.filter(\.isOwnInverse)
        for relationship in others {
            guard let sql = store.prepared.links[relationship.identity].reversedPairs
            else { continue }
            _ = try connection.runPending(sql.deleteAll, over: records, shape: entity.shape)
        }
        // One statement for each of the few versions: SQLite has no DELETE with a join.
        let deleted = try records.groupedByVersion().reduce(0) { count, group in
            try count + delete(group.records, ofVersion: group.version, entity)
        }
        guard deleted == records.count else { throw SaveConflict() }
    }

    /// The minimum number of consecutive keys for a statement with a range. SQLite scans the table
    /// for a range, and looks up other rows one by one.
    private static let shortestRun = 16

    /// Writes the rows of long runs of keys with a statement for ranges.
    ///
    /// - Parameter others: Receives the records that are in no such run.
    /// - Returns: The number of rows.
    private func writeRuns(
        of records: [Record], _ sql: String, _ entity: EntityDescription, others: inout [Record]
    ) throws -> Int {
        var count = 0
        for run in records.runsOfKeys() {
            if run.count < Self.shortestRun {
                others += records[run]
            } else {
                count += try connection.runPending(
                    sql, over: records, in: run, shape: entity.shape)
            }
        }
        return count
    }

    /// Deletes rows of one version.
    ///
    /// - Returns: The number of rows.
    private func delete(
        _ records: [Record], ofVersion version: Int64, _ entity: EntityDescription
    ) throws -> Int {
        let sql = store.prepared.saves[entity.index]
        var others: [Record] = []
        let deleted = try writeRuns(of: records, sql.deleteRange, entity, others: &others)
        if others.isEmpty { return deleted }
        return try deleted
            + connection.runPending(
                sql.delete, over: others, shape: entity.shape,
                parameters: [.integer(version)])
    }

    // MARK: Links

    private func write(_ links: SaveRequest.Links) throws {
        guard let sql = store.prepared.links[links.relationship.identity].pairs else { return }
        try connection.run(sql.delete, over: links.removed)
        try connection.run(sql.insert, over: links.added)
    }

    private func write(_ order: SaveRequest.Order) throws {
        guard let sql = store.prepared.links[order.relationship.identity].order else { return }
        try ListWriter(sql: sql, connection: connection).write(order.lists)
    }

    /// Checks that no object has two partners in a one-to-one relationship. Two contexts may have
    /// linked one each.
    private func checkPartners(_ request: SaveRequest) throws {
        for update in request.updates {
            try checkPartners(update.entity, update.records, update.slots)
        }
        for insertion in request.insertions {
            try checkPartners(insertion.entity, insertion.records, nil)
        }
    }

    /// - Parameter slots: The slots that were written; nil for new rows.
    private func checkPartners(
        _ entity: EntityDescription, _ records: [Record], _ slots: SlotSet?
    ) throws {
        let lookup = SQLiteLookup(store: store, connection: connection)
        guard let (key, record) = try lookup.brokenPair(entity, records, slots) else { return }
        guard source.namesRefusedRow else { throw SaveConflict() }
        throw RefusedRow.ofPartner(key, entity, record)
    }

    // MARK: Rules

    /// Checks the rules that the store has no constraints for, over the written rows.
    private func checkRules(_ request: SaveRequest) throws {
        for update in request.updates { try checkRules(update.records, of: update.entity) }
        for insertion in request.insertions {
            try checkRules(insertion.records, of: insertion.entity)
        }
    }

    private func checkRules(_ records: [Record], of entity: EntityDescription) throws {
        let keys = records.map(\.key)
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

/// A row that was removed from its table, with the values for its insertion.
struct SwappedRow {
    private let sql: RowCopySQL
    private let values: [StoredValue]
    /// The values of the generated columns.
    private let generated: [StoredValue]
    private let entity: EntityDescription
    private let key: Int64
    private let history: StoreHistory
    /// The changes that the history recorded when the row was removed.
    private let changes: StoreHistory.Changes?
    /// The slots with changed values.
    private let changedSlots: SlotSet

    /// Removes the row.
    ///
    /// - Parameter history: Records that the row was changed, instead of deleted and inserted.
    /// - Returns: Nil if there is no such row.
    init?(
        _ record: Record, _ slots: SlotSet, of entity: EntityDescription, _ sql: RowCopySQL,
        _ connection: Connection, history: StoreHistory
    ) throws {
        self.sql = sql
        self.entity = entity
        self.history = history
        self.key = record.key
        let key = StoredValue.integer(record.key)
        guard let row = try connection.rows(sql.select, [key]).first else { return nil }
        var values = Array(row.prefix(sql.columns.count))
        generated = Array(row.dropFirst(sql.columns.count))
        let places = Dictionary(
            sql.columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        if let place = places[SystemColumn.version] { values[place] = .integer(record.version + 1) }
        var changedSlots = SlotSet()
        slots.forEach { slot in
            guard let column = entity.layout.slots[slot].column, let place = places[column] else {
                return
            }
            let value = record.storedValue(slot, entity.shape.kinds[slot])
            if value != values[place] { changedSlots.insert(slot) }
            // A position in a list belongs to the owner of the list.
            if value != values[place], let position = sql.positions[column].flatMap({ places[$0] })
            {
                values[position] = .null
            }
            values[place] = value
        }
        self.values = values
        self.changedSlots = changedSlots
        changes = try history.changes(connection) {
            let statement = try connection.statement(sql.delete)
            try statement.bind([key])
            try statement.run()
        }
    }

    /// Inserts the row again.
    func putBack(_ connection: Connection) throws {
        let put = try history.changes(connection) {
            let statement = try connection.statement(sql.insert)
            try statement.bind(values)
            try statement.run()
        }
        try history.noteMove(of: key, entity.name, taken: changes, put: put, connection) {
            try changedProperties(connection)
        }
    }

    /// Returns the names of the properties with changed values, after the row was inserted again.
    private func changedProperties(_ connection: Connection) throws -> [String] {
        let row = try connection.rows(sql.select, [.integer(key)]).first ?? []
        let present = row.dropFirst(sql.columns.count)
        let computed = zip(sql.generatedColumns, zip(generated, present))
            .filter { $1.0 != $1.1 }.map(\.0)
        return entity.layout.slots.enumerated().filter { slot, place in
            changedSlots.contains(slot) || place.column.map(computed.contains) ?? false
        }.map(\.element.property)
    }
}
