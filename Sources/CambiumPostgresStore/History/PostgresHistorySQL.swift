import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The tables of a store's history.
///
/// ``PostgresRecorder`` makes each writing statement of a save note its changes. If the store has
/// triggers, they note the changes of other programs: see ``PostgresHistoryTriggers``.
///
/// The number of a transaction is its position in the history. No transaction may get a position
/// before one that was already read. A transaction locks the row of the last number until its
/// commit. Therefore only this transaction assigns numbers. It numbers itself and the committed
/// transactions without a number. A save takes the lock if it is free. Otherwise it stays without a
/// number until the next save, or until a program reads the history. Therefore no commit waits for
/// another commit.
///
/// Transactions without a number are numbered in the order of their ranks. A save gets its rank
/// when it holds all its locks. Therefore, if two transactions wrote the same object, the first one
/// has the lower number.
struct PostgresHistorySQL {
    private let names: PostgresHistoryNames
    var transactions: String { names.transactions }
    var changes: String { names.changes }
    /// One row: the number of the last transaction, and that of the last one that was removed.
    var state: String { names.state }
    /// The sequence of transaction ids. A transaction gets its id long before it has a number; the
    /// rows of its changes have the id.
    var sequence: String { names.sequence }
    private let metadata: String

    init(_ layout: PostgresLayout) {
        names = PostgresHistoryNames(layout)
        metadata = layout.metadata
    }

    /// Creates the tables. Values are stored in the form that they have on the wire.
    var createStatements: [String] {
        [
            "CREATE SEQUENCE \(sequence)",
            """
            CREATE TABLE \(state) ("last" bigint NOT NULL, "floor" bigint NOT NULL)
            """,
            "INSERT INTO \(state) (\"last\", \"floor\") VALUES (0, 0)",
            """
            CREATE TABLE \(transactions) (
                "id" bigint PRIMARY KEY,
                "rank" bigint NOT NULL,
                "number" bigint UNIQUE,
                "date" timestamptz NOT NULL,
                "author" text COLLATE "C",
                "context" text COLLATE "C",
                "process" text COLLATE "C",
                "processID" bigint,
                "writer" text COLLATE "C"
            )
            """,
            """
            CREATE INDEX \(SQLText.identifier("\(HistorySQL.prefix)_unnumbered")) \
            ON \(transactions) ("rank") WHERE "number" IS NULL
            """,
            """
            CREATE TABLE \(changes) (
                "transaction" bigint,
                "number" bigint GENERATED ALWAYS AS IDENTITY,
                "kind" smallint NOT NULL,
                "entity" text COLLATE "C" NOT NULL,
                "key" bigint NOT NULL,
                "properties" text COLLATE "C" NOT NULL DEFAULT '',
                "columns" text[] COLLATE "C",
                "old" bytea[],
                "new" bytea[],
                PRIMARY KEY ("transaction", "number")
            )
            """,
        ]
    }

    var tables: [String] { names.tables }

    /// Drops the tables and the sequence that exist.
    var dropStatements: [String] {
        tables.map { "DROP TABLE IF EXISTS \($0)" }
            + ["DROP SEQUENCE IF EXISTS \(sequence)"]
    }

    // MARK: Settings

    /// Selects the metadata of the store's version and history: the name, the value, and, if there
    /// is a history, the id for the changes of a new transaction.
    ///
    /// Until the transaction ends, other programs cannot turn the history on or off. The statement
    /// also sets a setting. It shows the triggers that the transaction records its changes itself.
    var beginning: PostgresStatement {
        PostgresStatement(
            """
            SELECT "name", "value", CASE WHEN "name" = '\(HistorySettings.contentName)' \
            THEN set_config('\(PostgresHistoryNames.saving)', \
            nextval(to_regclass(\(SQLText.literal(sequence))))::text, true)::bigint END \
            FROM \(metadata) \
            WHERE \(PostgresVersion.condition) OR \(isSetting)
            """)
    }

    /// Selects the same metadata without a new id, and whether triggers note the writes of other
    /// programs.
    var settings: PostgresStatement {
        PostgresStatement(
            "SELECT \"name\", \"value\" FROM \(metadata) "
                + "WHERE \(PostgresVersion.condition) OR \(isSetting)")
    }

