import CambiumModel

/// The tables of a store's history and the statements about them.
///
/// Triggers number the changes (``HistoryTriggers``). At the end, the writer records its
/// transaction: the changes after the last change of the previous transaction. A transaction is
/// therefore a range of numbers, and a position in the history is one number.
package enum HistorySQL {
    /// The prefix of the names of its tables, indexes and triggers. Names of a model begin with a
    /// letter.
    package static let prefix = "_history"

    static let transactions = "\"_history_transactions\""
    static let changes = "\"_history_changes\""
    static let values = "\"_history_values\""

    /// Makes the tables. A value has the type that it has in its column.
    package static let createStatements = [
        """
        CREATE TABLE \(transactions) (
            "last" INTEGER PRIMARY KEY,
            "first" INTEGER NOT NULL,
            "number" INTEGER NOT NULL,
            "date" REAL NOT NULL,
            "author" TEXT,
            "context" TEXT,
            "process" TEXT,
            "processID" INTEGER,
            "writer" TEXT
        ) STRICT
        """,
        """
        CREATE TABLE \(changes) (
            "number" INTEGER PRIMARY KEY,
            "kind" INTEGER NOT NULL,
            "entity" TEXT NOT NULL,
            "key" INTEGER NOT NULL,
            "properties" TEXT NOT NULL DEFAULT ''
        ) STRICT
        """,
        """
        CREATE TABLE \(values) (
            "change" INTEGER NOT NULL,
            "column" TEXT NOT NULL,
            "old" ANY,
            "new" ANY,
            PRIMARY KEY ("change", "column")
        ) STRICT, WITHOUT ROWID
        """,
    ]

    /// Removes the tables that exist.
    package static let dropStatements = [transactions, changes, values].map {
        "DROP TABLE IF EXISTS \($0)"
    }

    /// An expression for whether all tables exist.
    static let tablesExist = """
        (SELECT count(*) FROM "sqlite_schema" WHERE "type" = 'table' AND "name" IN \
        ('_history_transactions', '_history_changes', '_history_values')) = 3
        """

    // MARK: Writing

    /// Creates a transaction of the changes that belong to none yet; does nothing if there are
    /// none. Parameters: the date, the author, the context's name, the process's name and number,
    /// and an identifier of the writer.
    package static let record = """
        INSERT INTO \(transactions) \
        ("last", "first", "number", "date", "author", "context", "process", "processID", "writer") \
        SELECT c."last", t."last" + 1, t."number" + 1, ?, ?, ?, ?, ?, ? \
        FROM (SELECT coalesce(max("number"), 0) AS "last" FROM \(changes)) AS c CROSS JOIN \
        (SELECT coalesce(max("last"), 0) AS "last", coalesce("number", 0) AS "number" \
        FROM \(transactions)) AS t WHERE c."last" > t."last"
        """

    /// Records that a row that was removed and put back was changed. Parameters: the entity, the
    /// key and the names of the properties, each after a space.
    package static let recordMove = """
        INSERT INTO \(changes) ("kind", "entity", "key", "properties") VALUES (1, ?, ?, ?)
        """

    /// Deletes the changes of objects that a row references, if the row was removed and put back
    /// with the same references. Both the removal and the insertion recorded these changes.
    /// Parameters: the last change before the removal, the last change after it, and the last
    /// change before the row was put back.
    package static let forgetMove = """
        WITH "taken" AS (SELECT * FROM \(changes) \
        WHERE "number" > ?1 AND "number" <= ?2 AND "kind" = 1), \
        "put" AS (SELECT * FROM \(changes) WHERE "number" > ?3 AND "kind" = 1), \
        "same" AS (SELECT "taken"."number" AS "one", "put"."number" AS "other" \
        FROM "taken" JOIN "put" USING ("entity", "key", "properties")) \
        DELETE FROM \(changes) \
        WHERE "number" IN (SELECT "one" FROM "same" UNION ALL SELECT "other" FROM "same")
        """

    /// The number of the last change.
    package static let lastChange = "SELECT coalesce(max(\"number\"), 0) FROM \(changes)"

    /// Removes a property from the changes of the objects with keys in `pending`. Parameters: the
    /// property's name after a space, the last change before the affected ones, and the entity.
    package static let forgetProperty = """
        UPDATE \(changes) \
        SET "properties" = rtrim(replace("properties" || ' ', ?1 || ' ', ' ')) \
        WHERE "number" > ?2 AND "kind" = 1 AND "entity" = ?3 \
        AND "key" IN (SELECT key FROM pending) AND instr("properties" || ' ', ?1 || ' ') > 0
        """

    // MARK: Reading

    /// The end and the beginning of the history: the number of the last change, the last change in
    /// a transaction, the number of that transaction, and the last change that was purged.
    package static let bounds = """
        SELECT (SELECT coalesce(max("number"), 0) FROM \(changes)), coalesce(max("last"), 0), \
        coalesce("number", 0), \
        coalesce((SELECT "first" - 1 FROM \(transactions) ORDER BY "last" LIMIT 1), 0) \
        FROM \(transactions)
        """

    /// The number of transactions, and the dates of the first and the last one.
    package static let extent = """
        SELECT count(*), min("date"), max("date") FROM \(transactions) WHERE "first" <= "last"
        """

    /// The transactions after the change of that number: all columns in their order.
    package static let transactionsAfter = """
        SELECT "last", "first", "number", "date", "author", "context", "process", "processID", \
        "writer" FROM \(transactions) WHERE "last" > ? AND "first" <= "last" ORDER BY "last"
        """

    /// The changes from a number to a number: number, kind, entity, key, properties.
    package static let changesBetween = """
        SELECT "number", "kind", "entity", "key", "properties" FROM \(changes) \
        WHERE "number" BETWEEN ? AND ? ORDER BY "number"
        """

    /// The values of the changes from a number to a number: change, column, old, new.
    package static let valuesBetween = """
        SELECT "change", "column", "old", "new" FROM \(values) WHERE "change" BETWEEN ? AND ? \
        ORDER BY "change"
        """

    // MARK: Purging

    /// The last change of the transactions before the one that ends with a change; NULL if there
    /// are none.
    package static let lastBeforeChange = """
        SELECT max("last") FROM \(transactions) WHERE "last" < ?
        """

    /// The last change before the first transaction of a date or later; no row if there is none.
    package static let lastBeforeDate = """
        SELECT "first" - 1 FROM \(transactions) WHERE "date" >= ? AND "first" <= "last" \
        ORDER BY "last" LIMIT 1
        """

    /// The oldest transactions, up to the number in the parameter: last change, number, date.
    package static let oldest = """
        SELECT "last", "number", "date" FROM \(transactions) WHERE "first" <= "last" \
        ORDER BY "last" LIMIT ?
        """

    /// Removes everything up to a change. Each statement has the change as its parameter.
    ///
    /// Numbers are never used again: the last change and the last transaction stay as rows, the
    /// transaction without any change in it.
    package static let purge = [
        "DELETE FROM \(values) WHERE \"change\" <= ?",
        """
        DELETE FROM \(changes) WHERE "number" <= ? \
        AND "number" < (SELECT max("number") FROM \(changes))
        """,
        """
        DELETE FROM \(transactions) WHERE "last" <= ? \
        AND "last" < (SELECT max("last") FROM \(transactions))
        """,
        "UPDATE \(transactions) SET \"first\" = \"last\" + 1 WHERE \"last\" <= ?",
    ]
}

