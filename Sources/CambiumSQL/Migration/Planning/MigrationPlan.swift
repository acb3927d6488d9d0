import CambiumModel
import CambiumPlan

/// The SQL that migrates a store from one version to another.
///
/// All old tables stay until the new ones are filled, so that every new value can come from any of
/// them. First, each changed table is rebuilt beside the old one and filled from old tables. Then
/// replaced or deleted tables are dropped, the new tables get their names, and indexes are created.
/// Foreign keys must be off in the meantime; the caller checks them at the end.
package struct MigrationPlan: Sendable {
    /// The steps in order.
    package let steps: [MigrationStep]
    /// The changes that they carry out.
    package let changes: [ModelChange]
    /// The migration of a store's history; nil if none of its names and meanings change.
    package let history: MigrationHistory?

    /// Plans a migration.
    ///
    /// - Parameter schemas: The tables of both versions, if they already exist.
    /// - Throws: All reasons why there is none.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans the migration for a difference.
    ///
    /// - Parameter schemas: The tables of both versions.
    /// - Throws: All reasons why there is no plan.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        guard difference.problems.isEmpty else {
            throw MigrationProblems(difference.problems)
        }
        changes = difference.changes
        let builder = MigrationStepBuilder(difference: difference, schemas.old, schemas.new)
        steps = builder.steps
        let isAdditive =
            changes.allSatisfy { $0.kind == .additive }
            && steps.allSatisfy { $0.kind == .additive }
        history =
            isAdditive ? nil : HistoryPlanner(difference, schemas.old, schemas.new).history
    }
}

/// A part of a migration, with a summary as text and its SQL.
public struct MigrationStep: Sendable, Hashable {
    /// The effect of the step as text.
    public let summary: String
    /// The effect on the data.
    public let kind: MigrationKind
    /// Whether data is deleted or becomes less exact. If so, a copy of the store is made first. The
    /// kind alone is not enough, because a step that needs data may lose data too.
    public let losesData: Bool
    /// The tables with rows that it reads or writes, by the names that they have afterwards.
    public let tables: [String]
    /// The name of the program's step that runs after the statements, if any.
    public let code: String?
    /// The statements in order.
    public let statements: [MigrationStatement]

    /// The texts of the statements.
    public var sql: [String] { statements.map { $0.sql } }

    /// Describes a step.
    ///
    /// - Parameter losesData: Whether the step deletes data; nil means the value for its kind.
    public init(
        summary: String, kind: MigrationKind, losesData: Bool? = nil, tables: [String] = [],
        code: String? = nil, statements: [MigrationStatement]
    ) {
        self.summary = summary
        self.kind = kind
        self.losesData =
            losesData ?? [.lossy, .destructive, .needsCode].contains(kind)
        self.tables = tables
        self.code = code
        self.statements = statements
    }
}

/// The migration of a store's history.
///
/// Earlier changes are reported under the new names afterwards. The migration itself is a
/// transaction that contains the deleted objects and the objects with new values.
public struct MigrationHistory: Sendable, Hashable {
    /// The statements before the first step, in order.
    public let before: [String]
    /// The statements after the last step, in order.
    public let after: [String]
    /// The reason why the objects that the migration changes are unknown, as a sentence, or nil if
    /// they are known. If it is not nil, the history starts over.
    public let obstacle: String?

    /// Describes the migration of a history.
    public init(before: [String], after: [String]) {
        (self.before, self.after, obstacle) = (before, after, nil)
    }

    /// Describes why it is not.
    public init(obstacle: String) {
        (before, after, self.obstacle) = ([], [], obstacle)
    }
}

/// The changes of the key table when root entities change. A key is never assigned twice.
struct KeyTablePlan {
    let match: ModelMatch

