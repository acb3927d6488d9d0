import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// The history of an open store, for its writer: triggers record the changes, and this class
/// records their author. All functions run inside transactions of the writer.
final class StoreHistory: Sendable {
    /// The identifier of this opened store's transactions in the history.
    let writer: String
    private let retention: HistoryRetention?

    /// The content of the history after the last commit of another connection.
    private struct Sight {
        var version: UInt32?
        var content: HistorySettings.Content?
    }

    private let sight = Mutex(Sight())

    /// - Throws: An error if no new UUID is available.
    init(_ retention: HistoryRetention?) throws(RandomNumbersError) {
        writer = try UUID.random().uuidString
        self.retention = retention
    }

    /// Prepares the history when the store is opened, and removes overdue transactions. Not inside
    /// a transaction.
    func prepare(_ connection: Connection) throws {
        try connection.transaction(retention == nil ? .deferred : .immediate) {
            if try exists(connection) { try removeOverdue(connection) }
        }
    }

    /// Returns whether the store has a history now. Another process may turn it on and off, with a
    /// commit. Without such a commit, the cached answer is valid.
    private func exists(_ connection: Connection) throws -> Bool {
        try content(connection) != nil
    }

    /// Returns the content of the history, or nil if there is none.
    private func content(_ connection: Connection) throws -> HistorySettings.Content? {
        let version = connection.versionOfOthers
        let known = sight.withLock { $0 }
        if known.version == version { return known.content }
        let content = try HistorySettings(of: connection)?.content
        sight.withLock { $0 = Sight(version: version, content: content) }
        return content
    }

    /// Returns the number of the last change, if changes have names and no values.
    func lastChangeWithoutValues(_ connection: Connection) throws -> Int64? {
        guard try content(connection) == .properties else { return nil }
        return try lastChange(connection)
    }

    /// Returns the number of the last change, or nil if there is no history.
    private func lastChange(_ connection: Connection) throws -> Int64? {
        guard try exists(connection),
            case .integer(let last)? = try connection.rows(HistorySQL.lastChange).first?.first
        else { return nil }
        return last
    }

    /// Begins the recording in a transaction. Earlier changes of a program without Cambium get no
    /// author.
    func begin(_ connection: Connection) throws {
        guard try exists(connection) else { return }
        _ = try connection.rows(
            HistorySQL.record, [Self.stored(.now)] + Array(repeating: .null, count: 5))
    }

    /// Ends the recording: the changes since ``begin(_:)`` get the author. If there are none,
    /// nothing is written.
    func end(_ connection: Connection, by author: TransactionAuthor) throws {
        guard try exists(connection) else { return }
        let process = ProcessInfo.processInfo
        _ = try connection.rows(
            HistorySQL.record,
            [
                Self.stored(.now), author.name.map { .text($0) } ?? .null,
                author.contextName.map { .text($0) } ?? .null, .text(process.processName),
                .integer(Int64(process.processIdentifier)), .text(writer),
            ])
        if retention != nil, connection.changes > 0 { try removeOverdue(connection, atMost: 2) }
    }

    /// The changes that triggers have recorded: the number of the last change before them, and that
    /// of the last one.
    typealias Changes = (before: Int64, last: Int64)

    /// Returns the changes that are recorded while a row is written, or nil if there is no history.
    func changes(
        _ connection: Connection, during write: () throws -> Void
    ) throws -> Changes? {
        let before = try lastChange(connection)
        try write()
        guard let before, let last = try lastChange(connection) else { return nil }
        return (before, last)
    }

    /// Records a row that was removed from its table and inserted again as changed. The objects
    /// with unchanged references are not recorded.
    ///
    /// - Parameters:
    ///   - taken: The changes that were recorded when it was removed.
    ///   - put: The changes that were recorded when it was inserted.
    ///   - properties: Returns the names of its changed properties.
    func noteMove(
        of key: Int64, _ entity: String, taken: Changes?, put: Changes?, _ connection: Connection,
        _ properties: () throws -> [String]
    ) throws {
        guard let taken, let put else { return }
        _ = try connection.rows(
            HistorySQL.forgetMove,
            [.integer(taken.before), .integer(taken.last), .integer(put.before)])
        let names = try properties().map { " " + $0 }.joined()
        _ = try connection.rows(
            HistorySQL.recordMove, [.text(entity), .integer(key), .text(names)])
    }

    /// Removes transactions that exceed the retention, oldest first.
    ///
    /// - Parameter limit: The maximum number; nil means no limit.
    private func removeOverdue(_ connection: Connection, atMost limit: Int? = nil) throws {
        guard let retention, case .integer(let latest)? = try Self.bound(2, connection)
        else { return }
        let date = retention.oldestDate(now: .now)
        var isFinished = false
        while !isFinished {
            let oldest = try connection.rows(
                HistorySQL.oldest, [.integer(Int64(limit ?? Self.removedAtOnce))])
            let overdue = oldest.prefix { row in
                guard case .integer(let number) = row[1], case .real(let time) = row[2] else {
                    return false
                }
                return retention.maximumCount.map { number <= latest - Int64(max(0, $0)) } ?? false
                    || date.map { time < $0.timeIntervalSinceReferenceDate } ?? false
            }
            guard case .integer(let last)? = overdue.last?.first else { return }
            try Self.purge(through: last, connection)
            isFinished = limit != nil || overdue.count < oldest.count
        }
    }

