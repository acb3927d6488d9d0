/// The statements that move the rows of a table of SQLite's as they are.
package enum MoveSQL {
    /// Counts the rows.
    package static func count(of table: String) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table))"
    }

    /// Reads columns of all rows.
    package static func select(_ columns: [String], of table: String) -> String {
        "SELECT \(SQLText.identifiers(columns)) FROM \(SQLText.identifier(table))"
    }

    /// Reads columns of all rows with the function `sink`.
    package static func sink(_ columns: [String], of table: String) -> String {
        "SELECT sink(\(SQLText.identifiers(columns))) FROM \(SQLText.identifier(table))"
    }

    /// Inserts the rows of the table `pending`. Its slots are the columns.
    package static func insert(_ columns: [String], into table: String) -> String {
        let slots = columns.indices.map { "c\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO \(SQLText.identifier(table)) (\(SQLText.identifiers(columns))) \
            SELECT \(slots) FROM pending
            """
    }

    /// The first key of each root entity that was never given.
    package static let keys = "SELECT \"entity\", \"next\" FROM \(SQLText.identifier(KeySQL.table))"

    /// Takes an index away.
    package static func dropIndex(_ name: String) -> String {
        "DROP INDEX \(SQLText.identifier(name))"
    }
}