    /// The statements, once no old table is needed any more.
    var statements: [MigrationStatement] {
        let oldRoots = match.oldRoots
        var uses: [String: Int] = [:]
        for name in oldRoots.values.joined() { uses[name, default: 0] += 1 }
        let isOneToOne =
            oldRoots.values.allSatisfy { $0.count <= 1 } && uses.values.allSatisfy { $0 == 1 }
        return isOneToOne ? renames(oldRoots) : sums(oldRoots)
    }

    /// Returns the statements if each root entity has at most one old root entity.
    private func renames(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let used = Set(oldRoots.values.joined())
        var first = match.old.roots.names.filter { !used.contains($0) }.map(deletion)
        var last: [MigrationStatement] = []
        for root in match.new.roots.names {
            guard let oldRoot = oldRoots[root]?.first else {
                last.append(insertion(SQLText.literal(root), "1"))
                continue
            }
            guard oldRoot != root else { continue }
            // The names are first replaced by a name that no entity has, because two entities may
            // swap their names.
            first.append(rename(SQLText.literal(oldRoot), to: temporary(root)))
            last.append(rename(temporary(root), to: SQLText.literal(root)))
        }
        return first + last
    }

    /// Combines the objects of several roots, or splits the objects of one root.
    private func sums(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let roots = match.new.roots.names
        let entries = roots.map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + \(ModelMatch.keyCount(of: names))"
            return insertion(temporary(root), next)
        }
        return entries + match.old.roots.map { deletion($0.name) }
            + roots.map { rename(temporary($0), to: SQLText.literal($0)) }
    }

    private func insertion(_ root: String, _ next: String) -> MigrationStatement {
        .insert(into: KeySQL.table, "(\"entity\", \"next\") VALUES (\(root), \(next))")
    }

    private func deletion(_ root: String) -> MigrationStatement {
        .delete(from: KeySQL.table, where: "\"entity\" = \(SQLText.literal(root))")
    }

    private func rename(_ root: String, to name: String) -> MigrationStatement {
        .update(KeySQL.table, set: "\"entity\" = \(name)", where: "\"entity\" = \(root)")
    }

    private func temporary(_ root: String) -> String { SQLText.literal("_new_" + root) }
}

/// A statement of a migration: its operation and its text.
public struct MigrationStatement: Sendable, Hashable {
    /// The action.
    public let operation: SchemaOperation
    /// The text up to its query or condition.
    let head: String
    /// The query for the rows that are copied or checked, the condition of the rows that are
    /// updated, or the condition that a table gets; empty if there is none.
    let rest: String

    /// The text after the query or condition.
    let tail: String

    /// Describes a statement.
    ///
    /// - Parameters:
    ///   - head: The text up to the query of ``SchemaOperation/copyRows(_:)`` or
    ///     ``SchemaOperation/checkRows(_:with:type:)``, or to the condition of
    ///     ``SchemaOperation/updateRows(_:from:)`` or ``SchemaOperation/alterTable(_:)``. For
    ///     other statements it is the whole text.
    ///   - rest: The query or condition.
    ///   - tail: The text after it.
    public init(
        _ operation: SchemaOperation, _ head: String, _ rest: String = "", _ tail: String = ""
    ) {
        self.operation = operation
        self.head = head
        self.rest = rest
        self.tail = tail
    }

    /// The text.
    public var sql: String { head + rest + tail }

    /// The parts of the text, for generated code.
    package var parts: [String] {
        tail.isEmpty ? rest.isEmpty ? [head] : [head, rest] : [head, rest, tail]
    }

    /// Returns the statement with changed texts.
    package func mapped(_ text: (String) -> String) -> MigrationStatement {
        MigrationStatement(operation, text(head), text(rest), text(tail))
    }

    /// Creates a table.
    ///
    /// - Parameter definition: Its columns in parentheses, and the text after them.
    package static func create(_ table: String, _ definition: String) -> MigrationStatement {
        MigrationStatement(
            .createTable(table), "CREATE TABLE \(SQLText.identifier(table)) \(definition)")
    }

