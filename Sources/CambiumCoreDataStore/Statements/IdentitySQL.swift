import CambiumModel
import CambiumSQL

/// The statements that trace the keys of objects during an import.
enum IdentitySQL {
    /// Creates the table of entity and key for the lifetime of the connection.
    static let create = """
        CREATE TEMP TABLE "imported" ("entity" TEXT NOT NULL, "key" INTEGER NOT NULL, "deleted" INTEGER)
        """

    /// Computes a number.
    static func value(of expression: String) -> String { "SELECT \(expression)" }

    /// Records the objects of a root entity's table.
    static func note(_ root: Entity, in model: Model) -> String {
        let name =
            model.hasSubentities(root)
            ? SQLText.identifier(SystemColumn.entity) : SQLText.literal(.text(root.name))
        return "INSERT INTO temp.\"imported\" (\"entity\", \"key\") SELECT \(name), \"_id\" FROM "
            + "\(SQLText.identifier(root.name)) ORDER BY \"_id\""
    }

    /// The original keys of the objects of an entity (parameter 1), and whether the objects exist
    /// under a key that is greater by a number (parameter 2).
    ///
    /// - Parameter entity: The current entity; nil if it was deleted.
    static func list(newEntity entity: Entity?, in model: Model) -> String {
        "SELECT a.\"key\", \(exists(entity, in: model)) FROM temp.\"imported\" AS a "
            + "WHERE a.\"entity\" = ?1"
    }

    /// Marks objects of an entity (parameter 1) as deleted if they no longer exist, and returns
    /// their keys. In the table, each key is greater by a number (parameter 2).
    ///
    /// - Parameter entity: The current entity; nil if it was deleted.
    static func markDeleted(newEntity entity: Entity?, in model: Model) -> String {
        "UPDATE temp.\"imported\" AS a SET \"deleted\" = 1 WHERE a.\"entity\" = ?1 AND a.\"deleted\" IS NULL "
            + "AND NOT (\(exists(entity, in: model))) RETURNING \"key\""
    }

    private static func exists(_ entity: Entity?, in model: Model) -> String {
        entity.map {
            "EXISTS (SELECT 1 FROM \(SQLText.identifier(model.root(of: $0).name)) AS t "
                + "WHERE t.\"_id\" = a.\"key\" + ?2)"
        } ?? "?2 IS NULL"
    }
}