    /// A condition for the history's metadata. It is false if another program has removed the
    /// tables.
    private var isSetting: String {
        let tables = [transactions, changes, state, sequence].map { name in
            " AND to_regclass(\(SQLText.literal(name))) IS NOT NULL"
        }
        let names = [
            HistorySettings.contentName, HistorySettings.epochName, PostgresHistoryTriggers.name,
        ]
        return "\"name\" IN (\(SQLText.literals(names)))" + tables.joined()
    }

    /// Records in the metadata that the store has triggers.
    var noteTriggers: String {
        """
        INSERT INTO \(metadata) ("name", "value") VALUES ('\(PostgresHistoryTriggers.name)', 'true')
        """
    }

    /// Deletes the record of ``noteTriggers``.
    var removeNote: String {
        "DELETE FROM \(metadata) WHERE \"name\" = '\(PostgresHistoryTriggers.name)'"
    }

    /// Waits for all transactions that have read the metadata, and blocks new ones.
    var lock: String { "LOCK TABLE \(metadata) IN ACCESS EXCLUSIVE MODE" }

    // MARK: Writing

    /// Inserts a transaction for the changes with an id, if there are any. The statement never
    /// waits.
    ///
    /// - Parameter numbers: Whether the transaction, and all others without a number, get their
    ///   numbers.
    func record(
        _ id: Int64, by author: TransactionAuthor, writer: String, numbers: Bool = true
    ) -> PostgresStatement {
        let process = ProcessInfo.processInfo
        var parameters = PostgresParameters()
        parameters.append(.integer(id), as: .bigint)
        for text in [author.name, author.contextName, process.processName, writer] {
            parameters.append(text.map { .text($0) } ?? .null, as: .text)
        }
        parameters.append(.integer(Int64(process.processIdentifier)), as: .bigint)
        let insertion = """
            INSERT INTO \(transactions) \
            ("id", "rank", "number", "date", "author", "context", "process", "writer", "processID") \
            SELECT $1, nextval(\(SQLText.literal(sequence))), \
            \(numbers ? "(SELECT s.\"last\" FROM s) + (SELECT count(*) FROM w) + 1" : "NULL"), \
            clock_timestamp(), $2, $3, $4, $5, $6 \
            WHERE EXISTS (SELECT FROM \(changes) WHERE "transaction" = $1)
            """
        guard numbers else { return PostgresStatement(insertion, parameters) }
        return PostgresStatement(
            """
            \(numbering(locking: "SKIP LOCKED")), i AS (\(insertion) RETURNING "number") \
            \(noteLast(of: "(SELECT \"number\" FROM u UNION ALL SELECT \"number\" FROM i)"))
            """, parameters)
    }

    /// Sets the id for the changes of a transaction that migrates the store.
    var beginMigration: String {
        """
        SELECT set_config('\(PostgresHistoryNames.saving)', \
        nextval(\(SQLText.literal(sequence)))::text, true)
        """
    }

    /// Inserts a transaction for the changes of a migration, if there are any.
    func recordMigration(author: String, context: String) -> String {
        let insertion = """
            INSERT INTO \(transactions) ("id", "rank", "number", "date", "author", "context") \
            SELECT i."id", nextval(\(SQLText.literal(sequence))), \
            (SELECT s."last" FROM s) + (SELECT count(*) FROM w) + 1, clock_timestamp(), \
            \(SQLText.literal(author)), \(SQLText.literal(context)) \
            FROM (SELECT current_setting('\(PostgresHistoryNames.saving)')::bigint AS "id") AS i \
            WHERE EXISTS (SELECT FROM \(changes) AS c WHERE c."transaction" = i."id")
            """
        return """
            \(numbering(locking: "")), i AS (\(insertion) RETURNING "number") \
            \(noteLast(of: "(SELECT \"number\" FROM u UNION ALL SELECT \"number\" FROM i)"))
            """
    }

    /// Gives numbers to all transactions that have none. If another transaction is doing this, the
    /// statement waits.
    var number: PostgresStatement {
        PostgresStatement("\(numbering(locking: "")) \(noteLast(of: "u"))")
    }

