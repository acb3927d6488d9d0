import CambiumSQL
import CambiumSQLite
import Synchronization

/// Who makes a transaction, as the history names it.
struct TransactionAuthor: Sendable {
    var name: String?
    var contextName: String?
}

/// The history of an open store, as its writer writes it: triggers note the changes, this says
/// whose they are.
final class StoreHistory: Sendable {
    let settings: HistorySettings
    /// Tells the transactions of this opened store apart from those of others.
    let writer = UUID().uuidString
    private let retention: HistoryRetention?
    /// Whether the store still has the history: another process may have removed it.
    private let isThere = Atomic(true)

    init(_ settings: HistorySettings, _ retention: HistoryRetention?) {
        self.settings = settings
        self.retention = retention
    }

    /// Begins what is written in a transaction of SQLite: what a program without Cambium has
    /// changed before belongs to nobody.
    func begin(_ connection: Connection) throws {
        guard isThere.load(ordering: .relaxed) else { return }
        do {
            _ = try connection.rows(
                HistorySQL.record, [Self.stored(.now)] + Array(repeating: .null, count: 5))
        } catch  where error.primaryCode == Self.unknownTable {
            isThere.store(false, ordering: .relaxed)
        }
    }

    /// Ends it: what was changed since ``begin(_:)`` is the author's. Nothing is written where
    /// nothing was.
    func end(_ connection: Connection, by author: TransactionAuthor) throws {
        guard isThere.load(ordering: .relaxed) else { return }
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

    /// Notes that a row which was taken out of its table and put back was changed.
    func noteMove(
        of key: Int64, _ entity: String, _ properties: [String], _ connection: Connection
    ) throws {
        guard isThere.load(ordering: .relaxed) else { return }
        let names = properties.map { " " + $0 }.joined()
        _ = try connection.rows(
            HistorySQL.recordMove, [.text(entity), .integer(key), .text(names)])
    }

    /// Removes transactions that the retention does not want any more, the oldest first.
    ///
    /// - Parameter limit: How many at most; nil for all.
    func removeOverdue(_ connection: Connection, atMost limit: Int? = nil) throws {
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

    /// SQLite's code for a statement that names what is not there.
    private static let unknownTable: Int32 = 1
}

extension SQLiteStore {
    /// Runs what a transaction of SQLite writes; the history names the author.
    func recording<Result>(
        _ author: TransactionAuthor, on connection: Connection, _ body: () throws -> Result
    ) throws -> Result {
        guard let history else { return try body() }
        try history.begin(connection)
        let result = try body()
        try history.end(connection, by: author)
        return result
    }
}
