import CambiumModel

extension Model {
    /// A table for each relationship whose links are pairs.
    func joinTables(_ kept: KeptTables?) -> [Table] {
        var tables: [Table] = []
        for entity in entities {
            for relationship in entity.relationships {
                // The other side of a many-to-many names the same table; the first side makes it.
                guard
                    case .joinTable(let name, "_source", _) =
                        storage(of: relationship, of: entity),
                    !tables.contains(where: { $0.name == name })
                else { continue }
                tables.append(
                    kept?.table(ofLinks: relationship, of: entity, named: name)
                        ?? joinTable(name, of: relationship, of: entity))
            }
        }
        return tables
    }

    private func joinTable(
        _ name: String, of relationship: Relationship, of entity: Entity
    ) -> Table {
        func side(_ column: String, _ destination: String) -> Table.Column {
            Schema.systemColumn(
                column, "INTEGER NOT NULL\n        \(reference(to: destination))")
        }
        // A relationship may be its own inverse.
        let ends =
            [(relationship, entity)]
            + [inverse(of: relationship)].compactMap(\.self).filter { $0 != (relationship, entity) }
        let positions = ends.compactMap { end, declarer -> Table.Column? in
            guard let column = positionColumn(of: end, of: declarer) else { return nil }
            return Table.Column(
                name: column, definition: "\(SQLText.identifier(column)) INTEGER",
                content: .position(entity: declarer.name, relationship: end.name))
        }
        let index = "\(entity.name).key.\(relationship.name)"
        return Table(
            name: name,
            columns: [
                side("_source", entity.name), side("_destination", relationship.destination),
            ] + positions,
            constraints: ["PRIMARY KEY (\"_source\", \"_destination\")"],
            options: "STRICT, WITHOUT ROWID",
            indexes: [
                TableIndex(
                    name: index,
                    createStatement: "CREATE INDEX \(SQLText.identifier(index)) ON "
                        + "\(SQLText.identifier(name)) (\"_destination\", \"_source\")")
            ] + orderIndexes(of: ends, in: name),
            content: .links(entity: entity.name, relationship: relationship.name))
    }

    /// What finds the end of an ordered list, and reads it in its order.
    private func orderIndexes(
        of ends: [(Relationship, Entity)], in table: String
    ) -> [TableIndex] {
        ends.compactMap { relationship, entity in
            guard case .joinTable(_, let owner, let member) = storage(of: relationship, of: entity),
                let position = positionColumn(of: relationship, of: entity)
            else { return nil }
            let name = "\(entity.name).order.\(relationship.name)"
            let columns = [owner, position, member].map(SQLText.identifier)
            return TableIndex(
                name: name,
                createStatement: "CREATE INDEX \(SQLText.identifier(name)) ON "
                    + "\(SQLText.identifier(table)) (\(columns.joined(separator: ", ")))")
        }
    }

    /// The foreign key of a column that holds keys of an entity's objects.
    func reference(to destination: String) -> String {
        let table = entity(named: destination).map { root(of: $0).name } ?? destination
        return "REFERENCES \(SQLText.identifier(table)) (\"_id\") "
            + "ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED"
    }
}
