import CambiumModel
import CambiumSQL

/// Reads the derived columns of a table, which a save did not write itself.
struct DerivedColumns: Sendable {
    /// The columns, in the order in which the query returns them.
    let columns: [String]
    /// Whether the entity's name comes before them.
    let hasEntity: Bool
    /// The query of the key, the entity's name where rows have one, and the columns of the rows
    /// whose keys are in `pending`.
    let query: String

    /// - Returns: nil where no entity of the root's family has a derived attribute.
    init?(of root: Entity, in model: Model) {
        columns = model.family(of: root).flatMap { entity in
            entity.attributes.filter { $0.derivation != nil && !$0.isTransient }
                .map { model.column(of: $0.name, in: entity) }
        }
        guard !columns.isEmpty else { return nil }
        hasEntity = model.hasSubentities(root)
        let names =
            [SystemColumn.key] + (hasEntity ? [SystemColumn.entity] : []) + columns
        let list = names.map { "t.\(SQLText.identifier($0))" }.joined(separator: ", ")
        query = """
            SELECT \(list) FROM pending AS p CROSS JOIN \(SQLText.identifier(root.name)) AS t \
            WHERE t.\(SQLText.identifier(SystemColumn.key)) = p.key
            """
    }
}
