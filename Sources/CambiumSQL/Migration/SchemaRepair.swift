import CambiumModel

/// Restores tables and indexes of a store to the definitions of a version.
package struct SchemaRepair: Sendable {
    /// The statements in order.
    package let statements: [MigrationStatement]

    /// Repairs the differences.
    ///
    /// - Parameters:
    ///   - names: The tables and indexes that differ.
    ///   - tables: The tables of the version, as far as they are known.
    ///   - catalogue: The catalogue of the store.
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

    /// Returns the next number of the objects of each table, if the original one is lost.
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
    /// Returns the tables of a version that is known only by its fingerprints. The result contains
    /// tables that a later version still has, and tables to which later versions have only added
    /// columns.
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

/// The statements that restore a table to the definition of a version, after any changes by another
/// program.
package struct TableRepair: Sendable {
    private let table: Table
    /// The parts of the store's table; nil if there is none.
    private let parts: [Catalogue.Part]?

    /// Compares a table with the store's table of the same name.
    package init(of table: Table, in catalogue: Catalogue) {
        self.table = table
        parts = catalogue.parts(of: table.name)
    }

    /// The columns that rows can be written to, as far as the store has them.
    private var kept: [Table.Column] {
        // SQLite's names are case-insensitive.
        let names = Set((parts ?? []).filter { $0.isColumn }.map { $0.name.lowercased() })
        return table.columns.filter { !$0.isGenerated && names.contains($0.name.lowercased()) }
    }

    private var missing: [Table.Column] {
        let names = Set(kept.map { $0.name })
        return table.columns.filter { !$0.isGenerated && !names.contains($0.name) }
    }

    // MARK: Reasons that prevent a repair

    /// Whether objects have lost their numbers. These cannot be restored.
    package var hasNoKeys: Bool { parts != nil && missing.contains { $0.name == "_id" } }

    /// The conditions of the restored table that existing rows may violate: a description of the
    /// violation, and a query that counts the rows.
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

    // MARK: Statements

    /// The statements that create it, with the rows as far as they exist. Its indexes are deleted.
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

    /// Counts the rows that have a value in a column.
    package static func values(of column: String, in table: String) -> String {
        "SELECT count(\(SQLText.identifier(column))) FROM \(SQLText.identifier(table))"
    }
}
