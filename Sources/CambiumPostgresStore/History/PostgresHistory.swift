import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import Synchronization

/// The tables of a store's history.
///
/// No trigger writes them: each statement of a save that writes rows notes what it does to them, by
/// ``PostgresRecorder``.
///
/// A position in the history is the number of a transaction, and nothing may come before it later.
/// So numbers are given in one order, to transactions that everybody sees or that are seen with the
/// number: by who has locked the row of the last number, until its commit. A save takes the lock
/// where it is free, and gives numbers to itself and to all that have none. Otherwise it leaves that
/// to the next one, or to who reads the history: nobody's commit waits for another one's.
///
/// Those without a number get theirs by their rank, which is drawn when a save holds all its locks.
/// So of two transactions that wrote one object, the first has the lower number.
struct PostgresHistorySQL {
    let transactions: String
    let changes: String
    /// One row: the number of the last transaction, and that of the last one that was removed.
    let state: String
    /// Gives each transaction what its changes are found by, long before it has a number.
    let sequence: String
    private let metadata: String

    init(_ layout: PostgresLayout) {
        func name(_ table: String) -> String { layout.qualified("\(HistorySQL.prefix)_\(table)") }
        transactions = name("transactions")
        changes = name("changes")
        state = name("state")
        sequence = name("sequence")
        metadata = layout.metadata
    }

    /// Makes the tables. Values have the form that they have on the wire.
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

    var tables: [String] { [transactions, changes, state] }

    /// Removes what exists of them.
    var dropStatements: [String] {
        tables.map { "DROP TABLE IF EXISTS \($0)" }
            + ["DROP SEQUENCE IF EXISTS \(sequence)"]
    }

    // MARK: Settings

    /// What the metadata say about the history: name, value, and what a new transaction's changes
    /// are found by, where there is a history.
    ///
    /// The transaction that reads it keeps others from turning the history on or off until it ends.
    var beginning: PostgresStatement {
        PostgresStatement(
            """
            SELECT "name", "value", CASE WHEN "name" = '\(HistorySettings.contentName)' \
            THEN nextval(to_regclass(\(SQLText.literal(sequence)))) END FROM \(metadata) \
            WHERE \(isSetting)
            """)
    }

    /// The same without a new transaction.
    var settings: PostgresStatement {
        PostgresStatement("SELECT \"name\", \"value\" FROM \(metadata) WHERE \(isSetting)")
    }

    /// None where another program has removed the tables.
    private var isSetting: String {
        let tables = [transactions, changes, state, sequence].map { name in
            " AND to_regclass(\(SQLText.literal(name))) IS NOT NULL"
        }
        return "\"name\" IN ('\(HistorySettings.contentName)', '\(HistorySettings.epochName)')"
            + tables.joined()
    }

    /// Waits until nobody is writing who has read what the metadata say, and keeps others from it.
    var lock: String { "LOCK TABLE \(metadata) IN ACCESS EXCLUSIVE MODE" }

    // MARK: Writing

    /// Makes a transaction of the changes that have an id; nothing where there are none. It waits
    /// for nobody.
    func record(_ id: Int64, by author: TransactionAuthor, writer: String) -> PostgresStatement {
        let process = ProcessInfo.processInfo
        var parameters = PostgresParameters()
        parameters.append(.integer(id), as: .bigint)
        for text in [author.name, author.contextName, process.processName, writer] {
            parameters.append(text.map { .text($0) } ?? .null, as: .text)
        }
        parameters.append(.integer(Int64(process.processIdentifier)), as: .bigint)
        return PostgresStatement(
            """
            \(numbering(locking: "SKIP LOCKED")), i AS (INSERT INTO \(transactions) \
            ("id", "rank", "number", "date", "author", "context", "process", "writer", "processID") \
            SELECT $1, nextval(\(SQLText.literal(sequence))), \
            (SELECT s."last" FROM s) + (SELECT count(*) FROM w) + 1, \
            clock_timestamp(), $2, $3, $4, $5, $6 \
            WHERE EXISTS (SELECT FROM \(changes) WHERE "transaction" = $1) RETURNING "number") \
            \(noteLast(of: "(SELECT \"number\" FROM u UNION ALL SELECT \"number\" FROM i)"))
            """, parameters)
    }

    /// Gives numbers to all transactions that have none. It waits for who is doing the same.
    var number: PostgresStatement {
        PostgresStatement("\(numbering(locking: "")) \(noteLast(of: "u"))")
    }

    /// What locks the last number, and gives transactions theirs. Another one may have been faster
    /// with some that the statement still sees without.
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

