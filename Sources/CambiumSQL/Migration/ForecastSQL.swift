/// The questions about a store that tell what a migration of it will cost.
package enum ForecastSQL {
    /// How many bytes the database has.
    package static let size = """
        SELECT "page_count" * "page_size" FROM pragma_page_count(), pragma_page_size()
        """

    /// How many bytes a table (parameter 1) and its indexes have. Goes through the table; fails
    /// where SQLite was built without what it asks.
    package static let sizeOfTable = """
        SELECT coalesce(sum("pgsize"), 0) FROM "dbstat"
        WHERE "aggregate" = 1
        AND "name" IN (SELECT "name" FROM "sqlite_schema" WHERE "tbl_name" = ?)
        """

    /// Counts the rows of a table, for which it goes through one of its indexes.
    package static func count(of table: String) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table))"
    }

    /// A number that the rows of a table are not far below, in no time at all. Fails where rows have
    /// no numbers.
    package static func estimate(of table: String) -> String {
        "SELECT max(\"rowid\") FROM \(SQLText.identifier(table))"
    }
}
