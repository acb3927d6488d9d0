import CambiumModel

/// A trigger of a store: one of its history, or one that another program has made.
package struct StoreTrigger: Sendable, Hashable {
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

    /// The trigger that an object of a store is.
    package init(of object: StoreObject) {
        self.init(name: object.name, table: object.table, createStatement: object.sql)
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

    /// Whether another one is the same but for white space.
    package func isSame(as other: StoreTrigger) -> Bool {
        name == other.name && table == other.table
            && Catalogue.normalized(createStatement) == Catalogue.normalized(other.createStatement)
    }
}
