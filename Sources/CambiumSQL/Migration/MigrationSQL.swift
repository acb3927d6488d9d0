import CambiumModel

/// The statements around a migration.
package enum MigrationSQL {
    /// Switches foreign keys off; outside of a transaction only.
    package static let foreignKeysOff = "PRAGMA foreign_keys = OFF"
    /// Switches foreign keys on; outside of a transaction only.
    package static let foreignKeysOn = "PRAGMA foreign_keys = ON"
    /// Lists keys that lead nowhere: table, row, destination, number of the key.
    package static let foreignKeyCheck = "PRAGMA foreign_key_check"

    /// Counts the rows of a table.
    package static func count(of table: Table) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table.name))"
    }
}