    /// Removes the oldest transactions that the retention does not want.
    ///
    /// - Parameters:
    ///   - id: Only where this transaction got a number just now, for which the last one was
    ///     locked; nil where the caller has locked it.
    ///   - limit: Of how many at most.
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

    /// Locks the row of the last number: last number, last removed one.
    var lockState: PostgresStatement {
        PostgresStatement("SELECT \"last\", \"floor\" FROM \(state) FOR NO KEY UPDATE")
    }

    /// Removes transactions with their changes, and notes how far. The count is theirs.
    private static func purge(_ chosen: String, _ sql: PostgresHistorySQL) -> String {
        """
        WITH d AS MATERIALIZED (\(chosen)), \
        c AS (DELETE FROM \(sql.changes) AS c USING d WHERE c."transaction" = d."id"), \
        s AS (UPDATE \(sql.state) SET "floor" = d."floor" \
        FROM (SELECT max("number") AS "floor" FROM d) AS d WHERE d."floor" IS NOT NULL) \
        DELETE FROM \(sql.transactions) AS t USING d WHERE t."id" = d."id"
        """
    }

    // MARK: Reading

    /// Where the history ends and begins: the last number, and the last one that was removed; and
    /// whether transactions have no number yet.
    var bounds: PostgresStatement {
        PostgresStatement(
            """
            SELECT "last", "floor", \
            EXISTS (SELECT FROM \(transactions) WHERE "number" IS NULL) FROM \(state)
            """)
    }

    /// The transactions after a number, as many as the limit says.
    func transactions(after number: Int64, limit: Int) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.integer(number), as: .bigint)
        parameters.append(.integer(Int64(limit)), as: .bigint)
        return PostgresStatement(
            """
            SELECT "number", "id", "date", "author", "context", "process", "processID", "writer" \
            FROM \(transactions) WHERE "number" > $1 ORDER BY "number" LIMIT $2
            """, parameters)
    }

    /// The changes of transactions, in the order in which they were written.
    ///
    /// - Parameters:
    ///   - entities: The names of the entities that are wanted; nil for all.
    ///   - keys: The keys of the objects that are wanted; nil for all.
    func changes(
        of ids: [Int64], entities: [String]?, keys: [Int64]?, readsValues: Bool
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: ids)
        var conditions = ["\"transaction\" = ANY($1)"]
        if let entities {
            parameters.appendArray(of: .text, count: entities.count) { index, bytes in
                bytes.append(contentsOf: entities[index].utf8)
                return true
            }
            conditions.append("\"entity\" = ANY($\(parameters.count))")
        }
        if let keys {
            parameters.appendArray(of: keys)
            conditions.append("\"key\" = ANY($\(parameters.count))")
        }
        let values = readsValues ? ", \"columns\", \"old\", \"new\"" : ""
        return PostgresStatement(
            """
            SELECT "transaction", "kind", "entity", "key", "properties"\(values) \
            FROM \(changes) WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY "transaction", "number"
            """, parameters)
    }

    /// The number of the last transaction before the first one of a date or later; no row where
    /// there is none.
    func last(before date: Date) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.real(date.timeIntervalSinceReferenceDate), as: .timestamp)
        return PostgresStatement(
            """
            SELECT "number" - 1 FROM \(transactions) WHERE "date" >= $1 ORDER BY "number" LIMIT 1
            """, parameters)
    }
}

extension HistorySettings {
    /// What the rows of ``PostgresHistorySQL/settings`` say; nil where the store has no history.
    init?(_ rows: PostgresRows) {
        self.init(
            rows: (0..<rows.count).map { row in
                [.text(rows.text(row, 0)), .text(rows.text(row, 1))]
            })
    }
}

/// The history of an open store.
final class PostgresHistory: Sendable {
    /// Tells the transactions of this opened store apart from those of others.
    let writer: String
    let sql: PostgresHistorySQL
    let retention: HistoryRetention?
    private let layout: PostgresLayout
    /// What is recorded of each table, as soon as the store has a history.
    private let known = Mutex<RecordedTables?>(nil)

    private static let removedAtOnce = 1_000
    /// So many a save removes at most.
    private static let removedBySave = 2

    /// - Throws: Where there is no new UUID.
    init(_ layout: PostgresLayout, _ retention: HistoryRetention?) throws {
        self.layout = layout
        self.retention = retention
        writer = try UUID.random().uuidString
        sql = PostgresHistorySQL(layout)
    }

    // MARK: Writing