    private static let removedAtOnce = 1000

    /// Returns the number of the last change before the transaction that ends with a change.
    static func last(before change: Int64, _ connection: Connection) throws -> Int64 {
        guard
            case .integer(let last)? =
                try connection.rows(HistorySQL.lastBeforeChange, [.integer(change)]).first?.first
        else { return 0 }
        return last
    }

    /// Returns the number of the last change before a date.
    static func last(before date: Date, _ connection: Connection) throws -> Int64 {
        if case .integer(let last)? =
            try connection.rows(HistorySQL.lastBeforeDate, [stored(date)]).first?.first
        {
            return last
        }
        guard case .integer(let last)? = try bound(1, connection) else { return 0 }
        return last
    }

    private static func bound(_ column: Int, _ connection: Connection) throws -> StoredValue? {
        try connection.rows(HistorySQL.bounds).first?[column]
    }

    /// Removes everything up to a change.
    static func purge(through last: Int64, _ connection: Connection) throws {
        guard last > 0 else { return }
        for statement in HistorySQL.purge { _ = try connection.rows(statement, [.integer(last)]) }
    }

    private static func stored(_ date: Date) -> StoredValue {
        .real(date.timeIntervalSinceReferenceDate)
    }
}

/// Sets up the history of a store that is opened, according to its options.
struct HistorySetup {
    let connection: Connection
    let model: Model

    /// Applies the options. Not inside a transaction.
    func apply(_ tracking: HistoryTracking) throws {
        let current = try HistorySettings(of: connection)
        guard let content = tracking.content(after: current?.content) else {
            if current != nil { try connection.transaction { try remove() } }
            return
        }
        let wanted = HistoryTriggers(of: Schema(of: model), model, content).triggers
        if let current, current.content == content, try isInPlace(wanted) { return }
        try connection.transaction {
            // Another process may have changed the history meanwhile.
            var settings: HistorySettings
            if let current = try HistorySettings(of: connection) {
                settings = current
                settings.content = content
            } else {
                settings = try HistorySettings(content: content, epoch: UUID.random())
                // Another program may have left some of the tables.
                for statement in HistorySQL.dropStatements + HistorySQL.createStatements {
                    try connection.execute(statement)
                }
            }
            for trigger in try triggers() { try connection.execute(trigger.dropStatement) }
            for trigger in wanted { try connection.execute(trigger.createStatement) }
            for statement in settings.writeStatements { try connection.execute(statement) }
        }
    }

    /// Checks that a store has only the schema objects that its model and its history need.
    ///
    /// - Throws: ``MigrationError/objectsAreNotTrusted(_:)``
    func requireTrust(_ runner: MigrationRunner) throws {
        let triggers = try HistorySettings(of: connection).map {
            HistoryTriggers(of: Schema(of: model), model, $0.content).triggers
        }
        try runner.requireTrust(in: connection, triggers: triggers ?? [])
    }

    /// Starts the history of a store again after its rows were replaced: its numbers may now mean
    /// other changes than before.
    static func renew(_ connection: Connection) throws {
        guard var settings = try HistorySettings(of: connection) else { return }
        settings.epoch = try UUID.random()
        for statement in settings.writeStatements { try connection.execute(statement) }
    }

    /// Removes the triggers, so that the history does not record the next writes.
    /// ``apply(_:)`` creates them again.
    static func removeTriggers(_ connection: Connection) throws {
        for trigger in try triggers(connection) { try connection.execute(trigger.dropStatement) }
    }

    private func triggers() throws -> [StoreTrigger] { try Self.triggers(connection) }

    private static func triggers(_ connection: Connection) throws -> [StoreTrigger] {
        try connection.rows(StoreTrigger.query).compactMap(StoreTrigger.init)
            .filter(\.isOfHistory)
    }

    private func isInPlace(_ wanted: [StoreTrigger]) throws -> Bool {
        let found = try triggers()
        guard found.count == wanted.count else { return false }
        let byName = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        return wanted.allSatisfy { byName[$0.name]?.isSame(as: $0) ?? false }
    }

    private func remove() throws {
        // Another process may have removed it meanwhile.
        guard try HistorySettings(of: connection) != nil else { return }
        for trigger in try triggers() { try connection.execute(trigger.dropStatement) }
        for statement in HistorySQL.dropStatements + HistorySettings.removeStatements {
            try connection.execute(statement)
        }
    }
}

extension HistorySettings {
    /// Reads the current settings of a store's history. Other processes may turn it on and off.
    ///
    /// - Returns: Nil if the store has no history.
    init?(of connection: Connection) throws(SQLiteError) {
        self.init(rows: try connection.rows(HistorySettings.query))
    }
}
