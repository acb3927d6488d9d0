import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Looks at the rows of one of SQLite's stores, inside the transaction of a save.
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

    /// What a query of keys over the pending table finds.
    private func keys(_ sql: String, _ keys: Set<Int64>) throws -> [Int64] {
        var found: [Int64] = []
        try connection.query(sql, over: keys.sorted()) { found.append($0.integer(at: 0)) }
        return found
    }

    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder] {
        guard !records.isEmpty else { return [] }
        var holders: [UniqueHolder] = []
        try connection.queryPending(
            store.prepared.holders(of: key), over: records, shape: entity.shape
        ) {
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

    /// The first record whose partner in a one-to-one another row has already, and the relationship:
    /// the store has no constraint for it.
    ///
    /// - Parameter slots: Those that were written; nil for new rows.
    func stolenPartner(
        _ entity: EntityDescription, _ records: [Record], _ slots: SlotSet?
    ) throws -> (property: String, record: Int64)? {
        for key in model.partnerKeys[entity.index] {
            if let slots, slots.intersection(key.writtenSlots).isEmpty { continue }
            let linked = records.filter { $0.hasValue(key.slots[0]) }
            if let holder = try holders(of: key, linked, entity).first {
                return (key.properties[0], holder.record)
            }
        }
        return nil
    }
}

extension SavePlanner<SQLiteLookup> {
    /// Rows of the plan that other rows of it cannot do without: they hold the values that those
    /// are to have, and get other ones.
    func rowsWithSwappedValues(in plan: SavePlan) throws -> Set<RowIdentity> {
        var swapped: Set<RowIdentity> = []
        for key in model.uniqueKeys where !key.isPartner {
            let root = model.entities[key.declarer].rootIndex
            for holder in try claimants(key, in: plan).holders {
                let id = RowIdentity(root: root, key: holder.row)
                guard let row = plan.rows[id], case .update = row.write else { continue }
                swapped.insert(id)
            }
        }
        return swapped
    }
}
