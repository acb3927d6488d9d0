import CambiumModel
import CambiumPlan

/// How an engine says what a migration does to the history of a store.
package protocol HistoryDialect {
    /// A change of no object, so that the migration is a transaction in any case.
    var mark: String { get }
    /// Says of objects that they are deleted.
    ///
    /// - Parameters:
    ///   - shift: SQL for what is added to their keys in the history; nil where they stay.
    ///   - preserved: The columns whose values the history keeps of them.
    func deletions(of rows: RecordedRows, shift: String?, preserved: [CarriedColumn]) -> [String]
    /// Takes that back for the objects that tables have in the end.
    func survivors(_ tables: [(name: String, entities: [String])]) -> [String]
    /// Says that properties of objects may have other values.
    func update(of rows: RecordedRows, _ properties: [String]) -> String

    /// Gives entities other names in what was changed before.
    func renaming(entities: [(old: String, new: String)]) -> String
    /// Gives objects of entities other keys there.
    func shift(keysOf entities: [String], by shift: String) -> String
    /// Gives properties other names in the lists of those that were changed, or none.
    ///
    /// - Parameter changes: Nil where no property is left.
    func renaming(properties changes: [RenamedProperty]?, of entities: [String]) -> [String]
    /// Gives values of an entity's objects the names and the form of their new columns, and removes
    /// those that have none.
    ///
    /// - Parameters:
    ///   - columns: Those that are kept.
    ///   - areRenamed: Whether any has another name, or is not kept.
    func values(of entity: String, _ columns: [CarriedColumn], areRenamed: Bool) -> [String]
    /// What follows all statements about values.
    var afterValues: [String] { get }
}

/// The rows of an entity's objects.
package struct RecordedRows {
    /// The name that the history has for the entity.
    package let name: String
    package let table: String
    /// The entity that the rows of the table say they are of; nil where all of them are of one.
    package let entity: String?

    /// Selects them, with WHERE; empty where it is all of the table.
    package var condition: String {
        entity.map { " WHERE \"_entity\" = \(SQLText.literal($0))" } ?? ""
    }
}

/// A property that has another name.
package struct RenamedProperty: Equatable {
    package let from: String
    /// Nil where it was deleted.
    package let to: String?
}

/// A column whose values in a history are kept.
package struct CarriedColumn {
    package let old: String
    package let new: String
    /// What becomes of its values; nil where they stay.
    package var reference: Reference?
    /// What it is the column of; nil for those of relationships.
    package var attributes: (old: Attribute, new: Attribute)?

    init(old: String, new: String) { (self.old, self.new) = (old, new) }

    /// What a to-one references.
    package enum Reference {
        /// Keys, to which SQL for a number is added.
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

    /// What is in the history after the last transaction.
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

    /// SQL for a list of names, each after a space, with other names: one expression after the other,
    /// as SQLite's parser has a limit to the depth of each. Every name is put between spaces of its own, and has
    /// a mark first that no name has: two names may have been exchanged.
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
        // A mark that no name has: two columns may have been exchanged.
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
    /// SQL for a value, from SQL for the old one.
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
