import CambiumModel

/// The triggers that write a store's history. Each change of a row, by any program, writes exactly
/// one change of it, in the same transaction.
///
/// - An object's row writes the object, with the names of the properties whose columns differ.
/// - A to-one with an inverse writes the objects that it referenced and references, with the name
///   of the inverse.
/// - A pair of a join table writes the objects at both ends. A position in a list writes the owner.
///
/// A save may change an object several times. Reading the history combines these into one change.
package struct HistoryTriggers: Sendable {
    /// The triggers, in the order of the tables.
    package let triggers: [StoreTrigger]

    /// - Parameter schema: The tables of the model's stores.
    package init(of schema: Schema, _ model: Model, _ content: HistorySettings.Content) {
        triggers = schema.tables.flatMap { table -> [StoreTrigger] in
            switch table.content {
            case .objects(let root):
                guard let root = model.entity(named: root) else { return [] }
                return ObjectHistory(table, root, model, keepsValues: content == .values).triggers
            case .links:
                return LinkHistory(table, model)?.triggers ?? []
            case .system:
                return []
            }
        }
    }
}

/// The version of a row that a trigger uses.
enum RowVersion: String {
    case old = "OLD"
    case new = "NEW"

    func column(_ name: String) -> String { "\(rawValue).\(SQLText.identifier(name))" }
}

/// The numbers that kinds of changes have in the history.
enum HistoryKind: Int {
    case insert, update, delete
}

/// The statements inside of triggers.
enum HistoryWriting {
    /// Writes a change.
    ///
    /// - Parameters:
    ///   - entity: An expression of the name of the entity.
    ///   - key: An expression of the key.
    ///   - properties: An expression of the names of the changed properties, each after a space.
    ///   - condition: When; nil for always.
    @inline(never)
    static func change(
        _ kind: HistoryKind, entity: String, key: String, properties: String = "''",
        where condition: String? = nil
    ) -> String {
        """
        INSERT INTO \(HistorySQL.changes) ("kind", "entity", "key", "properties") \
        SELECT \(kind.rawValue), \(entity), \(key), \(properties)
        """
            + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Writes a value of the change that was written last.
    static func value(
        of column: String, old: String, new: String, where condition: String
    ) -> String {
        """
        INSERT INTO \(HistorySQL.values) ("change", "column", "old", "new") \
        SELECT last_insert_rowid(), \(SQLText.literal(column)), \(old), \(new) \
        WHERE \(condition)
        """
    }

    /// The name of a property as a list has it.
    static func property(_ name: String) -> String { SQLText.literal(" " + name) }

    static func trigger(
        _ event: String, named name: String, on table: String, _ statements: [String]
    ) -> StoreTrigger {
        let fullName = "\(StoreTrigger.historyPrefix)\(table).\(name)"
        let body = statements.map { "    \($0);\n" }.joined()
        return StoreTrigger(
            name: fullName, table: table,
            createStatement: """
                CREATE TRIGGER \(SQLText.identifier(fullName)) AFTER \(event)\n\
                BEGIN\n\(body)END
                """)
    }
}

/// A trigger of a store: one of its history, or one that another program has made.
package struct StoreTrigger: Sendable {
    /// The trigger's name.
    package let name: String
    /// The table or view that it belongs to.
    package let table: String
    /// The statement that creates it.
    package let createStatement: String

    /// The prefix of the names of the history's triggers. Names of a model begin with a letter.
    static let historyPrefix = "_history."

    init(name: String, table: String, createStatement: String) {
        self.name = name
        self.table = table
        self.createStatement = createStatement
    }

    /// Reads a row of ``query``.
    package init?(row: [StoredValue]) {
        guard row.count == 3, case .text(let name) = row[0], case .text(let table) = row[1],
            case .text(let statement) = row[2]
        else { return nil }
        self.init(name: name, table: table, createStatement: statement)
    }

    /// All triggers of a store: name, table, text.
    package static let query = """
        SELECT "name", "tbl_name", "sql" FROM "sqlite_schema" WHERE "type" = 'trigger' ORDER BY 1
        """

    /// Whether the trigger writes the history.
    package var isOfHistory: Bool { name.hasPrefix(Self.historyPrefix) }

    /// The statement that removes it.
    package var dropStatement: String { "DROP TRIGGER \(SQLText.identifier(name))" }
}

/// The triggers of the table of a root entity and its sub-entities.
final class ObjectHistory {
    private let table: Table
    private let root: Entity
    private let model: Model
    private let keepsValues: Bool
    private let recorded: RecordedObjects
    private var owners: [RecordedOwner] { recorded.owners }

