import CambiumModel

/// The tables of a store's history and the statements about them.
///
/// Triggers number the changes (``HistoryTriggers``). The writer says at the end which changes are
/// its transaction: those after the last one of the transaction before. So a transaction is a range
/// of numbers, and a position in the history is one number.
package enum HistorySQL {
    /// What the names of its tables, indexes and triggers begin with. Those of a model begin with a
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

    /// An expression that says whether all tables exist.
    static let areThere = """
        (SELECT count(*) FROM "sqlite_schema" WHERE "type" = 'table' AND "name" IN \
        ('_history_transactions', '_history_changes', '_history_values')) = 3
        """

    // MARK: Writing

    /// Makes a transaction of the changes that belong to none yet; nothing where there are none.
    /// Parameters: the date, the author, the context's name, the process's name and number, and
    /// what tells the writer apart.
    package static let record = """
        INSERT INTO \(transactions) \
        ("last", "first", "number", "date", "author", "context", "process", "processID", "writer") \
        SELECT c."last", t."last" + 1, t."number" + 1, ?, ?, ?, ?, ?, ? \
        FROM (SELECT coalesce(max("number"), 0) AS "last" FROM \(changes)) AS c CROSS JOIN \
        (SELECT coalesce(max("last"), 0) AS "last", coalesce("number", 0) AS "number" \
        FROM \(transactions)) AS t WHERE c."last" > t."last"
        """

    /// Says that a row which was taken out and put back was changed: the entity, the key and the
    /// names of the properties, each after a space.
    package static let recordMove = """
        INSERT INTO \(changes) ("kind", "entity", "key", "properties") VALUES (1, ?, ?, ?)
        """

    /// Forgets the objects that a row references which was taken out and put back, where it references
    /// them as before: both changes of its table named them. Parameters: the last change before it was
    /// taken out, the last one then, and the last one before it was put back.
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

    /// Takes a property out of the changes of the objects whose keys are in `pending`. Parameters: its
    /// name after a space, the last change before those that are meant, and the entity.
    package static let forgetProperty = """
        UPDATE \(changes) \
        SET "properties" = rtrim(replace("properties" || ' ', ?1 || ' ', ' ')) \
        WHERE "number" > ?2 AND "kind" = 1 AND "entity" = ?3 \
        AND "key" IN (SELECT key FROM pending) AND instr("properties" || ' ', ?1 || ' ') > 0
        """

    // MARK: Reading

    /// Where the history ends and begins: the number of the last change, that of the last one in a
    /// transaction, the number of that transaction, and that of the last change that was purged.
    package static let bounds = """
        SELECT (SELECT coalesce(max("number"), 0) FROM \(changes)), coalesce(max("last"), 0), \
        coalesce("number", 0), \
        coalesce((SELECT "first" - 1 FROM \(transactions) ORDER BY "last" LIMIT 1), 0) \
        FROM \(transactions)
        """

    /// How many transactions there are, and the dates of the first and the last one.
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

    /// The last change of the transactions before the one that ends with a change; NULL where there
    /// are none.
    package static let lastBeforeChange = """
        SELECT max("last") FROM \(transactions) WHERE "last" < ?
        """

    /// The last change before the first transaction of a date or later; no row where there is none.
    package static let lastBeforeDate = """
        SELECT "first" - 1 FROM \(transactions) WHERE "date" >= ? AND "first" <= "last" \
        ORDER BY "last" LIMIT 1
        """

    /// The oldest transactions, as many as the parameter says: last change, number, date.
    package static let oldest = """
        SELECT "last", "number", "date" FROM \(transactions) WHERE "first" <= "last" \
        ORDER BY "last" LIMIT ?
        """

    /// Removes everything up to a change, which each statement has as its parameter.
    ///
    /// Numbers are never given again: the last change and the last transaction stay as rows, the
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

/// What a store's metadata say about its history.
package struct HistorySettings: Sendable, Equatable {
    /// What is kept of a change.
    package enum Content: String, Sendable {
        /// The object and the names of its changed properties.
        case properties
        /// The values before and after, too.
        case values
    }

    /// What is kept of a change.
    package var content: Content
    /// Tells this history apart from an earlier one of the same store, whose numbers mean nothing
    /// in it.
    package var epoch: UUID

    package init(content: Content, epoch: UUID) {
        self.content = content
        self.epoch = epoch
    }

    /// The names of the rows of the metadata.
    package static let contentName = "history"
    package static let epochName = "history.epoch"

    /// Reads the rows that ``init(rows:)`` understands; none where another program has removed the
    /// tables.
    package static let query = """
        SELECT "name", "value" FROM "_metadata" WHERE "name" IN ('\(contentName)', '\(epochName)') \
        AND \(HistorySQL.areThere)
        """

    /// - Returns: Nil where the store has no history.
    package init?(rows: [[StoredValue]]) {
        func value(_ name: String) -> String? {
            rows.last { $0.count == 2 && $0[0] == .text(name) }?[1].text
        }
        guard let content = value(Self.contentName).flatMap(Content.init(rawValue:)),
            let epoch = value(Self.epochName).flatMap(UUID.init(uuidString:))
        else { return nil }
        self.init(content: content, epoch: epoch)
    }

    /// What makes the metadata say this.
    package var writeStatements: [String] { writeStatements(in: Self.table) }

    /// The same for metadata in another table.
    package func writeStatements(in table: String) -> [String] {
        Self.removeStatements(in: table)
            + [(Self.contentName, content.rawValue), (Self.epochName, epoch.uuidString)].map {
                """
                INSERT INTO \(table) ("name", "value") VALUES \
                ('\($0)', \(SQLText.literal($1)))
                """
            }
    }

    /// What makes the metadata say that there is no history.
    package static let removeStatements = removeStatements(in: table)

    /// The same for metadata in another table.
    package static func removeStatements(in table: String) -> [String] {
        ["DELETE FROM \(table) WHERE \"name\" IN ('\(contentName)', '\(epochName)')"]
    }

    private static let table = SQLText.identifier(MetadataSQL.table)
}