    /// What notes the changes of a transaction.
    ///
    /// - Parameter beginning: The rows of ``PostgresHistorySQL/beginning`` in that transaction.
    /// - Returns: Nil where the store has no history now.
    func recorder(_ beginning: PostgresRows) -> PostgresRecorder? {
        guard let settings = HistorySettings(beginning),
            let row = (0..<beginning.count).first(where: { !beginning.isNull($0, 2) })
        else { return nil }
        let tables = known.withLock { known -> RecordedTables in
            if let known { return known }
            let tables = RecordedTables(layout)
            known = tables
            return tables
        }
        return PostgresRecorder(
            layout: layout, tables: tables, sql: sql, keepsValues: settings.content == .values,
            transaction: beginning.integer(row, 2))
    }

    /// What ends the transaction of a recorder, just before its commit: who reads the history may
    /// have to wait for that.
    func ending(
        _ recorder: PostgresRecorder?, by author: TransactionAuthor
    ) -> [PostgresStatement] {
        guard let recorder else { return [] }
        let id = recorder.transaction
        return [sql.record(id, by: author, writer: writer)]
            + (retention.map {
                [sql.removeOverdue($0, after: id, atMost: Self.removedBySave)]
            } ?? [])
    }

    // MARK: Setting up

    /// Gives a store that is opened the history that its options ask for, and removes what is too
    /// much. Inside of no transaction.
    func setUp(_ options: StoreOptions, _ connection: PostgresConnection) throws {
        var current = HistorySettings(try connection.run([sql.settings])[0])
        if options.history.content(after: current?.content) != current?.content {
            current = try connection.transaction {
                let (seconds, attoseconds) = options.busyTimeout.components
                let wait = Double(seconds) * 1_000 + Double(attoseconds) / 1e15
                let milliseconds = Int32(min(max(1, wait), Double(Int32.max)))
                do {
                    // Whoever reads waits behind this one.
                    _ = try connection.run([
                        PostgresStatement("SET LOCAL lock_timeout = \(milliseconds)"),
                        PostgresStatement(sql.lock),
                    ])
                } catch let error as PostgresError where error.state == PostgresError.lockTimeout {
                    throw StoreError(
                        code: .busy,
                        message: "The history of the store cannot be turned on or off, because "
                            + "others have been writing for longer than \(options.busyTimeout).",
                        remedy: "Try again, or set a longer StoreOptions.busyTimeout.",
                        underlying: error)
                }
                return try apply(options.history, connection)
            }
        }
        if let retention, current != nil {
            try purge(connection) { sql.removeOverdue(retention, after: nil, atMost: $0) }
        }
    }

    private func apply(
        _ tracking: HistoryTracking, _ connection: PostgresConnection
    ) throws -> HistorySettings? {
        // Another process may have been faster.
        let current = HistorySettings(try connection.run([sql.settings])[0])
        guard let content = tracking.content(after: current?.content) else {
            _ = try connection.run(
                (sql.dropStatements + HistorySettings.removeStatements(in: layout.metadata))
                    .map { PostgresStatement($0) })
            return nil
        }
        var settings = try current ?? HistorySettings(content: content, epoch: UUID.random())
        settings.content = content
        // Another program may have left some of the tables.
        let tables = current == nil ? sql.dropStatements + sql.createStatements : []
        _ = try connection.run(
            (tables + settings.writeStatements(in: layout.metadata)).map { PostgresStatement($0) })
        return settings
    }

    // MARK: Reading

    /// What reads the history, in a transaction that the caller has begun.
    ///
    /// - Returns: Nil where the store has none now.
    func reader(
        _ store: StoreIdentifier, _ connection: PostgresConnection
    ) throws -> PostgresHistoryReader? {
        guard let settings = HistorySettings(try connection.run([sql.settings])[0]) else {
            return nil
        }
        let rows = try connection.run([sql.bounds])[0]
        guard rows.count == 1 else { return nil }
        return PostgresHistoryReader(
            connection: connection, epoch: settings.epoch,
            bounds: (rows.integer(0, 0), rows.integer(0, 1)), isWhole: !rows.boolean(0, 2),
            sql: sql, layout: layout, store: store)
    }

    // MARK: Removing

    /// Removes transactions in parts, each in a transaction of its own: nobody else commits during
    /// one.
    ///
    /// - Parameter statement: Removes at most so many.
    func purge(
        _ connection: PostgresConnection, _ statement: (_ limit: Int) -> PostgresStatement
    ) throws {
        var isFinished = false
        while !isFinished {
            let removed = try connection.transaction {
                // Another process may have turned the history off.
                let settings = try connection.run([sql.settings])[0]
                guard HistorySettings(settings) != nil else { return 0 }
                let removal = statement(Self.removedAtOnce)
                return try connection.run([sql.number, sql.lockState, removal])[2].changes
            }
            isFinished = removed < Self.removedAtOnce
        }
    }
}
