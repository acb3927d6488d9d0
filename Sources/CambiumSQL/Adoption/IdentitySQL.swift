import CambiumModel

/// The statements about which object had which key when it was copied.
package enum IdentitySQL {
    /// Makes the table of entity and key, which goes with the connection.
    package static let create = """
        CREATE TEMP TABLE "adopted" ("entity" TEXT NOT NULL, "key" INTEGER NOT NULL)
        """

    /// Computes a number.
    package static func value(of expression: String) -> String { "SELECT \(expression)" }

    /// Notes the objects of a root entity's table.
    package static func note(_ root: Entity, in model: Model) -> String {
        let name =
            model.hasSubentities(root)
            ? SQLText.identifier(SystemColumn.entity) : SQLText.literal(.text(root.name))
        return "INSERT INTO temp.\"adopted\" SELECT \(name), \"_id\" FROM "
            + "\(SQLText.identifier(root.name)) ORDER BY \"_id\""
    }

    /// The keys that the objects of an entity (parameter 1) had, and whether they are there under a
    /// key that is greater by a number (parameter 2).
    ///
    /// - Parameter entity: What the entity is now; nil where it is gone.
    package static func list(newEntity entity: Entity?, in model: Model) -> String {
        let isThere =
            entity.map {
                "EXISTS (SELECT 1 FROM \(SQLText.identifier(model.root(of: $0).name)) AS t "
                    + "WHERE t.\"_id\" = a.\"key\" + ?2)"
            } ?? "?2 IS NULL"
        return "SELECT a.\"key\", \(isThere) FROM temp.\"adopted\" AS a WHERE a.\"entity\" = ?1"
    }
}
