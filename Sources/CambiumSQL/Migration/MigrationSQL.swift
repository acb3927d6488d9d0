/// The statements around a migration.
package enum MigrationSQL {
    /// Switches foreign keys off; outside of a transaction only.
    package static let foreignKeysOff = "PRAGMA foreign_keys = OFF"
    /// Goes through all tables and indexes, and the conditions that rows must meet: the one row `ok`,
    /// or what is wrong.
    package static let integrityCheck = "PRAGMA integrity_check(5)"

    /// Goes through all tables and indexes, without comparing them: a row for what is wrong.
    package static let quickCheck = "PRAGMA quick_check(100)"
    /// Lets the connection look at no CHECK.
    package static let checksOff = "PRAGMA ignore_check_constraints = ON"
    /// Undoes ``checksOff``.
    package static let checksOn = "PRAGMA ignore_check_constraints = OFF"

    /// Whether a row of ``quickCheck`` is about the file, and not about values that the store should
    /// not have.
    package static func isDamage(_ finding: String) -> Bool {
        let ofValues = ["NULL value in ", "CHECK constraint failed", "non-", "NUMERIC ", "TEXT "]
        return finding != "ok" && !ofValues.contains { finding.hasPrefix($0) }
    }

    /// Switches foreign keys on; outside of a transaction only.
    package static let foreignKeysOn = "PRAGMA foreign_keys = ON"
    /// Lists keys that lead nowhere: table, row, destination, number of the key.
    package static let foreignKeyCheck = "PRAGMA foreign_key_check"

    /// The same of one table.
    package static func foreignKeyCheck(of table: String) -> String {
        "\(foreignKeyCheck)(\(SQLText.identifier(table)))"
    }

    /// The views, in the order of their making: name and text.
    package static let views =
        "SELECT \"name\", \"sql\" FROM \"sqlite_schema\" WHERE \"type\" = 'view' ORDER BY rowid"

    /// The indexes that statements have made: name and text.
    package static let indexes =
        "SELECT \"name\", \"sql\" FROM \"sqlite_schema\" "
        + "WHERE \"type\" = 'index' AND \"sql\" IS NOT NULL ORDER BY rowid"

    /// Removes a view.
    package static func drop(view: String) -> String {
        "DROP VIEW \(SQLText.identifier(view))"
    }

    /// Counts the rows of a table.
    package static func count(of table: Table) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table.name))"
    }
}
