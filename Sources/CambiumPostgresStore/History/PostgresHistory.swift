import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Synchronization

/// The history of an open store.
final class PostgresHistory: Sendable {
    /// The identifier of this opened store. It distinguishes its transactions from those of other
    /// programs.
    let writer: String
    let sql: PostgresHistorySQL
    let retention: HistoryRetention?
    private let layout: PostgresLayout
    /// The recorded properties of each table; nil until the store has a history.
    private let known = Mutex<RecordedTables?>(nil)

    private static let removedAtOnce = 1_000
    /// The number of transactions that a save removes at most.
    private static let removedBySave = 2

    /// - Throws: If no UUID can be generated.
    init(_ layout: PostgresLayout, _ retention: HistoryRetention?) throws {
        self.layout = layout
        self.retention = retention
        writer = try UUID.random().uuidString
        sql = PostgresHistorySQL(layout)
    }

    // MARK: Writing

    /// Returns the recorder that notes the changes of a transaction.
    ///
    /// - Parameter beginning: The rows of ``PostgresHistorySQL/beginning`` in that transaction.
    /// - Returns: Nil if the store has no history now.
    func recorder(_ beginning: PostgresRows) -> PostgresRecorder? {
        guard let settings = HistorySettings(beginning),
            let row = (0..<beginning.count).first(where: { !beginning.isNull($0, 2) })
        else { return nil }
        return PostgresRecorder(
            recording: recording(settings.content), transaction: beginning.integer(row, 2))
    }

    private func recording(_ content: HistorySettings.Content) -> PostgresRecording {
        let tables = known.withLock { known -> RecordedTables in
            if let known { return known }
            let tables = RecordedTables(layout)
            known = tables
            return tables
        }
        return PostgresRecording(
            layout: layout, tables: tables, changes: sql.changes, keepsValues: content == .values)
    }

    /// Returns the statements that end the transaction of a recorder. They run just before the
    /// commit, because readers of the history may have to wait until then.
    ///
    /// - Parameter numbers: Whether the transaction may get its number. If it sees an old state,
    ///   this would conflict with all other transactions.
    func ending(
        _ recorder: PostgresRecorder?, by author: TransactionAuthor, numbers: Bool = true
    ) -> [PostgresStatement] {
        guard let recorder else { return [] }
        let id = recorder.transaction
        guard numbers else { return [sql.record(id, by: author, writer: writer, numbers: false)] }
        return [sql.record(id, by: author, writer: writer)]
            + (retention.map {
                [sql.removeOverdue($0, after: id, atMost: Self.removedBySave)]
            } ?? [])
    }

    // MARK: Setting up

    /// Turns the history of a store on or off, as the options say, and removes transactions that
    /// the retention does not keep. The caller must not have begun a transaction.
    ///
    /// - Parameter triggers: Whether triggers note the writes of other programs; nil keeps the
    ///   setting of the store.
    func setUp(
        _ options: StoreOptions, triggers: Bool?, _ connection: PostgresConnection
    ) throws {
        let found = Found(try connection.run([sql.settings])[0])
        var current = found.settings
        if try needsChange(found, options.history, triggers, connection) {
            current = try connection.transaction {
                do {
                    // Readers wait behind this lock. It waits no longer than busyTimeout, because
                    // the transaction began with that limit.
                    _ = try connection.run(sql.lock)
                    return try apply(options.history, triggers: triggers, connection)
                } catch let error as PostgresError where error.state == PostgresError.lockTimeout {
                    throw StoreError(
                        code: .busy,
                        message: "The history of the store cannot be turned on or off, because "
                            + "other transactions have used it for longer than \(options.busyTimeout).",
                        remedy: "Try again, or set a longer StoreOptions.busyTimeout.",
                        underlying: error)
                }
            }
        }
        if let retention, current != nil {
            try purge(connection) { sql.removeOverdue(retention, after: nil, atMost: $0) }
        }
    }

    /// The history settings in the metadata.
    private struct Found {
        let settings: HistorySettings?
        let hasTriggers: Bool

        init(_ rows: PostgresRows) {
            settings = HistorySettings(rows)
            hasTriggers =
                settings != nil
                && (0..<rows.count).contains { rows.text($0, 0) == PostgresHistoryTriggers.name }
        }
    }

    private func needsChange(
        _ found: Found, _ tracking: HistoryTracking, _ triggers: Bool?,
        _ connection: PostgresConnection
    ) throws -> Bool {
        let content = tracking.content(after: found.settings?.content)
        guard content == found.settings?.content else { return true }
        guard let content else { return false }
        let isOn = triggers ?? found.hasTriggers
        if isOn != found.hasTriggers { return true }
        // Another program may have removed or disabled one.
        return try isOn
            && !self.triggers(content).changes(isOn: true, connection).isEmpty
    }

    func triggers(_ content: HistorySettings.Content) -> PostgresHistoryTriggers {
        PostgresHistoryTriggers(recording: recording(content), sql: sql)
    }

