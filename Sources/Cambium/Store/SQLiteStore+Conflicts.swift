import CambiumSQL
import CambiumSQLite

// What a save asks before it writes anything, once it has turned out that it meets others. The
// normal case never comes here.
extension SQLiteStore {
    /// Works out what to write instead of what was wanted.
    func plan(
        _ request: SaveRequest, _ connection: Connection, _ resolver: any SaveConflictResolver
    ) throws -> SavePlan {
        var plan = SavePlan(request, model: model)
        var conflicts = try conflicts(of: request, connection)
        for conflict in conflicts { plan.note(conflict.theirs, of: conflict.id) }
        // A row that is gone already is no conflict: both wanted it gone.
        for conflict in conflicts where conflict.isDeletion && conflict.theirs == nil {
            plan.yield(conflict.id, to: nil)
        }
        conflicts.removeAll { $0.isDeletion && $0.theirs == nil }
        if !conflicts.isEmpty { try resolver.resolve(conflicts, in: &plan) }
        plan.settle()
        for members in plan.memberships { plan.add(try pairs(for: members, connection)) }
        // Each round settles one row at least, and none comes back: a row is given up, gives up its
        // value, or is taken back, once.
        for _ in 0...plan.rows.count * 4 {
            let revision = plan.revision
            let dangling = try danglingKeys(in: &plan, connection)
            if !dangling.isEmpty { resolver.resolve(dangling, in: &plan) }
            plan.settle()
            let collisions = try collisions(in: &plan, connection)
            if !collisions.isEmpty { try resolver.resolve(collisions, in: &plan) }
            plan.settle()
            if plan.revision == revision { break }
        }
        return plan
    }

    /// The pairs that are to be written and to be taken away, so that a row has these members.
    private func pairs(
        for members: SavePlan.Membership, _ connection: Connection
    ) throws -> SaveRequest.Links {
        var links = members.links
        let sql = LinkSQL(
            table: links.table, sourceColumn: links.sourceColumn,
            destinationColumn: links.destinationColumn)
        let ends = try connection.rows(
            members.isSource ? sql.destinations : sql.sources, [.integer(members.key)])
        func pair(_ other: Int64) -> (source: Int64, destination: Int64) {
            members.isSource ? (members.key, other) : (other, members.key)
        }
        let wanted = Set(members.members)
        for case .integer(let other)? in ends.map(\.first) where !wanted.contains(other) {
            links.removed.append(pair(other))
        }
        links.added = members.members.map(pair)
        return links
    }

    // MARK: Versions

