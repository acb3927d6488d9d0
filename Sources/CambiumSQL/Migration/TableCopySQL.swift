import CambiumModel

/// What can be told from the statements that make a table anew, and be done between them.
package enum TableCopySQL {
    /// The name that a new table has while the old one is there.
    static func temporaryName(of table: String) -> String { "_new_\(table)" }

    /// Whether the rows of a table that goes are in the new one of the same name, with the same
    /// keys, and nowhere else.
    package static func isCarried(_ table: String, by statements: [String]) -> Bool {
        let source = "FROM \(SQLText.identifier(table)) AS old"
        let readers = statements.filter { $0.contains(source) && $0.hasPrefix("INSERT INTO ") }
        guard readers.count == 1, let reader = readers.first else { return false }
        let names = [temporaryName(of: table), StepTableSQL.workingName(of: table)]
        return reader.contains("    old.\"_id\",")
            && names.contains { reader.hasPrefix("INSERT INTO \(SQLText.identifier($0)) ") }
    }

    /// Gives the new table a column that only the old one has, with its values.
    package static func carry(_ column: Catalogue.Part, of table: String) -> [String] {
        let new = SQLText.identifier(temporaryName(of: table))
        let name = SQLText.identifier(column.name)
        let addition = "ALTER TABLE \(new) ADD COLUMN \(column.definition)"
        // What SQLite computes cannot be written.
        if column.definition.uppercased().contains(" AS (")
            || column.definition.uppercased().contains(" AS(")
        {
            return [addition]
        }
        return [
            addition,
            "UPDATE \(new) SET \(name) = (SELECT old.\(name) "
                + "FROM \(SQLText.identifier(table)) AS old WHERE old.\"_id\" = \(new).\"_id\")",
        ]
    }
}