    /// Begins a new history, in the caller's transaction. Tokens of an earlier history are expired.
    func restart(_ tracking: HistoryTracking, _ connection: PostgresConnection) throws {
        _ = try connection.run(sql.lock)
        _ = try apply(.off, triggers: nil, connection)
        _ = try apply(tracking, triggers: nil, connection)
    }

    private func apply(
        _ tracking: HistoryTracking, triggers: Bool?, _ connection: PostgresConnection
    ) throws -> HistorySettings? {
        // Another process may have been faster.
        let found = Found(try connection.run([sql.settings])[0])
        let content = tracking.content(after: found.settings?.content)
        let isOn = content != nil && (triggers ?? found.hasTriggers)
        let changes = try self.triggers(content ?? .properties).changes(isOn: isOn, connection)
        guard let content else {
            _ = try connection.run(
                (changes + sql.dropStatements
                    + HistorySettings.removeStatements(in: layout.metadata) + [sql.removeNote])
                    .map { PostgresStatement($0) })
            return nil
        }
        var settings =
            try found.settings ?? HistorySettings(content: content, epoch: UUID.random())
        settings.content = content
        // Another program may have left some of the tables.
        let tables = found.settings == nil ? sql.dropStatements + sql.createStatements : []
        _ = try connection.run(
            (tables + settings.writeStatements(in: layout.metadata) + changes + [sql.removeNote]
                + (isOn ? [sql.noteTriggers] : [])).map { PostgresStatement($0) })
        return settings
    }

    // MARK: Migrating

    /// Waits for other programs that write to tables with triggers, and locks these tables against
    /// writes. The caller's transaction migrates the store.
    ///
    /// - Returns: The settings of the history, and whether the store has triggers.
    func hold(
        _ connection: PostgresConnection
    ) throws -> (settings: HistorySettings?, hasTriggers: Bool) {
        let found = Found(try connection.run([sql.settings])[0])
        guard let settings = found.settings, found.hasTriggers else {
            return (found.settings, false)
        }
        let tables = try triggers(settings.content).tables(connection)
            .map { "\(layout.schema).\(SQLText.identifier($0))" }
        if !tables.isEmpty {
            _ = try connection.run(
                "LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE")
        }
        return (settings, true)
    }

    /// The tables with triggers that note the writes of other programs.
    func recordedTables(_ connection: PostgresConnection) throws -> [String] {
        let found = Found(try connection.run([sql.settings])[0])
        guard let settings = found.settings, found.hasTriggers else { return [] }
        return try triggers(settings.content).tables(connection)
    }

    /// The table of metadata, with the schema.
    var metadata: String { layout.metadata }

    /// Creates the triggers of new tables, in the same transaction.
    func renewTriggers(_ connection: PostgresConnection) throws {
        guard let settings = HistorySettings(try connection.run([sql.settings])[0]) else { return }
        _ = try connection.run(
            triggers(settings.content).changes(isOn: true, connection)
                .map { PostgresStatement($0) })
    }

    // MARK: Reading

    /// Returns a reader of the history, in a transaction that the caller has begun.
    ///
    /// - Returns: Nil if the store has no history now.
    func reader(
        _ store: StoreIdentifier, _ version: PostgresVersion, _ connection: PostgresConnection
    ) throws -> PostgresHistoryReader? {
        let rows = try connection.run([sql.settings])[0]
        try version.require(rows)
        guard let settings = HistorySettings(rows) else { return nil }
        let bounds = try connection.run([sql.bounds])[0]
        guard bounds.count == 1 else { return nil }
        return PostgresHistoryReader(
            connection: connection, epoch: settings.epoch,
            bounds: (bounds.integer(0, 0), bounds.integer(0, 1)), isWhole: !bounds.boolean(0, 2),
            sql: sql, layout: layout, store: store)
    }

    /// The size of the history; nil if the store has none now.
    ///
    /// - Parameter bytes: The size of its tables.
    func size(
        _ connection: PostgresConnection, bytes: Int
    ) throws -> StoreStatistics.HistorySize? {
        let found = Found(try connection.run([sql.settings])[0])
        guard let settings = found.settings else { return nil }
        let rows = try connection.run([sql.extent])[0]
        func date(_ column: Int) -> Date? {
            rows.isNull(0, column)
                ? nil
                : Date(
                    timeIntervalSinceReferenceDate: PostgresTimestamp.seconds(
                        rows.integer(0, column)))
        }
        return StoreStatistics.HistorySize(
            content: settings.content.rawValue, transactions: Int(rows.integer(0, 0)),
            bytes: bytes, oldest: date(1), newest: date(2), recordsOthers: found.hasTriggers)
    }

    // MARK: Removing

    /// Removes transactions in parts, each in a transaction of its own: other programs cannot
    /// commit changes during such a transaction.
    ///
    /// - Parameter statement: Returns the statement that removes at most the given number of
    ///   transactions.
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

extension HistorySettings {
    /// The settings in the rows of ``PostgresHistorySQL/settings``; nil if the store has no
    /// history.
    init?(_ rows: PostgresRows) {
        self.init(rows: rows.namesAndValues)
    }
}
