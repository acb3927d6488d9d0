extension Catalogue {
    /// The query of the columns of all tables: the table's name, the column's.
    package static let columnsQuery = """
        SELECT t."name", c."name" FROM "sqlite_schema" AS t, pragma_table_xinfo(t."name") AS c
        WHERE t."type" = 'table'
        """
}