    /// Inserts rows into a table.
    ///
    /// - Parameters:
    ///   - rows: The columns in parentheses, and the text after them.
    ///   - sources: The tables that the rows are made from.
    package static func insert(
        into table: String, _ rows: String, from sources: [String] = []
    ) -> MigrationStatement {
        MigrationStatement(
            .insertRows(table, from: sources), "INSERT INTO \(SQLText.identifier(table)) \(rows)")
    }

    /// Changes values of a table's rows.
    ///
    /// - Parameters:
    ///   - condition: The condition that selects the rows; nil for all.
    ///   - others: The other tables that are read.
    package static func update(
        _ table: String, set change: String, where condition: String? = nil,
        from others: [String] = []
    ) -> MigrationStatement {
        MigrationStatement(
            .updateRows(table, from: others),
            "UPDATE \(SQLText.identifier(table)) SET \(change)\(condition == nil ? "" : " WHERE ")",
            condition ?? "")
    }

    /// Deletes rows of a table.
    ///
    /// - Parameter others: The other tables that are read.
    package static func delete(
        from table: String, where condition: String, reading others: [String] = []
    ) -> MigrationStatement {
        MigrationStatement(
            .deleteRows(table, from: others),
            "DELETE FROM \(SQLText.identifier(table)) WHERE \(condition)")
    }

    /// Drops a table.
    package static func drop(_ table: String) -> MigrationStatement {
        MigrationStatement(.dropTable(table), "DROP TABLE \(SQLText.identifier(table))")
    }

    /// Drops an index.
    package static func drop(index: String) -> MigrationStatement {
        MigrationStatement(.other, "DROP INDEX \(SQLText.identifier(index))")
    }

    /// Gives a table another name.
    package static func rename(_ table: String, to name: String) -> MigrationStatement {
        MigrationStatement(
            .renameTable(table, to: name),
            "ALTER TABLE \(SQLText.identifier(table)) RENAME TO \(SQLText.identifier(name))")
    }

    /// Adds a column to a table.
    ///
    /// - Parameter definition: The definition of the column.
    package static func add(
        _ column: String, _ definition: String, to table: String
    ) -> MigrationStatement {
        MigrationStatement(
            .addColumn(column, to: table),
            "ALTER TABLE \(SQLText.identifier(table)) ADD COLUMN \(definition)")
    }

    /// Gives the new table a column that only the old one has, with its values.
    package static func carry(
        _ column: Catalogue.Part, of table: String
    ) -> [MigrationStatement] {
        let newName = TableCopies.temporaryName(of: table)
        let new = SQLText.identifier(newName)
        let name = SQLText.identifier(column.name)
        let addition = add(column.name, column.definition, to: newName)
        // A column that SQLite computes cannot be written.
        if column.definition.uppercased().contains(" AS (")
            || column.definition.uppercased().contains(" AS(")
        {
            return [addition]
        }
        return [
            addition,
            .update(
                newName,
                set: """
                    \(name) = (SELECT old.\(name) FROM \(SQLText.identifier(table)) AS old \
                    WHERE old."_id" = \(new)."_id")
                    """, from: [table]),
        ]
    }
}

/// A column that has keys of another table.
package struct ForeignKey: Hashable, Sendable {
    package let table: String
    package let column: String
    package let destination: String

    /// The name of its constraint.
    package var name: String { "\(table).\(column).destination" }

    /// Drops the constraint.
    var removal: MigrationStatement {
        MigrationStatement(
            .dropForeignKey(name, of: table),
            "ALTER TABLE \(SQLText.identifier(table)) DROP CONSTRAINT \(SQLText.identifier(name))")
    }

    /// Adds the constraint. This checks all rows.
    ///
    /// - Parameter quoted: Writes the name of a table.
    package func addition(
        _ quoted: (String) -> String = SQLText.identifier
    ) -> MigrationStatement {
        MigrationStatement(
            .addForeignKey(name, of: table),
            """
            ALTER TABLE \(quoted(table)) \
            ADD CONSTRAINT \(SQLText.identifier(name)) \
            FOREIGN KEY (\(SQLText.identifier(column))) \
            REFERENCES \(quoted(destination)) ("_id") DEFERRABLE INITIALLY DEFERRED
            """)
    }
}

