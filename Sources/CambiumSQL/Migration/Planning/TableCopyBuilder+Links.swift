import CambiumModel

extension TableCopyBuilder {
    func links(_ entity: String, _ relationship: String, into table: Table) -> TableCopy {
        guard let links = oldLinks(relationship, of: entity) else {
            return TableCopy(table: table, source: nil)
        }
        if case .joinTable(let name, "_source", _) = links.storage, !links.isSwapped,
            name == table.name, match.droppedKeys(in: links.table) == nil,
            match.droppedKeys(in: links.destinationTable) == nil
        {
            let source = oldSchema.table(named: name)
            let known = Set(source?.columns.map(\.name) ?? [])
            return TableCopy(
                table: table, source: source,
                values: table.columns.map {
                    .init(known.contains($0.name) ? .column($0.name) : .null)
                })
        }
        let positions = links.positions
        return TableCopy(
            table: table, source: nil,
            linkQuery: links.query(
                with: table.columns.dropFirst(2).map { column in
                    // The lists of the sources and those of the destinations.
                    let isOfSource = column.name.hasPrefix("_source")
                    return (column.name, isOfSource ? positions.ofSource : positions.ofDestination)
                }))
    }

    /// The place in the list of its owner, in the row of a member. Links that move into such rows
    /// had no order: only a list of its own could have had one, and that may lose members, which is
    /// refused. A member without a place comes after the others, by its key.
    func position(_ relationship: String, of entity: String) -> TableCopy.Origin {
        guard let links = oldLinks(relationship, of: entity), links.isKeyOfDestination,
            let column = links.positions.ofSource
        else { return .null }
        return .column(column)
    }

    /// The key of a to-one that the new table holds.
    func key(_ relationship: String, of entity: String) -> TableCopy.Origin {
        guard let links = oldLinks(relationship, of: entity) else { return .null }
        guard case .key(let column, _) = links.storage, !links.isSwapped else {
            return .sql(
                "(SELECT min(\"destination\") FROM (\(links.query)) "
                    + "WHERE \"source\" = old.\"_id\")")
        }
        guard let dropped = match.droppedKeys(in: links.destinationTable) else {
            return .column(column)
        }
        let quoted = "old.\(SQLText.identifier(column))"
        return .sql("CASE WHEN \(quoted) NOT IN (\(dropped)) THEN \(quoted) END")
    }

    /// The entity of that key's object.
    func entityOfKey(_ relationship: String, of entity: String) -> TableCopy.Origin {
        guard let links = oldLinks(relationship, of: entity) else { return .null }
        let key = key(relationship, of: entity)
        let table = links.isSwapped ? links.table : links.destinationTable
        if case .key(_, let column?) = links.storage, !links.isSwapped, case .column = key,
            match.renamedEntity("", in: table) == nil
        {
            return .column(column)
        }
        guard let root = old.entity(named: table), old.hasSubentities(root) else {
            let name = old.entity(named: table).flatMap(match.newEntity)?.name ?? table
            return .sql(
                "CASE WHEN \(key.sql) IS NOT NULL THEN \(SQLText.literal(.text(name))) END")
        }
        let name = match.renamedEntity("other.\"_entity\"", in: table) ?? "other.\"_entity\""
        return .sql(
            "(SELECT \(name) FROM \(SQLText.identifier(table)) AS other "
                + "WHERE other.\"_id\" = \(key.sql))")
    }

    private func oldLinks(_ relationship: String, of entity: String) -> OldLinks? {
        guard let entity = new.entity(named: entity),
            let relationship = entity.relationships.first(where: { $0.name == relationship })
        else { return nil }
        return OldLinks(of: relationship, of: entity, in: match)
    }
}
