import CambiumModel

/// The statements that find keys of a to-one which lead to no object of the right entity, and put
/// that right.
package struct KeyCheckSQL: Sendable {
    /// The relationship.
    package let relationship: Relationship
    private let table: String
    private let column: String
    private let entityColumn: String?
    private let positionColumn: String?
    private let target: String
    private let entity: String
    private let name: String

    /// - Parameter entity: The entity that declares the relationship.
    /// - Returns: nil where our store keeps its keys at the other side.
    package init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard
            case .key(let column, let entityColumn) = model.storage(of: relationship, of: entity),
            let destination = model.entity(named: relationship.destination)
        else { return nil }
        let root = model.root(of: entity)
        self.relationship = relationship
        table = SQLText.identifier(root.name)
        self.column = SQLText.identifier(column)
        self.entityColumn = entityColumn.map(SQLText.identifier)
        positionColumn = model.inversePositionColumn(of: relationship, of: entity)
            .map(SQLText.identifier)
        target = Self.object(of: destination, key: "t.\(self.column)", in: model)
        self.entity = entity.name
        name = model.hasSubentities(root) ? "t.\"_entity\"" : SQLText.literal(.text(root.name))
    }

    /// A query that has a row where there is an object of an entity with a key.
    static func object(of entity: Entity, key: String, in model: Model) -> String {
        let root = model.root(of: entity)
        var query =
            "SELECT 1 FROM \(SQLText.identifier(root.name)) AS d WHERE d.\"_id\" = \(key)"
        if entity.parent != nil {
            let names = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
            query += " AND d.\"_entity\" IN (\(names.joined(separator: ", ")))"
        }
        return query
    }

    /// How many rows have a key.
    package var count: String { "SELECT count(\(column)) FROM \(table)" }

    /// Whether any key leads to no object, or to one of another entity than beside it. Each key is
    /// looked up once, in order.
    package var hasFaults: String {
        let columns = [column, entityColumn].compactMap(\.self).joined(separator: ", ")
        // An index has no entities, and would be read beside the table.
        let (source, order) =
            entityColumn == nil ? (table, "") : ("\(table) NOT INDEXED", " ORDER BY 1")
        let entity = entityColumn.map { " AND d.\"_entity\" IS t.\($0)" } ?? ""
        return "SELECT EXISTS (SELECT 1 FROM (SELECT DISTINCT \(columns) FROM \(source) "
            + "WHERE \(column) IS NOT NULL\(order)) AS t WHERE NOT EXISTS (\(target)\(entity)))"
    }

    /// Writes beside each key the entity of the object that it leads to; nil where there is none.
    package var setEntities: String? {
        entityColumn.map { entityColumn in
            let entity = target.replacing(
                "SELECT 1", with: "SELECT d.\"_entity\"", maxReplacements: 1
            )
            .replacing("t.\(column)", with: "\(table).\(column)")
            return "UPDATE \(table) SET \(entityColumn) = (\(entity)) "
                + "WHERE \(column) IS NOT NULL AND \(entityColumn) IS NOT (\(entity))"
        }
    }

    /// Key, entity and target of the rows whose key leads to no object.
    package var dangling: String {
        "SELECT t.\"_id\", \(name), t.\(column) FROM \(table) AS t "
            + "WHERE t.\(column) IS NOT NULL AND NOT EXISTS (\(target))"
    }

    /// Key, entity and target of the rows whose target another row leads to already, which comes
    /// first; of a one-to-one relationship.
    package var rivals: String {
        "SELECT t.\"_id\", \(name), t.\(column) FROM \(table) AS t WHERE t.\(column) IS NOT NULL "
            + "AND EXISTS (SELECT 1 FROM \(table) AS o WHERE o.\(column) = t.\(column) "
            + "AND o.\"_id\" < t.\"_id\")"
    }

    /// Takes the key from the row (parameter 1).
    package var clear: String {
        let columns = [column, entityColumn, positionColumn].compactMap(\.self)
            .map { "\($0) = NULL" }.joined(separator: ", ")
        return "UPDATE \(table) SET \(columns) WHERE \"_id\" = ?1"
    }

    /// Takes the row away (parameter 1).
    package var remove: String { "DELETE FROM \(table) WHERE \"_id\" = ?1" }
}
