import CambiumRecords

extension ConflictResolver {
    /// Looks for conflicts with the rows that the coordinator has seen since, before the store is
    /// asked.
    ///
    /// Only where a conflict makes the save fail: otherwise it is resolved against the store, which
    /// knows better.
    ///
    /// - Throws: ``ConflictError`` whose conflicts have no persisted snapshot.
    func checkRowCache(for request: SaveRequest) throws {
        guard policy == .error, !context.coordinator.rowCache.isEmpty else { return }
        var conflicts: [RowConflict] = []
        func compare(_ entity: EntityDescription, _ records: [Record], isDeletion: Bool = false) {
            let cached = context.coordinator.rowCache.rows(root: entity.rootIndex)
            if cached.isEmpty { return }
            for record in records {
                guard let entry = cached[record.key], entry.placed.record.version > record.version
                else { continue }
                conflicts.append(
                    RowConflict(
                        entity: entity, key: record.key, theirs: entry.placed,
                        isDeletion: isDeletion, cached: entry.placed, isFoundInCache: true))
            }
        }
        for check in request.checks { compare(check.entity, check.records) }
        for update in request.updates { compare(update.entity, update.records) }
        for deletion in request.deletions {
            compare(deletion.entity, deletion.records, isDeletion: true)
        }
        guard conflicts.isEmpty else {
            throw ConflictError(conflicts: conflicts.map { describe($0) })
        }
    }
}
