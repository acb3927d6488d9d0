import CambiumModel

/// A change of the definitions of columns that keep their values: conditions, defaults, and whether
/// NULL is allowed. SQLite has no statement for such a change, but its documentation describes a
/// procedure. A table's definition is a text in `sqlite_schema`, and the rows need not be written
/// again.
///
/// See <https://www.sqlite.org/lang_altertable.html>, "Making Other Kinds Of Table Schema Changes".
package final class Restatement {
    let table: String
    /// The two forms, if both are known as values.
    package private(set) var tables: (old: Table, new: Table)?
    /// The replacements in the text.
    private let replacements: [Replacement]
    /// The constraints that it gets.
    private let gained: [String]
    /// The text after them.
    private let end: String
    /// The conditions that rows have not met yet, with their names.
    private let conditions: [RefusalSQL.Condition]
    /// The conditions that use only new columns. All rows have the same values there.
    private let conditionsOfOneRow: [RefusalSQL.Condition]

    private struct Replacement {
        let old: String
        let new: String
    }

    /// Whether the definitions are the same.
    var isEmpty: Bool { replacements.isEmpty && gained.isEmpty }

    /// Compares two forms of a table; nil if the rows have to be written again.
    ///
    /// - Parameter added: Columns that ALTER TABLE has added, without their conditions.
    convenience init?(from old: Table, to new: Table, besides added: [Table.Column] = []) {
        self.init(
            columns: old.columns.map { Form($0) }, constraints: old.constraints, known: old.checks,
            options: old.options, to: new, besides: added)
        tables = (old, new)
    }

    /// Compares a table's definition in a store with the expected one.
    ///
    /// - Parameter old: The table that the text defines, if it is known.
    convenience init?(from text: TableText, of old: Table?, to new: Table) {
        let columns = new.columns.compactMap { column in
            let known = old?.columns.first { $0.name == column.name }
            return text.parts.lazy
                .compactMap { Form($0, of: column.name, known?.checks ?? []) }.first
        }
        let definitions = Set(columns.map { $0.definition })
        let constraints = text.parts.filter { !definitions.contains($0) }
        guard columns.count == new.columns.count,
            !constraints.contains(where: { $0.hasPrefix("\"") })
        else { return nil }
        self.init(
            columns: columns, constraints: constraints, known: old?.checks ?? [],
            options: String(text.tail.drop { $0 == ")" || $0 == " " || $0 == "\n" }), to: new,
            besides: [])
    }

    private init?(
        columns: [Form], constraints: [String], known: [Table.Check], options: String,
        to new: Table, besides added: [Table.Column]
    ) {
        guard options == new.options else { return nil }
        var replacements: [Replacement] = []
        var conditions: [RefusalSQL.Condition] = []
        func require(_ check: Table.Check, of column: Table.Column? = nil) {
            conditions += new.textConditions(of: check).filter { !conditions.contains($0) }
            conditions.append(
                .init(
                    name: check.name.text, condition: check.condition, columns: check.columns,
                    column: column?.name))
        }
        for column in added {
            guard !column.checks.isEmpty else { continue }
            replacements.append(
                Replacement(old: column.bareDefinition, new: column.definition))
            for check in column.checks { require(check, of: column) }
        }
        let addedNames = Set(added.names)
        for column in new.columns where !addedNames.contains(column.name) {
            guard let old = columns.first(where: { $0.name == column.name }) else { return nil }
            if old.definition == column.definition { continue }
            guard old.canBecome(column) else { return nil }
            replacements.append(Replacement(old: old.definition, new: column.definition))
            for check in column.checks where !old.implies(check) { require(check, of: column) }
        }
        let gained = new.checks.filter { !constraints.contains($0.definition) }
        let removed = constraints.filter { !new.constraints.contains($0) }
        // A change of the text alone cannot change a primary key.
        guard removed.allSatisfy({ $0.hasPrefix("CONSTRAINT \"") }),
            new.primaryKeyConstraint.map(constraints.contains) ?? true
        else { return nil }
        for constraint in removed {
            replacements.append(Replacement(old: ",\n    \(constraint)", new: ""))
        }
        for check in gained where !known.contains(where: { $0.implies(check) }) { require(check) }
        self.gained = gained.map { $0.definition }
        end = ") \(new.options)"
        table = new.name
        self.replacements = replacements
        let constant = Set(added.filter { !$0.isGenerated }.names)
        func isOfOneRow(_ condition: RefusalSQL.Condition) -> Bool {
            condition.columns.isSubset(of: constant)
        }
        conditionsOfOneRow = conditions.filter(isOfOneRow)
        self.conditions = conditions.filter { !isOfOneRow($0) }
    }

    /// Whether rows are read to see whether they meet the new conditions.
    var readsRows: Bool { !conditions.isEmpty }

    /// The definition of a column in a table or a store.
    final class Form {
        let name: String
        let definition: String
        /// The checks, as far as they are known; the definition has them all as text.
        private let checks: [Table.Check]
        private let type: String
        private let isRequired: Bool
        private let isComputed: Bool

        init(_ column: Table.Column) {
            (name, definition, checks) = (column.name, column.definition, column.checks)
            type = column.typeName
            (isRequired, isComputed) = (column.isRequired, column.isGenerated)
        }

        /// Reads a column's definition in a store; nil if the text is about something else.
        fileprivate init?(_ text: String, of column: String, _ checks: [Table.Check]) {
            let start = SQLText.identifier(column) + " "
            guard text.hasPrefix(start) else { return nil }
            let rest = text.dropFirst(start.count)
            (name, definition) = (column, text)
            self.checks = checks
            type = String(rest.prefix { $0 != " " && $0 != "\n" })
            isRequired = rest.dropFirst(type.count).hasPrefix(" NOT NULL")
            isComputed = rest.contains("GENERATED ALWAYS AS")
        }

        /// Whether each value already meets a check, as far as this can be decided.
        func implies(_ check: Table.Check) -> Bool {
            checks.contains { $0.implies(check) }
                || definition.contains("\n        \(check.definition)")
        }

        /// Whether only the definition of a column's values differs. The stored form, the
        /// referenced table, and the requirement that each row has a value are unchanged.
        func canBecome(_ column: Table.Column) -> Bool {
            guard case .attribute = column.content, !column.isGenerated else { return false }
            return type == column.typeName && (isRequired || !column.isRequired) && !isComputed
        }
    }

    /// The statements for SQLite. They fail if rows of a store do not meet the new conditions. They
    /// run while SQLite's schema is writable.
    var statements: [MigrationStatement] {
        guard !isEmpty else { return [] }
        var text = "\"sql\""
        if !gained.isEmpty {
            // If ALTER TABLE has added a column, the white space before the end differs.
            let list = gained.map { ",\n    \($0)" }.joined() + "\n\(end)"
            text =
                "rtrim(substr(\(text), 1, length(\(text)) - \(end.count)), char(10)) || "
                + SQLText.literal(list)
        }
        for replacement in replacements {
            text =
                """
                replace(\(text), \(SQLText.literal(replacement.old)), \
                \(SQLText.literal(replacement.new)))
                """
        }
        return RefusalSQL.statements(conditionsOfOneRow, in: table, ofOneRow: true)
            + RefusalSQL.statements(conditions, in: table, ofOneRow: false) + [
                MigrationStatement(.other, "PRAGMA writable_schema = ON"),
                MigrationStatement(
                    .other,
                    """
                    UPDATE "sqlite_schema" SET "sql" = \(text)\n\
                    WHERE "type" = 'table' AND "name" = \(SQLText.literal(table))
                    """
                ),
                // A change of the usual kind increments the schema version. Other connections, and
                // this one after a rollback, then read the schema again.
                .create("_restated", "(\"x\")"),
                .drop("_restated"),
                MigrationStatement(.other, "PRAGMA writable_schema = RESET"),
            ]
    }
}

