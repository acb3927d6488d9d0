import CambiumModel
import CambiumPlan

/// The SQL by which an engine records a migration in the history of a store.
package protocol HistoryDialect {
    /// A statement that records a change without an object, so that each migration is a
    /// transaction.
    var mark: String { get }
    /// Records that objects are deleted.
    ///
    /// - Parameters:
    ///   - shift: SQL for the number that is added to the keys in the history, or nil if the keys
    ///     do not change.
    ///   - preserved: The columns of the deleted objects with values that the history keeps.
    func deletions(of rows: RecordedRows, shift: String?, preserved: [CarriedColumn]) -> [String]
    /// Removes the recorded deletions of objects that the tables contain in the end.
    func survivors(_ tables: [(name: String, entities: [String])]) -> [String]
    /// Records that the values of properties may have changed.
    func update(of rows: RecordedRows, _ properties: [String]) -> String

    /// Renames entities in earlier changes.
    func renaming(entities: [(old: String, new: String)]) -> String
    /// Shifts the keys of entities in earlier changes.
    func shift(keysOf entities: [String], by shift: String) -> String
    /// Renames properties in the lists of changed properties, or removes them.
    ///
    /// - Parameter changes: The renamed properties, or nil if no property is left.
    func renaming(properties changes: [RenamedProperty]?, of entities: [String]) -> [String]
    /// Converts the recorded values of an entity to the names and the form of the new columns.
    /// Values without a new column are deleted.
    ///
    /// - Parameters:
    ///   - columns: The kept columns.
    ///   - areRenamed: Whether a column was renamed or is not kept.
    func values(of entity: String, _ columns: [CarriedColumn], areRenamed: Bool) -> [String]
    /// The statements that run after all statements about values.
    var afterValues: [String] { get }
}

/// The rows of an entity's objects.
package struct RecordedRows {
    /// The name of the entity in the history.
    package let name: String
    package let table: String
    /// The entity in the rows' `_entity` column, or nil if the table has only one entity.
    package let entity: String?

    /// The WHERE clause that selects the rows. It is empty if all rows of the table are meant.
    package var condition: String {
        entity.map { " WHERE \"_entity\" = \(SQLText.literal($0))" } ?? ""
    }
}

/// A property with another name in the new version.
package struct RenamedProperty: Equatable {
    package let from: String
    /// The new name, or nil if the property was deleted.
    package let to: String?
}

/// A column with values that the history keeps.
package struct CarriedColumn {
    package let old: String
    package let new: String
    /// The conversion of the values, or nil if they do not change.
    package var reference: Reference?
    /// The attribute of the column in both versions, or nil if the column belongs to a
    /// relationship.
    package var attributes: (old: Attribute, new: Attribute)?

    init(old: String, new: String) { (self.old, self.new) = (old, new) }

    /// The conversion of the values of a to-one relationship.
    package enum Reference {
        /// Keys. The number that the SQL returns is added to them.
        case shifted(String)
        /// Names of entities.
        case renamed([(old: String, new: String)])
    }
}

/// The history of a store in SQLite.
struct SQLiteHistory: HistoryDialect {
    private static let changes = HistorySQL.changes
    private static let values = HistorySQL.values

    var mark: String {
        "INSERT INTO \(Self.changes) (\"kind\", \"entity\", \"key\") VALUES (1, '', 0)"
    }

    // MARK: The migration

    /// A condition that selects the changes after the last transaction.
    private static let isOfMigration =
        "> (SELECT coalesce(max(\"last\"), 0) FROM \(HistorySQL.transactions))"

    func deletions(
        of rows: RecordedRows, shift: String?, preserved: [CarriedColumn]
    ) -> [String] {
        let (table, name) = (SQLText.identifier(rows.table), SQLText.literal(rows.name))
        let condition = rows.condition
        let deletion =
            """
            INSERT INTO \(Self.changes) ("kind", "entity", "key") \
            SELECT \(HistoryKind.delete.rawValue), \(name), \
            "_id"\(shift.map { " + \($0)" } ?? "") FROM \(table)\(condition)
            """
        let tombstones = preserved.map { column in
            let (value, condition) = (
                SQLText.identifier(column.old),
                condition + (condition.isEmpty ? " WHERE " : " AND ")
            )
            return """
                INSERT INTO \(Self.values) ("change", "column", "old") \
                SELECT "number", \(SQLText.literal(column.new)), \(value) \
                FROM \(Self.changes) JOIN \(table) \
                ON "_id" = "key"\(shift.map { " - \($0)" } ?? "")\(condition)\
                "number" \(Self.isOfMigration) AND "kind" = \(HistoryKind.delete.rawValue) \
                AND "entity" = \(name) AND \(value) IS NOT NULL
                """
        }
        return [deletion] + tombstones
    }