/// The settings of a store's history in its metadata.
package struct HistorySettings: Sendable, Equatable {
    /// The stored content of a change.
    package enum Content: String, Sendable {
        /// The object and the names of its changed properties.
        case properties
        /// The values before and after, too.
        case values
    }

    /// The stored content of a change.
    package var content: Content
    /// An identifier that distinguishes this history from an earlier one of the same store. Numbers
    /// of the earlier history are invalid in this one.
    package var epoch: UUID

    package init(content: Content, epoch: UUID) {
        self.content = content
        self.epoch = epoch
    }

    /// The names of the rows of the metadata.
    package static let contentName = "history"
    package static let epochName = "history.epoch"

    /// Reads the rows for ``init(rows:)``; none if another program has removed the tables.
    package static let query = """
        SELECT "name", "value" FROM "_metadata" WHERE "name" IN ('\(contentName)', '\(epochName)') \
        AND \(HistorySQL.tablesExist)
        """

    /// - Returns: Nil if the store has no history.
    package init?(rows: [[StoredValue]]) {
        func value(_ name: String) -> String? {
            rows.last { $0.count == 2 && $0[0] == .text(name) }?[1].text
        }
        guard let content = value(Self.contentName).flatMap(Content.init(rawValue:)),
            let epoch = value(Self.epochName).flatMap(UUID.init(uuidString:))
        else { return nil }
        self.init(content: content, epoch: epoch)
    }

    /// The statements that write these settings into the metadata.
    package var writeStatements: [String] { writeStatements(in: Self.table) }

    /// Returns the statements for metadata in another table.
    package func writeStatements(in table: String) -> [String] {
        Self.removeStatements(in: table)
            + [(Self.contentName, content.rawValue), (Self.epochName, epoch.uuidString)].map {
                """
                INSERT INTO \(table) ("name", "value") VALUES \
                ('\($0)', \(SQLText.literal($1)))
                """
            }
    }

    /// The statements that record in the metadata that there is no history.
    package static let removeStatements = removeStatements(in: table)

    /// Returns the statements for metadata in another table.
    package static func removeStatements(in table: String) -> [String] {
        ["DELETE FROM \(table) WHERE \"name\" IN ('\(contentName)', '\(epochName)')"]
    }

    private static let table = SQLText.identifier(MetadataSQL.table)
}