    private func conflicts(
        of request: SaveRequest, _ connection: Connection
    ) throws -> [RowConflict] {
        var conflicts: [RowConflict] = []
        for check in request.checks {
            conflicts += try self.conflicts(check.entity, check.records, connection)
        }
        for update in request.updates {
            conflicts += try self.conflicts(update.entity, update.records, connection)
        }
        for deletion in request.deletions {
            conflicts += try self.conflicts(
                deletion.entity, deletion.records, isDeletion: true, connection)
        }
        return conflicts
    }

    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool = false,
        _ connection: Connection
    ) throws -> [RowConflict] {
        let reader = RowReader(
            shape: entity.shape,
            columns: entity.saveSQL.conflictColumns(slotCount: entity.shape.kinds.count),
            columnNames: entity.layout.slots.map { "\(entity.name).\($0.property)" })
        let writer = RecordWriter()
        var conflicts: [RowConflict] = []
        try connection.queryPending(
            entity.saveSQL.conflicts, over: records.sortedByKey(), shape: entity.shape
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

    // MARK: Unique values

    /// Whether another row has the partner of a record.
    func hasStolenPartners(
        _ entity: EntityDescription, _ records: [Record], _ slots: SlotSet?,
        _ connection: Connection
    ) throws -> Bool {
        for key in model.partnerKeys[entity.index] {
            if let slots, slots.intersection(key.writtenSlots).isEmpty { continue }
            let linked = records.filter { $0.hasValue(key.slots[0]) }
            if try !holders(of: key, linked, entity.shape, connection).isEmpty { return true }
        }
        return false
    }

    private struct Holder {
        let record: Int64
        let row: Int64
    }

    private func holders(
        of key: UniqueKey, _ records: [Record], _ shape: RecordShape, _ connection: Connection
    ) throws -> [Holder] {
        guard !records.isEmpty else { return [] }
        var holders: [Holder] = []
        try connection.queryPending(key.sql.holders, over: records, shape: shape) {
            holders.append(Holder(record: $0.integer(at: 0), row: $0.integer(at: 1)))
        }
        return holders
    }

    /// The rows of the plan that set a key's slots, and who holds their values in the store.
    private func claimants(
        _ key: UniqueKey, in plan: SavePlan, _ connection: Connection
    ) throws -> (claims: [(RowID, SavePlan.Row, [StoredValue])], holders: [Holder]) {
        var claims: [(RowID, SavePlan.Row, [StoredValue])] = []
        var records: [Int: [Record]] = [:]
        let family = model.families[key.declarer]
        for (id, row) in plan.sortedRows
        where family.contains(row.entity.index) && row.sets(key.writtenSlots) {
            guard let values = key.values(of: row.record, row.entity.shape) else { continue }
            claims.append((id, row, values))
            records[row.entity.index, default: []].append(row.record)
        }
        let holders = try records.sorted { $0.key < $1.key }.flatMap { entity, records in
            try self.holders(of: key, records, model.entities[entity].shape, connection)
        }
        return (claims, holders)
    }

    private func collisions(
        in plan: inout SavePlan, _ connection: Connection
    ) throws -> [UniqueCollision] {
        var collisions: [UniqueCollision] = []
        for key in model.uniqueKeys {
            let (claims, holders) = try claimants(key, in: plan, connection)
            guard !claims.isEmpty else { continue }
            let root = model.entities[key.declarer].rootIndex
            var rows = Set<Int64>()
            for holder in holders where keepsValues(RowID(root: root, key: holder.row), key, plan) {
                rows.insert(holder.row)
            }
            let unknown = rows.filter { plan.rows[RowID(root: root, key: $0)] == nil }
            for (entity, placed) in try self.rows(unknown, root: root, connection) {
                plan.add(placed, of: entity)
            }
            var groups: [[StoredValue]: [UniqueCollision.Claim]] = [:]
            for (id, row, values) in claims {
                groups[values, default: []].append(
                    .init(id: id, entity: row.entity, kind: Self.kind(row), record: row.record))
            }
            for key64 in rows {
                let id = RowID(root: root, key: key64)
                guard let row = plan.rows[id],
                    let values = key.values(of: row.record, row.entity.shape)
                else { continue }
                groups[values]?.append(
                    .init(id: id, entity: row.entity, kind: .stored, record: row.record))
            }
            for claims in groups.values where claims.count > 1 {
                collisions.append(
                    UniqueCollision(
                        key: key,
                        claims: claims.sorted {
                            ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id)
                        }))
            }
        }
        return collisions.sorted { $0.claims[0].id < $1.claims[0].id }
    }

    /// Whether a row of the store has its values after the save too.
    private func keepsValues(_ id: RowID, _ key: UniqueKey, _ plan: SavePlan) -> Bool {
        guard let row = plan.rows[id] else { return true }
        if case .delete = row.write { return false }
        return !row.sets(key.writtenSlots)
    }

    private static func kind(_ row: SavePlan.Row) -> UniqueCollision.Kind {
        if case .insert = row.write { return row.origin == .inserted ? .inserted : .reinserted }
        return .updated
    }

    /// Rows of the plan that other rows of it cannot do without: they hold the values that those are
    /// to have, and get other ones.
    func movers(in plan: SavePlan, _ connection: Connection) throws -> Set<RowID> {
        var movers: Set<RowID> = []
        for key in model.uniqueKeys where !key.isPartner {
            let root = model.entities[key.declarer].rootIndex
            for holder in try claimants(key, in: plan, connection).holders {
                let id = RowID(root: root, key: holder.row)
                guard let row = plan.rows[id], case .update = row.write else { continue }
                movers.insert(id)
            }
        }
        return movers
    }
}