    func survivors(_ tables: [(name: String, entities: [String])]) -> [String] {
        tables.map { table in
            """
            DELETE FROM \(Self.changes) \
            WHERE "kind" = \(HistoryKind.delete.rawValue) \
            AND "number" \(Self.isOfMigration) \
            AND "entity" IN (\(SQLText.literals(table.entities))) \
            AND "key" IN (SELECT "_id" FROM \(SQLText.identifier(table.name)))
            """
        } + [
            """
            DELETE FROM \(Self.values) WHERE "change" \(Self.isOfMigration) \
            AND "change" NOT IN (SELECT "number" FROM \(Self.changes))
            """
        ]
    }

    func update(of rows: RecordedRows, _ properties: [String]) -> String {
        let list = properties.map { " " + $0 }.joined()
        return """
            INSERT INTO \(Self.changes) \
            ("kind", "entity", "key", "properties") \
            SELECT \(HistoryKind.update.rawValue), \(SQLText.literal(rows.name)), \
            "_id", \(SQLText.literal(list)) \
            FROM \(SQLText.identifier(rows.table))\(rows.condition)
            """
    }

    // MARK: Earlier changes

    func renaming(entities: [(old: String, new: String)]) -> String {
        let cases = entities.map { old, new in
            "WHEN \(SQLText.literal(old)) THEN \(SQLText.literal(new))"
        }
        return """
            UPDATE \(Self.changes) SET "entity" = CASE "entity" \(cases.joined(separator: " ")) \
            END WHERE "entity" IN (\(SQLText.literals(entities.map(\.old))))
            """
    }

    func shift(keysOf entities: [String], by shift: String) -> String {
        """
        UPDATE \(Self.changes) SET "key" = "key" + \(shift) \
        WHERE "entity" IN (\(SQLText.literals(entities)))
        """
    }

    func renaming(properties changes: [RenamedProperty]?, of entities: [String]) -> [String] {
        (changes.map(Self.lists) ?? ["''"]).map { list in
            """
            UPDATE \(Self.changes) SET "properties" = \(list) \
            WHERE "properties" <> '' AND "entity" IN (\(SQLText.literals(entities)))
            """
        }
    }

    /// Returns expressions that rename the names in a list, in which each name follows a space.
    /// They are run one after another, because SQLite limits the depth of an expression. Each name
    /// gets spaces on both sides. It is first replaced by a mark that is not a name, because two
    /// names may have been swapped.
    private static func lists(after changes: [RenamedProperty]) -> [String] {
        let marks = changes.enumerated().map { number, change in
            (" \(change.from) ", change.to == nil ? "" : " !\(number) ")
        }
        let names = changes.enumerated().compactMap { number, change in
            change.to.map { (" !\(number) ", " \($0) ") }
        }
        let replacements = marks + names + [("  ", " ")]
        let depth = 20
        return stride(from: 0, to: replacements.count, by: depth).map { start in
            let end = min(start + depth, replacements.count)
            let first =
                start == 0 ? "replace(\"properties\", ' ', '  ') || ' '" : "\"properties\""
            let list = replacements[start..<end].reduce(first) { list, replacement in
                let old = SQLText.literal(replacement.0)
                return "replace(\(list), \(old), \(SQLText.literal(replacement.1)))"
            }
            return end == replacements.count ? "rtrim(\(list))" : list
        }
    }

    func values(of entity: String, _ columns: [CarriedColumn], areRenamed: Bool) -> [String] {
        let changes =
            """
            "change" IN (SELECT "number" FROM \(Self.changes) \
            WHERE "entity" = \(SQLText.literal(entity)))
            """
        let references = columns.compactMap { column in
            column.reference.map { reference in
                """
                UPDATE \(Self.values) SET "old" = \(reference.value(of: "\"old\"")), \
                "new" = \(reference.value(of: "\"new\"")) WHERE \(changes) \
                AND "column" = \(SQLText.literal(column.old))
                """
            }
        }
        guard areRenamed else { return references }
        let kept = columns.ordered { $0.old < $1.old }
        let removal =
            """
            DELETE FROM \(Self.values) WHERE \(changes) \
            AND "column" NOT IN (\(SQLText.literals(kept.map(\.old))))
            """
        guard !kept.isEmpty else { return [removal] }
        // A mark that no name has is put first, because two columns may have been swapped.
        let cases = kept.map { column in
            "WHEN \(SQLText.literal(column.old)) THEN \(SQLText.literal(" " + column.new))"
        }
        return references + [
            removal,
            """
            UPDATE \(Self.values) SET "column" = CASE "column" \(cases.joined(separator: " ")) \
            END WHERE \(changes)
            """,
        ]
    }

    var afterValues: [String] {
        [
            "UPDATE \(Self.values) SET \"column\" = substr(\"column\", 2) WHERE \"column\" LIKE ' %'"
        ]
    }
}

extension CarriedColumn.Reference {
    /// Returns SQL for the new value from SQL for the old value.
    fileprivate func value(of old: String) -> String {
        switch self {
        case .shifted(let shift): return "\(old) + \(shift)"
        case .renamed(let names):
            let cases = names.map { old, new in
                "WHEN \(SQLText.literal(old)) THEN \(SQLText.literal(new)) "
            }
            return "CASE \(old) \(cases.joined())ELSE \(old) END"
        }
    }
}
