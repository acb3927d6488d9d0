import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

extension RowStatements {
    /// Removes rows with swapped unique values from their tables, and inserts them again with their
    /// new values, so that no new value collides with an old one. Foreign keys are checked later.
    ///
    /// - Returns: The rows, and the statements that insert them again.
    func takeOut(
        _ swapped: Set<RowIdentity>, _ request: SaveRequest, _ work: inout PostgresWork
    ) throws -> (Set<RowIdentity>, [PostgresStatement]) {
        var moved: Set<RowIdentity> = []
        var back: [PostgresStatement] = []
        for update in request.updates {
            let entity = update.entity
            let records = update.records.filter {
                swapped.contains(RowIdentity(root: entity.rootIndex, key: $0.key))
            }
            guard !records.isEmpty else { continue }
            let table = layout.table(of: entity.entity)
            let slots = written(update.slots, of: entity)
            let pending = PendingArrays(
                records, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
            // The rows wait in a temporary table. It computes the generated columns too, because
            // the history contains them.
            let saved = "pg_temp._swap_\(entity.index)_\(back.count)"
            let columns = derivations.writableColumns(ofRoot: entity.rootIndex)
            work.add(
                PostgresStatement(
                    "CREATE TEMP TABLE \(saved) (LIKE \(table) INCLUDING GENERATED) "
                        + "ON COMMIT DROP"))
            work.add(
                "INSERT INTO \(saved) (\(columns)) SELECT \(columns) FROM \(table) AS t "
                    + "WHERE t.\"_id\" = ANY($1)",
                PendingArrays(keys: records.map(\.key)).parameters)
            work.add(
                "DELETE FROM \(table) AS t USING \(pending.source) "
                    + "WHERE t.\"_id\" = p.\"key\" AND t.\"_version\" = p.\"version\"",
                pending.parameters, rows: records.count)
            let change = PostgresStatement(
                """
                UPDATE \(saved) AS t SET \(assignments(slots, entity)) \
                FROM \(pending.source) WHERE t."_id" = p."key"
                """, pending.parameters)
            back.append(recorded(change) { $0.updating($1, entity, in: saved) })
            back.append(
                PostgresStatement(
                    "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(saved)"))
            moved.formUnion(records.map { RowIdentity(root: entity.rootIndex, key: $0.key) })
        }
        return (moved, back)
    }
}
