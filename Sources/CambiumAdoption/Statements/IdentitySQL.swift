import CambiumModel
import CambiumSQL

/// The statements about which object had which key when it was copied.
enum IdentitySQL {
    /// Makes the table of entity and key, which goes with the connection.
    static let create = """
        CREATE TEMP TABLE "adopted" ("entity" TEXT NOT NULL, "key" INTEGER NOT NULL, "gone" INTEGER)
        """

    /// Computes a number.
    static func value(of expression: String) -> String { "SELECT \(expression)" }

    /// Notes the objects of a root entity's table.
    static func note(_ root: Entity, in model: Model) -> String {
        let name =
            model.hasSubentities(root)
            ? SQLText.identifier(SystemColumn.entity) : SQLText.literal(.text(root.name))
        return "INSERT INTO temp.\"adopted\" (\"entity\", \"key\") SELECT \(name), \"_id\" FROM "
            + "\(SQLText.identifier(root.name)) ORDER BY \"_id\""
    }

    /// The keys that the objects of an entity (parameter 1) had, and whether they are there under a
    /// key that is greater by a number (parameter 2).
    ///
    /// - Parameter entity: What the entity is now; nil where it is gone.
    static func list(newEntity entity: Entity?, in model: Model) -> String {
        "SELECT a.\"key\", \(isThere(entity, in: model)) FROM temp.\"adopted\" AS a "
            + "WHERE a.\"entity\" = ?1"
    }

    /// Notes that the objects of an entity (parameter 1) are gone which are not there under a key that
    /// is greater by a number (parameter 2), and gives their keys.
    ///
    /// - Parameter entity: What the entity is now; nil where it is gone.
    static func takeGone(newEntity entity: Entity?, in model: Model) -> String {
        "UPDATE temp.\"adopted\" AS a SET \"gone\" = 1 WHERE a.\"entity\" = ?1 AND a.\"gone\" IS NULL "
            + "AND NOT (\(isThere(entity, in: model))) RETURNING \"key\""
    }

    private static func isThere(_ entity: Entity?, in model: Model) -> String {
        entity.map {
            "EXISTS (SELECT 1 FROM \(SQLText.identifier(model.root(of: $0).name)) AS t "
                + "WHERE t.\"_id\" = a.\"key\" + ?2)"
        } ?? "?2 IS NULL"
    }
}
