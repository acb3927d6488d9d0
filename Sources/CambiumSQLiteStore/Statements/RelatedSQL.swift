import CambiumModel
import CambiumSQL

/// The query of the heads of the rows that a relationship leads to from the rows whose keys are in
/// `pending`: that key, then the key, the version and, where the table has that column, the entity
/// of the row at the other end.
enum RelatedSQL {
    /// - Returns: Nil for links that are not in the store.
    static func heads(
        of storage: RelationshipStorage, from source: Entity, to destination: Entity,
        in model: Model
    ) -> String? {
        let far = SQLText.identifier(destination.name)
        let key = SQLText.identifier(SystemColumn.key)
        var names = ["p.key", "t.\(key)", "t.\(SQLText.identifier(SystemColumn.version))"]
        if model.hasSubentities(destination) {
            names.append("t.\(SQLText.identifier(SystemColumn.entity))")
        }
        let select = "SELECT \(names.joined(separator: ", ")) FROM pending AS p"
        switch storage {
        case .key(let column, _):
            return "\(select) CROSS JOIN \(SQLText.identifier(source.name)) AS s "
                + "ON s.\(key) = p.key "
                + "CROSS JOIN \(far) AS t ON t.\(key) = s.\(SQLText.identifier(column))"
        case .inverseKey(let column):
            return "\(select) CROSS JOIN \(far) AS t ON t.\(SQLText.identifier(column)) = p.key"
        case .joinTable(let name, let near, let end):
            return "\(select) CROSS JOIN \(SQLText.identifier(name)) AS j "
                + "ON j.\(SQLText.identifier(near)) = p.key "
                + "CROSS JOIN \(far) AS t ON t.\(key) = j.\(SQLText.identifier(end))"
        case .transient:
            return nil
        }
    }
}
