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
            Table.Column(
                name: column, type: .integer, isRequired: true,
                destination: rootName(of: destination), content: .system)
        }
        // A relationship may be its own inverse.
        let ends =
            [(relationship, entity)]
            + [inverse(of: relationship)].compactMap(\.self).filter { $0 != (relationship, entity) }
        let positions = ends.compactMap { end, declarer -> Table.Column? in
            guard let column = positionColumn(of: end, of: declarer) else { return nil }
            return Table.Column(
                name: column, type: .integer,
                content: .position(entity: declarer.name, relationship: end.name))
        }
        let index = "\(entity.name).key.\(relationship.name)"
        return Table(
            name: name,
            columns: [
                side("_source", entity.name), side("_destination", relationship.destination),
            ] + positions,
            primaryKey: ["_source", "_destination"], options: "STRICT, WITHOUT ROWID",
            indexes: [
                TableIndex(
                    name: index, table: name,
                    elements: ["_destination", "_source"].map(SQLText.identifier))
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
            return TableIndex(
                name: "\(entity.name).order.\(relationship.name)", table: table,
                elements: [owner, position, member].map(SQLText.identifier))
        }
    }

    /// The name of the root entity of one, which is that of its table.
    func rootName(of name: String) -> String {
        entity(named: name).map { root(of: $0).name } ?? name
    }
}
