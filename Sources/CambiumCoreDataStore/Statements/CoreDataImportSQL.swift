import CambiumModel
import CambiumSQL

/// The statements around an import.
enum CoreDataImportSQL {
    /// The settings of the connection that writes the new store. No other process uses the file
    /// yet, so neither the data nor the journal must be on the disk before the end.
    static let pragmas = [
        "PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -24576",
        "PRAGMA foreign_keys = OFF",
    ]
    /// The settings for the migration: the journal with the changed rows is a file.
    static let pragmasOfMigration = ["PRAGMA journal_mode = DELETE"]

    /// The number of rows in a table of Core Data.
    static func count(ofSourceTable name: String) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(ObjectCopySQL.source))."
            + SQLText.identifier(name)
    }

    /// The number of values in a column of Core Data.
    static func count(ofValuesIn column: String, ofSourceTable name: String) -> String {
        "SELECT count(\(SQLText.identifier(column))) FROM "
            + "\(SQLText.identifier(ObjectCopySQL.source)).\(SQLText.identifier(name)) NOT INDEXED"
    }

    /// The number of objects of each entity in the table of a root entity.
    static func counts(of root: Entity, in model: Model) -> String {
        let table = SQLText.identifier(root.name)
        return model.hasSubentities(root)
            ? "SELECT \"_entity\", count(*) FROM \(table) GROUP BY 1"
            : "SELECT \(SQLText.literal(.text(root.name))), count(*) FROM \(table)"
    }

    /// Key and entity of the rows that repeat the unique values of a row with a lesser key; nil if
    /// the index is not unique.
    static func duplicates(
        for index: TableIndex, of root: Entity, in model: Model
    ) -> (query: String, remove: String)? {
        guard let rows = index.uniqueRows else { return nil }
        let table = SQLText.identifier(root.name)
        let name = model.hasSubentities(root) ? "\"_entity\"" : SQLText.literal(.text(root.name))
        return (
            "SELECT \"_id\", \"e\" FROM (SELECT \"_id\", \(name) AS \"e\", row_number() OVER "
                + "(PARTITION BY \(rows.list) ORDER BY \"_id\") AS \"n\" FROM \(table) "
                + "WHERE \(rows.conditions.joined(separator: " AND "))) WHERE \"n\" > 1",
            "DELETE FROM \(table) WHERE \"_id\" = ?1"
        )
    }
}
