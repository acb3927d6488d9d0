import CambiumModel

/// The triggers that write a store's history: each change of a row, by any program, writes exactly
/// one change of it, in the same transaction.
///
/// - An object's row writes the object, with the names of the properties whose columns differ.
/// - A to-one with an inverse writes the objects that it referenced and references, with the name
///   of the inverse.
/// - A pair of a join table writes the objects at both ends; a place in a list writes the owner.
///
/// A save may touch an object several times; reading the history makes one change of it.
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
            case .links(let entity, let relationship):
                return LinkHistory(table, entity, relationship, model)?.triggers ?? []
            case .system:
                return []
            }
        }
    }
}

/// Which version of a row a trigger looks at.
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
    /// The statement that makes it.
    package let createStatement: String

    /// What the names of the history's triggers begin with. Names of a model begin with a letter.
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

    /// Whether it writes the history.
    package var isOfHistory: Bool { name.hasPrefix(Self.historyPrefix) }

    /// The statement that removes it.
    package var dropStatement: String { "DROP TRIGGER \(SQLText.identifier(name))" }
}
