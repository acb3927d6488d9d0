import CambiumModel

/// Makes tables and indexes of a store what a version says.
package struct StoreRepair: Sendable {
    /// The statements in order.
    package let statements: [MigrationStatement]

    /// Repairs what differs.
    ///
    /// - Parameters:
    ///   - names: The tables and indexes that differ.
    ///   - tables: The tables of the version, as far as they are known.
    ///   - catalogue: What the store has.
    package init(of names: Set<String>, in catalogue: Catalogue, as tables: [Table]) {
        let made = tables.filter { names.contains($0.name) }
        let madeNames = Set(made.map { $0.name })
        let indexes = tables.flatMap { table in
            table.indexes.filter { madeNames.contains(table.name) || names.contains($0.name) }
                .map { (name: $0.name, creation: table.creation(of: $0)) }
        }
        var statements = indexes.map {
            MigrationStatement(.other, "DROP INDEX IF EXISTS \(SQLText.identifier($0.name))")
        }
        statements += made.flatMap { TableRepair(of: $0, in: catalogue).statements }
        statements += indexes.map { $0.creation }
        if madeNames.contains(KeySQL.table), catalogue.entries[KeySQL.table] == nil {
            statements += Self.keys(in: catalogue, besides: made)
        }
        self.statements = statements
    }

    /// The next number of the objects of each table, where the one that was to come is forgotten.
    private static func keys(in catalogue: Catalogue, besides made: [Table]) -> [MigrationStatement]
    {
        let kept = catalogue.tables.keys.filter { name in
            let columns = Set(
                (catalogue.parts(of: name) ?? []).filter { $0.isColumn }.map { $0.name })
            return columns.isSuperset(of: ["_id", "_version"])
        }
        let new = made.filter { if case .objects = $0.content { true } else { false } }.map {
            $0.name
        }
        return Set(kept + new).sorted().map { name in
            .insert(
                into: KeySQL.table,
                """
                ("entity", "next")\n\
                SELECT \(SQLText.literal(name)), coalesce(max("_id"), 0) + 1 \
                FROM \(SQLText.identifier(name))
                """, from: [name])
        }
    }
}

extension Catalogue {
    /// The tables as a version had them of which the fingerprints alone are known: those that a later
    /// version has still, and those that have only got columns since.
    package static func tables(
        ofFingerprints expected: [String: String], from later: Schema
    ) -> [Table] {
        let catalogue = Catalogue(
            rows: later.tables.map { [.text($0.name), .text($0.createStatement())] })
        return later.tables.compactMap { table -> Table? in
            guard let fingerprint = expected[table.name] else { return nil }
            var columns = table.columns
            if catalogue.fingerprints[table.name] != fingerprint {
                let added = Set(
                    catalogue.columnsAdded(to: table.name, ofFingerprint: fingerprint).map {
                        $0.name
                    })
                guard !added.isEmpty else { return nil }
                columns.removeAll { added.contains($0.name) }
            }
            let indexes = table.indexes.filter {
                expected[$0.name] == Self.fingerprint(of: Self.normalized($0.createStatement))
            }
            return Table(
                name: table.name, columns: columns, primaryKey: table.primaryKey,
                checks: table.checks, options: table.options, indexes: indexes,
                content: table.content)
        }
    }
}

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
        let names = Set((parts ?? []).filter { $0.isColumn }.map { $0.name.lowercased() })
        return table.columns.filter { !$0.isGenerated && names.contains($0.name.lowercased()) }
    }

    private var missing: [Table.Column] {
        let names = Set(kept.map { $0.name })
        return table.columns.filter { !$0.isGenerated && !names.contains($0.name) }
    }

    // MARK: What is in the way

    /// Whether objects have lost their numbers, which cannot be restored.
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

    /// The statements that make it, with the rows as far as they exist. Its indexes are deleted
    /// then.
    package var statements: [MigrationStatement] {
        parts == nil ? [table.creation()] : table.rebuilding(kept.map { $0.name })
    }

    // MARK: Links

    /// The query of the columns that reference a table: their table, their name.
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
