import CambiumModel

extension ModelMatch {
    /// The names of entities of an old table whose objects are dropped while others live on.
    func droppedEntities(in oldTable: String) -> [String] {
        guard let root = old.entity(named: oldTable) else { return [] }
        let family = old.family(of: root)
        let dropped = family.filter { newEntity(of: $0) == nil }
        return dropped.count == family.count ? [] : dropped.map(\.name)
    }

    /// A query of the keys of those objects, or nil where there are none.
    func droppedKeys(in oldTable: String) -> String? {
        let names = droppedEntities(in: oldTable).map { SQLText.literal(.text($0)) }
        guard !names.isEmpty else { return nil }
        return "SELECT \"_id\" FROM \(SQLText.identifier(oldTable)) "
            + "WHERE \"_entity\" IN (\(names.joined(separator: ", ")))"
    }

    /// SQL for the new name of an entity, from SQL for the old one; nil where no entity of the old
    /// table is renamed.
    func renamedEntity(_ column: String, in oldTable: String) -> String? {
        guard let root = old.entity(named: oldTable) else { return nil }
        let renames = old.family(of: root).compactMap { oldEntity -> String? in
            guard let newEntity = newEntity(of: oldEntity), newEntity.name != oldEntity.name else {
                return nil
            }
            return "WHEN \(SQLText.literal(.text(oldEntity.name))) "
                + "THEN \(SQLText.literal(.text(newEntity.name)))"
        }
        guard !renames.isEmpty else { return nil }
        return "CASE \(column) \(renames.joined(separator: " ")) ELSE \(column) END"
    }
}
