import CambiumModel

/// The statements around a migration.
package enum MigrationSQL {
    /// Switches foreign keys off; outside of a transaction only.
    package static let foreignKeysOff = "PRAGMA foreign_keys = OFF"
    /// Switches foreign keys on; outside of a transaction only.
    package static let foreignKeysOn = "PRAGMA foreign_keys = ON"
    /// Lists keys that lead nowhere: table, row, destination, number of the key.
    package static let foreignKeyCheck = "PRAGMA foreign_key_check"

    /// All rows of a table, in the order of their keys, to compare before and after.
    package static func rows(of table: Table) -> String {
        let columns = table.columns.map { SQLText.identifier($0.name) }.joined(separator: ", ")
        return "SELECT \(columns) FROM \(SQLText.identifier(table.name)) ORDER BY 1, 2"
    }
}
