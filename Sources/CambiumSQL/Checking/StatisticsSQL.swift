import CambiumModel

/// Queries of how much room the parts of a store take.
package enum StatisticsSQL {
    /// The names of tables, with their sizes in bytes, indexes included. SQLite may have been built
    /// without the table `dbstat`, which has these sizes.
    package static let sizes = """
        SELECT coalesce(s."tbl_name", d."name"), sum(d."pgsize") \
        FROM "dbstat" AS d LEFT JOIN "sqlite_schema" AS s ON s."name" = d."name" \
        WHERE d."aggregate" = 1 GROUP BY 1
        """

    /// The size of the file in bytes.
    package static let bytes = """
        SELECT p."page_count" * s."page_size" FROM pragma_page_count AS p, pragma_page_size AS s
        """

    /// The number of rows in the table of a root entity, by the names of entities.
    ///
    /// - Parameter table: The table as the engine has it.
    package static func counts(
        of root: Entity, in model: Model, _ table: String
    ) -> String {
        let entity =
            model.hasSubentities(root)
            ? SQLText.identifier(SystemColumn.entity) : SQLText.literal(root.name)
        return "SELECT \(entity), count(*) FROM \(table) GROUP BY 1"
    }
}
