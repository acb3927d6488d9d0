import CambiumModel
import CambiumRecords

// Unique values that two rows would have, and partners in one-to-ones.
extension SavePlanner {
    /// The rows of the plan that set a key's slots, and who holds their values in the store.
    package func claimants(
        _ key: UniqueKey, in plan: SavePlan
    ) throws -> (claims: [(RowIdentity, SavePlan.Row, [StoredValue])], holders: [UniqueHolder]) {
        var claims: [(RowIdentity, SavePlan.Row, [StoredValue])] = []
        var records: [Int: [Record]] = [:]
        let family = model.families[key.declarer]
        for (id, row) in plan.sortedRows
        where family.contains(row.entity.index) && row.sets(key.writtenSlots) {
            guard let values = key.values(of: row.record, row.entity.shape) else { continue }
            claims.append((id, row, values))
            records[row.entity.index, default: []].append(row.record)
        }
        let holders = try records.sorted { $0.key < $1.key }.flatMap { entity, records in
            try lookup.holders(of: key, records, model.entities[entity])
        }
        return (claims, holders)
    }

    package func collisions(
        in plan: inout SavePlan
    ) throws -> [UniqueCollision] {
        var collisions: [UniqueCollision] = []
        for key in model.uniqueKeys {
            let (claims, holders) = try claimants(key, in: plan)
            guard !claims.isEmpty else { continue }
            let root = model.entities[key.declarer].rootIndex
            var rows = Set<Int64>()
            for holder in holders
            where keepsValues(RowIdentity(root: root, key: holder.row), key, plan) {
                rows.insert(holder.row)
            }
            let unknown = rows.filter { plan.rows[RowIdentity(root: root, key: $0)] == nil }
            for (entity, placed) in try lookup.rows(unknown, root: root) {
                plan.add(placed, of: entity)
            }
            var groups: [[StoredValue]: [UniqueCollision.Claim]] = [:]
            for (id, row, values) in claims {
                groups[values, default: []].append(
                    .init(
                        id: id, entity: row.entity, kind: Self.kind(row), record: row.record,
                        page: row.placed?.page))
            }
            for key64 in rows {
                let id = RowIdentity(root: root, key: key64)
                guard let row = plan.rows[id],
                    let values = key.values(of: row.record, row.entity.shape)
                else { continue }
                groups[values]?.append(
                    .init(
                        id: id, entity: row.entity, kind: .stored, record: row.record,
                        page: row.placed?.page))
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
    private func keepsValues(_ id: RowIdentity, _ key: UniqueKey, _ plan: SavePlan) -> Bool {
        guard let row = plan.rows[id] else { return true }
        if case .delete = row.write { return false }
        return !row.sets(key.writtenSlots)
    }

    private static func kind(_ row: SavePlan.Row) -> ClaimKind {
        if case .insert = row.write { return row.origin == .inserted ? .inserted : .reinserted }
        return .updated
    }
}