extension Table {
    /// The foreign keys of the table's columns.
    package var foreignKeys: [ForeignKey] {
        columns.compactMap { column in
            column.destination.map { ForeignKey(table: name, column: column.name, destination: $0) }
        }
    }
}

extension Schema {
    var foreignKeys: [ForeignKey] { tables.flatMap(\.foreignKeys) }
}

extension Table {
    /// The statement that creates the table, under its own or another name.
    func creation(named other: String? = nil) -> MigrationStatement {
        MigrationStatement(.createTable(other ?? name), createStatement(named: other))
    }

    /// Returns the statements that rebuild the table, with its rows. Its indexes are deleted.
    ///
    /// - Parameter columns: The columns that keep their values.
    func rebuilding(_ columns: [String]) -> [MigrationStatement] {
        let new = TableCopies.temporaryName(of: name)
        let list = SQLText.identifiers(columns)
        return [
            creation(named: new),
            MigrationStatement(
                .copyRows(RowCopy(name, to: new, columns)),
                "INSERT INTO \(SQLText.identifier(new)) (\(list))\n",
                "SELECT \(list)\nFROM \(SQLText.identifier(name))"),
            .drop(name),
            .rename(new, to: name),
        ]
    }

    /// The statement that creates an index of the table.
    package func creation(of index: TableIndex) -> MigrationStatement {
        MigrationStatement(
            .createIndex(index.name, on: name, unique: index.uniqueRows), index.createStatement)
    }
}

/// The statements around a migration.
package enum MigrationSQL {
    /// Switches foreign keys off; outside of a transaction only.
    package static let foreignKeysOff = "PRAGMA foreign_keys = OFF"
    /// Checks all tables and indexes, and the conditions that rows must meet. The result is the one
    /// row `ok`, or the problems.
    package static let integrityCheck = "PRAGMA integrity_check(5)"

    /// Checks all tables and indexes, without comparing them. The result has a row for each
    /// problem.
    package static let quickCheck = "PRAGMA quick_check(100)"
    /// Makes the connection ignore CHECK constraints.
    package static let checksOff = "PRAGMA ignore_check_constraints = ON"
    /// Undoes ``checksOff``.
    package static let checksOn = "PRAGMA ignore_check_constraints = OFF"

    /// Whether a row of ``quickCheck`` is about the file, and not about invalid values.
    package static func isDamage(_ finding: String) -> Bool {
        let ofValues = ["NULL value in ", "CHECK constraint failed", "non-", "NUMERIC ", "TEXT "]
        return finding != "ok" && !ofValues.contains { finding.hasPrefix($0) }
    }

    /// Switches foreign keys on; outside of a transaction only.
    package static let foreignKeysOn = "PRAGMA foreign_keys = ON"
    /// Lists dangling keys: table, row, destination, number of the key.
    package static let foreignKeyCheck = "PRAGMA foreign_key_check"

    /// Returns the statement that checks the foreign keys of one table.
    package static func foreignKeyCheck(of table: String) -> String {
        "\(foreignKeyCheck)(\(SQLText.identifier(table)))"
    }

    /// The views, in the order of their making: name and text.
    package static let views =
        "SELECT \"name\", \"sql\" FROM \"sqlite_schema\" WHERE \"type\" = 'view' ORDER BY rowid"

    /// The indexes that statements have made: name and text.
    package static let indexes =
        """
        SELECT "name", "sql" FROM "sqlite_schema" \
        WHERE "type" = 'index' AND "sql" IS NOT NULL ORDER BY rowid
        """

    /// Counts the rows of a table.
    package static func count(of table: Table) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table.name))"
    }
}
