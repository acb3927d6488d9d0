import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// The history of an open store, as its writer writes it: triggers note the changes, this says
/// whose they are. All of it belongs into transactions of the writer.
final class StoreHistory: Sendable {
    /// Tells the transactions of this opened store apart from those of others.
    let writer: String
    private let retention: HistoryRetention?

    /// What was found when others had committed last.
    private struct Sight {
        var version: UInt32?
        var content: HistorySettings.Content?
    }

    private let sight = Mutex(Sight())

    /// - Throws: Where there is no new UUID.
    init(_ retention: HistoryRetention?) throws(RandomNumbersError) {
        writer = try UUID.random().uuidString
        self.retention = retention
    }

    /// Looks what there is when the store is opened, and removes what is too much. Inside of no
    /// transaction.
    func prepare(_ connection: Connection) throws {
        try connection.transaction(retention == nil ? .deferred : .immediate) {
            if try isThere(connection) { try removeOverdue(connection) }
        }
    }

    /// Whether the store has a history now. Another process may turn it on and off, and needs to
    /// commit for that: as long as there is none, the earlier answer holds.
    private func isThere(_ connection: Connection) throws -> Bool {
        try content(connection) != nil
    }

    /// What it keeps now; nil where there is none.
    private func content(_ connection: Connection) throws -> HistorySettings.Content? {
        let version = connection.versionOfOthers
        let known = sight.withLock { $0 }
        if known.version == version { return known.content }
        let content = try HistorySettings(of: connection)?.content
        sight.withLock { $0 = Sight(version: version, content: content) }
        return content
    }

    /// The number of the last change, where changes have names and no values.
    func lastChangeWithoutValues(_ connection: Connection) throws -> Int64? {
        guard try content(connection) == .properties else { return nil }
        return try lastChange(connection)
    }

    /// The number of the last change; nil where there is no history.
    private func lastChange(_ connection: Connection) throws -> Int64? {
        guard try isThere(connection),
            case .integer(let last)? = try connection.rows(HistorySQL.lastChange).first?.first
        else { return nil }
        return last
    }

    /// Begins what is written in a transaction of SQLite: what a program without Cambium has
    /// changed before has no author.
    func begin(_ connection: Connection) throws {
        guard try isThere(connection) else { return }
        _ = try connection.rows(
            HistorySQL.record, [Self.stored(.now)] + Array(repeating: .null, count: 5))
    }

    /// Ends it: what was changed since ``begin(_:)`` is the author's. Nothing is written where
    /// nothing was.
    func end(_ connection: Connection, by author: TransactionAuthor) throws {
        guard try isThere(connection) else { return }
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

    /// The changes that triggers note: the number of the last one before them, and that of the last.
    typealias Changes = (before: Int64, last: Int64)

    /// The changes that are noted while a row is written; nil where there is no history.
    func changes(
        _ connection: Connection, during write: () throws -> Void
    ) throws -> Changes? {
        let before = try lastChange(connection)
        try write()
        guard let before, let last = try lastChange(connection) else { return nil }
        return (before, last)
    }

    /// Notes that a row which was taken out of its table and put back was changed, and that the
    /// objects which it references as before were not.
    ///
    /// - Parameters:
    ///   - taken: What was noted when it was taken out.
    ///   - put: What was noted when it was put back.
    ///   - properties: The names of its properties that have other values.
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

    /// Removes transactions that the retention does not want any more, the oldest first.
    ///
    /// - Parameter limit: How many at most; nil for all.
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

    /// The number of the last change before the transaction that ends with a change.
    static func last(before change: Int64, _ connection: Connection) throws -> Int64 {
        guard
            case .integer(let last)? =
                try connection.rows(HistorySQL.lastBeforeChange, [.integer(change)]).first?.first
        else { return 0 }
        return last
    }

    /// The number of the last change before a date.
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

/// Gives a store that is opened the history that its options ask for.
struct HistorySetup {
    let connection: Connection
    let model: Model

    /// Inside of no transaction.
    func apply(_ tracking: HistoryTracking) throws {
        let current = try HistorySettings(of: connection)
        guard let content = tracking.content(after: current?.content) else {
            if current != nil { try connection.transaction { try remove() } }
            return
        }
        let wanted = HistoryTriggers(of: Schema(of: model), model, content).triggers
        if let current, current.content == content, try isInPlace(wanted) { return }
        try connection.transaction {
            // Another process may have been faster.
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

    /// Makes sure that a store has nothing but what its model and its history need.
    ///
    /// - Throws: ``MigrationError/objectsAreNotTrusted(_:)``
    func requireTrust(_ runner: MigrationRunner) throws {
        let triggers = try HistorySettings(of: connection).map {
            HistoryTriggers(of: Schema(of: model), model, $0.content).triggers
        }
        try runner.requireTrust(in: connection, triggers: triggers ?? [])
    }

    /// Lets the history of a store whose rows were replaced start over: its numbers may name other
    /// changes than those that a reader has seen.
    static func renew(_ connection: Connection) throws {
        guard var settings = try HistorySettings(of: connection) else { return }
        settings.epoch = try UUID.random()
        for statement in settings.writeStatements { try connection.execute(statement) }
    }

    /// Lets what is written next be no part of the history. ``apply(_:isReadOnly:)`` puts the
    /// triggers back.
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
        // Another process may have been faster.
        guard try HistorySettings(of: connection) != nil else { return }
        for trigger in try triggers() { try connection.execute(trigger.dropStatement) }
        for statement in HistorySQL.dropStatements + HistorySettings.removeStatements {
            try connection.execute(statement)
        }
    }
}

extension HistorySettings {
    /// What a store says about its history now: other processes may turn it on and off.
    ///
    /// - Returns: Nil where it has none.
    init?(of connection: Connection) throws(SQLiteError) {
        self.init(rows: try connection.rows(HistorySettings.query))
    }
}