/// Updates the checks, defaults and indexes of a store with tables that have the right columns. A
/// rule, a limit, a default or an index does not change the version hash, but a store must be
/// updated for it.
package struct SchemaRefresh: Sendable {
    /// The statements in order; empty if nothing differs.
    package let statements: [MigrationStatement]

    /// Compares a store with the schema that it should have. External objects are left alone.
    ///
    /// - Parameters:
    ///   - old: The schema that the store was written with, if it is known. Conditions that its
    ///     checks imply then need no check of the rows.
    ///   - target: The catalogue of a fresh store of the schema, if it is already known.
    ///   - mayRestate: Whether a table's definition may be changed without writing its rows again.
    ///     The statements then run while SQLite's schema is writable.
    package init(
        from catalogue: Catalogue, of old: Schema? = nil, to schema: Schema,
        _ target: Catalogue? = nil, mayRestate: Bool = true
    ) {
        let target = target ?? Catalogue(of: schema)
        let oldTables = (old?.tables ?? []).filter {
            Catalogue.normalized($0.createStatement()) == catalogue.entries[$0.name]
        }
        let different = Set(
            target.entries.keys.filter { catalogue.entries[$0] != target.entries[$0] })
        var restated: [MigrationStatement] = []
        let rebuilt = schema.tables.filter { table in
            guard different.contains(table.name) else { return false }
            guard mayRestate else { return true }
            let text = catalogue.tables[table.name].flatMap(TableText.init)
            let restatement = text.flatMap { text in
                Restatement(
                    from: text, of: oldTables.first { $0.name == table.name }, to: table)
            }
            guard let restatement, !restatement.isEmpty else { return true }
            restated += restatement.statements
            return false
        }
        let rebuiltNames = Set(rebuilt.map { $0.name })
        let indexes = schema.tables.flatMap { table in
            table.indexes.filter {
                rebuiltNames.contains(table.name) || different.contains($0.name)
            }.map { (name: $0.name, creation: table.creation(of: $0)) }
        }
        let drops =
            Self.staleIndexes(in: catalogue, besides: target, of: schema)
            + indexes.map { $0.name }.filter { catalogue.entries[$0] != nil }
        statements =
            drops.map { .drop(index: $0) } + restated
            + rebuilt.flatMap { Self.rebuild($0, exists: catalogue.entries[$0.name] != nil) }
            + indexes.map { $0.creation }
    }

    /// Indexes that an earlier form of the model had: their names begin with one of its entities.
    private static func staleIndexes(
        in catalogue: Catalogue, besides target: Catalogue, of schema: Schema
    ) -> [String] {
        return catalogue.entries.filter { name, sql in
            target.entries[name] == nil
                && (sql.hasPrefix("CREATE INDEX") || sql.hasPrefix("CREATE UNIQUE INDEX"))
                && TableIndex.mayBeOurs(name)
        }.keys.sorted()
    }

    private static func rebuild(_ table: Table, exists: Bool) -> [MigrationStatement] {
        exists
            ? table.rebuilding(table.columns.filter { !$0.isGenerated }.names)
            : [table.creation()]
    }
}
