import CambiumModel

/// What it takes to make a table what a version says, whatever another program has made of it.
package struct TableRepair: Sendable {
    private let table: Table
    /// What the store's table has; nil where there is none.
    private let parts: [Catalogue.Part]?

    /// Compares a table with what a store has under its name.
    package init(of table: Table, in catalogue: Catalogue) {
        self.table = table
        parts = catalogue.parts(of: table.name)
    }

    /// The columns that rows can be written to, as far as the store has them.
    private var kept: [Table.Column] {
        // SQLite does not tell upper case from lower.
        let names = Set((parts ?? []).filter(\.isColumn).map { $0.name.lowercased() })
        return table.columns.filter { !$0.isGenerated && names.contains($0.name.lowercased()) }
    }

    private var missing: [Table.Column] {
        let names = Set(kept.map(\.name))
        return table.columns.filter { !$0.isGenerated && !names.contains($0.name) }
    }

    // MARK: What is in the way

    /// Whether objects have lost their numbers, which nobody can give them again.
    package var hasNoKeys: Bool { parts != nil && missing.contains { $0.name == "_id" } }

    /// What all rows have to be in the table as it should be, and need not be yet: what is wrong
    /// with those that are not, and a query that counts them.
    package var conditions: [(violation: String, query: String)] {
        guard let parts else { return [] }
        let known = Set(parts.map { Catalogue.withoutSpace($0.definition) })
        let additions = missing.map {
            ", \(SQLText.literal($0.defaultValue ?? .null)) AS \(SQLText.identifier($0.name))"
        }.joined()
        let source = "(SELECT *\(additions) FROM \(SQLText.identifier(table.name)))"
        func count(_ condition: String) -> String {
            "SELECT count(*) FROM \(source) WHERE NOT (\(condition))"
        }
        var conditions: [(violation: String, query: String)] = []
        for column in table.columns where !column.isGenerated {
            if known.contains(Catalogue.withoutSpace(column.definition)) { continue }
            if column.isRequired {
                conditions.append(
                    (
                        "\(table.name).\(column.name) has no value, and is required",
                        count("\(SQLText.identifier(column.name)) IS NOT NULL")
                    ))
            }
        }
        let wanted =
            table.columns.map { (definition: $0.definition, checks: $0.checks) }
            + table.checks.map { (definition: $0.definition, checks: [$0]) }
        for part in wanted where !known.contains(Catalogue.withoutSpace(part.definition)) {
            conditions += part.checks.map { ($0.name.violation, count($0.condition)) }
        }
        return conditions
    }

    // MARK: What is done

    /// The statements that make it, with the rows as far as they are there. Its indexes are gone
    /// then.
    package var statements: [MigrationStatement] {
        parts == nil ? [table.creation()] : table.rebuilding(kept.map(\.name))
    }

    // MARK: Links

    /// The query of the columns that lead to a table: their table, their name.
    package static func links(to table: String) -> String {
        """
        SELECT t."name", k."from" FROM "sqlite_schema" AS t, pragma_foreign_key_list(t."name") AS k
        WHERE t."type" = 'table' AND k."table" = \(SQLText.literal(table))
        """
    }

    /// Counts the rows that have something in a column.
    package static func values(of column: String, in table: String) -> String {
        "SELECT count(\(SQLText.identifier(column))) FROM \(SQLText.identifier(table))"
    }
}