    init(_ table: Table, _ root: Entity, _ model: Model, keepsValues: Bool) {
        self.table = table
        self.root = root
        self.model = model
        self.keepsValues = keepsValues
        recorded = RecordedObjects(of: table, model)
    }

    var triggers: [StoreTrigger] {
        let name = SQLText.identifier(table.name)
        return [
            HistoryWriting.trigger(
                "INSERT ON \(name)", named: "insert", on: table.name,
                [HistoryWriting.change(.insert, entity: entity(.new), key: key(.new))]
                    + recorded.columns.filter { _ in keepsValues }.map { value(of: $0, .new) }
                    + owners.map { $0.touch(.new) }),
            HistoryWriting.trigger(
                "UPDATE OF \(settableColumns) ON \(name)", named: "update", on: table.name,
                [
                    HistoryWriting.change(
                        .update, entity: entity(.new), key: key(.new), properties: changedNames)
                ] + recorded.columns.filter { _ in keepsValues }.map(difference)
                    + owners.flatMap { [$0.touchIfChanged(.old), $0.touchIfChanged(.new)] }),
            HistoryWriting.trigger(
                "DELETE ON \(name)", named: "delete", on: table.name,
                [HistoryWriting.change(.delete, entity: entity(.old), key: key(.old))]
                    + recorded.columns.filter { keepsValues || $0.isPreserved }
                    .map { value(of: $0, .old) } + owners.map { $0.touch(.old) }),
        ] + owners.compactMap { $0.placeTrigger }
    }

    private func entity(_ version: RowVersion) -> String {
        model.hasSubentities(root)
            ? version.column(SystemColumn.entity) : SQLText.literal(root.name)
    }

    private func key(_ version: RowVersion) -> String { version.column(SystemColumn.key) }

    /// The columns that a statement may set. A position in a list is not included, because it is a
    /// change of the owner.
    private var settableColumns: String {
        let columns = table.columns.filter { column in
            if case .position = column.content { return false }
            return !column.isGenerated && column.name != SystemColumn.key
        }
        return SQLText.identifiers(columns.names)
    }

    // MARK: Names

    /// The names of the properties that differ.
    private var changedNames: String {
        let terms = recorded.properties.map { name, columns in
            let differs = columns.map(Self.differs).joined(separator: " OR ")
            return "CASE WHEN \(differs) THEN \(HistoryWriting.property(name)) ELSE '' END"
        }
        return Self.concatenation(of: terms[...])
    }

    /// As a tree: SQLite has a limit to the depth of expressions, and a row may have a thousand
    /// properties.
    private static func concatenation(of terms: ArraySlice<String>) -> String {
        guard terms.count > 4 else {
            return terms.isEmpty ? "''" : terms.joined(separator: " || ")
        }
        let middle = terms.startIndex + terms.count / 2
        return
            "(\(concatenation(of: terms[..<middle]))) || (\(concatenation(of: terms[middle...])))"
    }

    static func differs(_ column: String) -> String {
        "\(RowVersion.old.column(column)) IS NOT \(RowVersion.new.column(column))"
    }

    // MARK: Values

