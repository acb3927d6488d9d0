import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import Synchronization

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

    /// What ends the transaction of a recorder, just before its commit: who reads the history may
    /// have to wait for that.
    ///
    /// - Parameter numbers: Whether it may give the transaction its number. One that sees an old state
    ///   would meet all others there.
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

    /// Gives a store that is opened the history that its options ask for, and removes what is too
    /// much. Inside of no transaction.
    ///
    /// - Parameter triggers: Whether triggers note what other programs write; nil as the store has it.
    func setUp(
        _ options: StoreOptions, triggers: Bool?, _ connection: PostgresConnection
    ) throws {
        let found = Found(try connection.run([sql.settings])[0])
        var current = found.settings
        if try needsChange(found, options.history, triggers, connection) {
            current = try connection.transaction {
                do {
                    // Whoever reads waits behind this one, which waits for no longer than
                    // busyTimeout: the transaction began with that.
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

    /// What the metadata say.
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

    /// Begins a new history, inside of a transaction: what tokens of an earlier one have seen is expired.
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

    /// Waits for other programs that write to tables with triggers, and keeps them from it, in a
    /// transaction that migrates the store.
    ///
    /// - Returns: What the store says about its history, and whether it has triggers.
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

    /// The tables with triggers that note what other programs write.
    func recordedTables(_ connection: PostgresConnection) throws -> [String] {
        let found = Found(try connection.run([sql.settings])[0])
        guard let settings = found.settings, found.hasTriggers else { return [] }
        return try triggers(settings.content).tables(connection)
    }

    /// The table of metadata, with the schema.
    var metadata: String { layout.metadata }

    /// Gives the new tables their triggers, in the same transaction.
    func renewTriggers(_ connection: PostgresConnection) throws {
        guard let settings = HistorySettings(try connection.run([sql.settings])[0]) else { return }
        _ = try connection.run(
            triggers(settings.content).changes(isOn: true, connection)
                .map { PostgresStatement($0) })
    }

    // MARK: Reading

    /// What reads the history, in a transaction that the caller has begun.
    ///
    /// - Returns: Nil where the store has none now.
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

    /// How long it is; nil where the store has none now.
    ///
    /// - Parameter bytes: How many its tables have.
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

extension HistorySettings {
    /// What the rows of ``PostgresHistorySQL/settings`` say; nil where the store has no history.
    init?(_ rows: PostgresRows) {
        self.init(rows: rows.namesAndValues)
    }
}