    /// The part of a statement that locks the last number and numbers transactions. It skips
    /// transactions that another one has numbered meanwhile.
    private func numbering(locking: String) -> String {
        """
        WITH s AS MATERIALIZED (SELECT "last" FROM \(state) FOR NO KEY UPDATE \(locking)), \
        w AS MATERIALIZED (SELECT "id", row_number() OVER (ORDER BY "rank") AS "place" \
        FROM \(transactions) WHERE "number" IS NULL AND EXISTS (SELECT FROM s)), \
        u AS (UPDATE \(transactions) AS t SET "number" = s."last" + w."place" FROM w, s \
        WHERE t."id" = w."id" AND t."number" IS NULL RETURNING t."number")
        """
    }

    private func noteLast(of numbers: String) -> String {
        """
        UPDATE \(state) SET "last" = x."last" \
        FROM (SELECT max(y."number") AS "last" FROM \(numbers) AS y) AS x \
        WHERE x."last" IS NOT NULL
        """
    }

    /// Removes the oldest transactions that the retention does not keep.
    ///
    /// - Parameters:
    ///   - id: The transaction of the caller. The statement removes transactions only if this one
    ///     has just got its number, because then it holds the lock. Nil if the caller has locked
    ///     the last number itself.
    ///   - limit: The number of transactions that are removed at most.
    func removeOverdue(
        _ retention: HistoryRetention, after id: Int64?, atMost limit: Int
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.integer(Int64(limit)), as: .bigint)
        var conditions: [String] = []
        if let count = retention.maximumCount {
            parameters.append(.integer(Int64(max(0, count))), as: .bigint)
            conditions.append("t.\"number\" <= s.\"last\" - $\(parameters.count)")
        }
        if let age = retention.maximumAge {
            let (seconds, attoseconds) = age.components
            parameters.append(.real(Double(seconds) + Double(attoseconds) / 1e18), as: .double)
            conditions.append(
                "t.\"date\" < clock_timestamp() - $\(parameters.count) * interval '1 second'")
        }
        if conditions.isEmpty { conditions.append("false") }
        var own = ""
        if let id {
            parameters.append(.integer(id), as: .bigint)
            own =
                " AND EXISTS (SELECT FROM \(transactions) "
                + "WHERE \"id\" = $\(parameters.count) AND \"number\" IS NOT NULL)"
        }
        return PostgresStatement(
            Self.purge(
                """
                SELECT t."number", t."id" FROM (SELECT "number", "id", "date" \
                FROM \(transactions) WHERE "number" IS NOT NULL\(own) \
                ORDER BY "number" LIMIT $1) AS t \
                CROSS JOIN \(state) AS s WHERE \(conditions.joined(separator: " OR "))
                """, self), parameters)
    }

    /// Removes the oldest transactions up to a number.
    func remove(through number: Int64, atMost limit: Int) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.integer(Int64(limit)), as: .bigint)
        parameters.append(.integer(number), as: .bigint)
        return PostgresStatement(
            Self.purge(
                """
                SELECT "number", "id" FROM \(transactions) WHERE "number" <= $2 \
                ORDER BY "number" LIMIT $1
                """, self), parameters)
    }

    /// Locks the row of the last number. Selects the last number and the last removed one.
    var lockState: PostgresStatement {
        PostgresStatement("SELECT \"last\", \"floor\" FROM \(state) FOR NO KEY UPDATE")
    }

    /// Removes transactions with their changes, and records the last removed number. The
    /// statement's count is that of the transactions.
    private static func purge(_ chosen: String, _ sql: PostgresHistorySQL) -> String {
        """
        WITH d AS MATERIALIZED (\(chosen)), \
        c AS (DELETE FROM \(sql.changes) AS c USING d WHERE c."transaction" = d."id"), \
        s AS (UPDATE \(sql.state) SET "floor" = d."floor" \
        FROM (SELECT max("number") AS "floor" FROM d) AS d WHERE d."floor" IS NOT NULL) \
        DELETE FROM \(sql.transactions) AS t USING d WHERE t."id" = d."id"
        """
    }
}
