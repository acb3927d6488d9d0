import CambiumModel

/// What can be told from the statements that make a table anew, and be done between them.
package enum TableCopySQL {
    /// The name that a new table has while the old one is there.
    static func temporaryName(of table: String) -> String { "_new_\(table)" }

    /// The name that a table has afterwards.
    package static func lastingName(of table: String) -> String {
        table.hasPrefix(temporaryName(of: "")) ? String(table.dropFirst(5)) : table
    }

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

    /// The statement that gives a new table the rows of the old one of the same name, with the same
    /// keys; nil where it is another table.
    static func continuation(of table: String, by statements: [String]) -> String? {
        let names = [temporaryName(of: table), StepTableSQL.workingName(of: table)]
            .map { $0.lowercased() }
        return statements.first { statement in
            let reach = StatementReach(of: statement)
            guard case .fills(let new) = reach.effect, names.contains(new.lowercased()),
                reach.reads.contains(table)
            else { return false }
            // Links have no keys of their own.
            return statement.contains("    old.\"_id\",") || !statement.contains("\"_id\"")
        }
    }

    /// The columns, in lower case, that a statement which makes a table anew fills with another
    /// column's values.
    static func columnsMadeOfOthers(by reader: String) -> Set<String> {
        guard let values = reader.firstRange(of: "SELECT\n    ") else { return [] }
        var columns: Set<String> = []
        for value in reader[values.upperBound...].split(separator: ",\n    ") {
            // What has another source says what it is called.
            guard let mark = value.ranges(of: " AS \"").last else { continue }
            let name = value[mark.upperBound...].prefix { $0 != "\"" }
            if value.contains("old.\""), !value.contains("old.\"\(name)\"") {
                columns.insert(name.lowercased())
            }
        }
        return columns
    }

    /// The columns, in lower case, that statements give a table, or the one that replaces it.
    package static func columnsMade(in table: String, by statements: [String]) -> Set<String> {
        let start = "ALTER TABLE \(SQLText.identifier(table)) ADD COLUMN "
        var columns: Set<String> = []
        for statement in statements {
            var text: String?
            if statement.hasPrefix(start) {
                text = "CREATE TABLE \"x\" (" + statement.dropFirst(start.count) + ")"
            } else if case .makes(let new) = StatementReach(of: statement).effect,
                new == table || new == temporaryName(of: table)
            {
                text = statement
            }
            guard let text else { continue }
            let parts = Catalogue(rows: [[.text("x"), .text(text)]]).parts(of: "x") ?? []
            columns.formUnion(parts.filter(\.isColumn).map { $0.name.lowercased() })
        }
        return columns
    }

    /// Gives a table a column more.
    package static func addition(of column: Catalogue.Part, to table: String) -> String {
        "ALTER TABLE \(SQLText.identifier(table)) ADD COLUMN \(column.definition)"
    }

    /// Gives the new table a column that only the old one has, with its values.
    package static func carry(_ column: Catalogue.Part, of table: String) -> [String] {
        let new = SQLText.identifier(temporaryName(of: table))
        let name = SQLText.identifier(column.name)
        let addition = addition(of: column, to: temporaryName(of: table))
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
