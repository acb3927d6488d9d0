import CambiumModel
import CambiumSQL

/// Queries about keys that lead nowhere, which a save asks before it would leave some behind.
enum ReferenceSQL {
    /// The keys of the `pending` table that no row of a root entity's table has.
    static func missing(root: Entity) -> String {
        let key = "t.\(SQLText.identifier(SystemColumn.key))"
        return """
            SELECT p.key FROM pending AS p \
            LEFT JOIN \(SQLText.identifier(root.name)) AS t ON \(key) = p.key WHERE \(key) IS NULL
            """
    }

    /// The keys of the rows of a root entity's table whose column leads to a key of the `pending`
    /// table.
    static func referring(root: Entity, column: String) -> String {
        """
        SELECT t.\(SQLText.identifier(SystemColumn.key)) FROM pending AS p \
        CROSS JOIN \(SQLText.identifier(root.name)) AS t \
        ON t.\(SQLText.identifier(column)) = p.key
        """
    }
}