    /// A value of a new or deleted row.
    private func value(of column: RecordedObjects.Column, _ version: RowVersion) -> String {
        let value = version.column(column.name)
        return HistoryWriting.value(
            of: column.name, old: version == .old ? value : "NULL",
            new: version == .new ? value : "NULL", where: "\(value) IS NOT NULL")
    }

    /// Writes a value of a changed row if it differs. The entity of a key belongs to the key.
    private func difference(_ column: RecordedObjects.Column) -> String {
        let condition = ([column.name] + (column.key.map { [$0] } ?? []))
            .map(Self.differs).joined(separator: " OR ")
        return HistoryWriting.value(
            of: column.name, old: RowVersion.old.column(column.name),
            new: RowVersion.new.column(column.name), where: condition)
    }
}

extension RecordedOwner {
    /// Writes the owner that a row references.
    func touch(_ version: RowVersion) -> String {
        touch(version, where: "\(version.column(key)) IS NOT NULL")
    }

    /// Writes the owner that a row referenced or references, if it changed.
    func touchIfChanged(_ version: RowVersion) -> String {
        touch(
            version,
            where: "\(version.column(key)) IS NOT NULL AND \(ObjectHistory.differs(key))")
    }

    /// The trigger that writes the owner of a list if a row gets another position in it.
    var placeTrigger: StoreTrigger? {
        positionColumn.map { position in
            HistoryWriting.trigger(
                "UPDATE OF \(SQLText.identifier(position)) ON \(SQLText.identifier(table))",
                named: "place.\(position)", on: table,
                [
                    touch(
                        .new,
                        where: """
                            \(RowVersion.new.column(key)) IS NOT NULL \
                            AND \(ObjectHistory.differs(position))
                            """)
                ])
        }
    }

    private func touch(_ version: RowVersion, where condition: String) -> String {
        let literal = SQLText.literal(destination)
        return HistoryWriting.change(
            .update,
            entity: entityColumn.map { "coalesce(\(version.column($0)), \(literal))" } ?? literal,
            key: version.column(key), properties: HistoryWriting.property(inverse),
            where: condition)
    }
}

/// The triggers of a join table.
struct LinkHistory {
    private let table: Table
    private let ends: [RecordedEnd]

    /// - Returns: Nil if the model does not have the table's relationship.
    init?(_ table: Table, _ model: Model) {
        guard let ends = RecordedEnd.ends(of: table, model) else { return nil }
        self.table = table
        self.ends = ends
    }

    var triggers: [StoreTrigger] {
        let name = SQLText.identifier(table.name)
        return [
            HistoryWriting.trigger(
                "INSERT ON \(name)", named: "insert", on: table.name,
                ends.map { touch($0, .new) }),
            HistoryWriting.trigger(
                "DELETE ON \(name)", named: "delete", on: table.name,
                ends.map { touch($0, .old) }),
        ]
            + ends.compactMap { end in
                end.position.map { position in
                    HistoryWriting.trigger(
                        "UPDATE OF \(SQLText.identifier(position)) ON \(name)",
                        named: "place.\(position)", on: table.name,
                        [touch(end, .new, where: ObjectHistory.differs(position))])
                }
            }
    }

    private func touch(
        _ end: RecordedEnd, _ version: RowVersion, where condition: String? = nil
    ) -> String {
        HistoryWriting.change(
            .update, entity: entity(of: end, version), key: version.column(end.column),
            properties: HistoryWriting.property(end.relationship), where: condition)
    }

    /// Returns the entity of the object at an end. The object's own row contains it.
    private func entity(of end: RecordedEnd, _ version: RowVersion) -> String {
        let literal = SQLText.literal(end.entity)
        guard let table = end.tableOfEntities else { return literal }
        return """
            coalesce((SELECT \(SQLText.identifier(SystemColumn.entity)) \
            FROM \(SQLText.identifier(table)) \
            WHERE \(SQLText.identifier(SystemColumn.key)) = \(version.column(end.column))), \
            \(literal))
            """
    }
}
