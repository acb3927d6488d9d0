import CambiumMigration
import CambiumModel
import CambiumSQL

/// How a store is opened.
///
/// ```swift
/// var options = StoreOptions()
/// options.busyTimeout = .seconds(30)
/// options.pragmas["cache_size"] = "-200000"
/// options.statementHook = .standardError(slowerThan: .milliseconds(50))
/// ```
public struct StoreOptions: Sendable {
    /// Whether saves are refused. A store that needs a migration cannot be opened so. Default:
    /// false.
    ///
    /// A file on a file system that is mounted for reading only can be opened so, where no changes
    /// are left in the log or a journal beside it (a store that was closed has none). It is read as
    /// one that does not change: no process can know whether others have mounted the file system
    /// for writing, and what they write then gives errors or wrong results here.
    public var isReadOnly = false
    /// Whether a store of an earlier version of the model is migrated when it is opened. Default
    /// (nil): containers do, coordinators by hand do not, as in Core Data.
    public var migratesAutomatically: Bool?
    /// What is kept of a store before a migration takes data from it. Default: a copy.
    public var migrationBackup = MigrationBackupPolicy.beforeLoss
    /// Called before each statement of a migration, and while a long one runs, on the thread that
    /// opens the store.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// What becomes of a store whose tables or indexes another program has changed. Default: it is
    /// refused, with an error that names each. A store that is opened for reading only is not
    /// repaired.
    public var driftPolicy = DriftPolicy.refuse
    /// What becomes of a store in a SQLite file that was written with another draft of the program's
    /// version: one that is not frozen, and was changed in its place since. Default: the store is
    /// refused, with an error that says what differs.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// #if DEBUG
    ///     options.draftPolicy = .migrate
    /// #endif
    /// ```
    ///
    /// The two other policies are for development. ``DraftPolicy/migrate`` runs a migration that was
    /// not proven when the model was compiled, and says so on the standard error.
    /// ``DraftPolicy/recreate`` moves the store aside and starts with an empty one. A program that was
    /// compiled without `DEBUG` warns at each opening with one of them. A store that is opened for
    /// reading only is refused.
    public var draftPolicy = DraftPolicy.refuse
    /// What of a store's file is trusted. Default: what other programs have added to it, too. See
    /// ``StoreTrust/schemaOnly`` for files that come from others.
    public var trust = StoreTrust.externalObjects
    /// How long a fetch or a save waits for a lock that another process holds, and opening a
    /// connection for the server. Default: 10 seconds.
    ///
    /// On a server it is the limit of transactions. A fetch that is one statement waits only for a
    /// program that changes the tables.
    public var busyTimeout: Duration = .seconds(10)
    /// Settings of SQLite (`PRAGMA name = value`) for every connection, beyond those that Cambium
    /// makes. Those that a store relies on (`journal_mode`, `foreign_keys`, …) cannot be set.
    public var pragmas: [String: String] = [:]
    /// Whether statistics for SQLite's choice of indexes are gathered when the store is opened.
    /// Default: false.
    public var analyzes = false
    /// Whether the file is rewritten, without holes, when the store is opened. It takes time, and
    /// as much room again as the file. Default: false.
    public var vacuums = false
    /// Who is notified of the store's SQL statements. Default: nobody, which costs nothing.
    public var statementHook: StatementHook?
    /// Whether the store keeps a history of what was changed. Default: as the store has it.
    public var history: HistoryTracking = .asStored
    /// How much of the history is kept. Default (nil): all of it.
    public var historyRetention: HistoryRetention?
    /// Whether contexts hear of what others write to the store's file: other processes, and other
    /// containers of this one. Default: false. See `PersistentStoreCoordinator.remoteChanges`.
    ///
    /// A store on a file system that is mounted for reading only refuses it, and so does a store on a
    /// server: opening it is an error, because a program that relies on it would show what is old.
    ///
    /// The file is watched as long as the store is open, which costs a connection, a file
    /// descriptor or two, and a few microseconds for some time after each commit of any writer.
    public var followsRemoteChanges = false
    /// How long a context may stay at a query generation. Default: 60 seconds.
    public var queryGenerationLifetime: Duration = .seconds(60)
    /// How large the write-ahead log may grow while a context stays at a query generation. Default:
    /// 256 MB.
    public var queryGenerationLogSize = 256 << 20
    /// The file system that SQLite uses, by its name there; nil for the system's own.
    package var fileSystem: String?
    /// Whether the file system of a file was mounted for reading only; nil asks the system.
    package var isMountedReadOnly: (@Sendable (_ path: String) -> Bool)?
    /// Asked while a migration runs, whether it is to end. Default (nil): as the engine does.
    package var isMigrationCancelled: (@Sendable () -> Bool)?

    /// The defaults.
    public init() {}
}

/// What of a store's file a program trusts.
///
/// ```swift
/// // A document that somebody has sent.
/// var options = StoreOptions()
/// options.trust = .schemaOnly
/// ```
///
/// Whatever the trust, a store's tables are compared with the model before anything is read from
/// them, and SQLite runs with its own defences: no code is loaded, no function with effects is
/// called by what the file says, and no statement can damage the file.
public enum StoreTrust: Sendable, Hashable, CaseIterable {
    /// External tables, indexes, views and triggers are allowed, and work as their makers meant them
    /// to. A trigger runs when a row of its table is saved, and the expression of an index on one of
    /// the model's tables is computed then: in a hostile file either may change rows, or not come to
    /// an end.
    case externalObjects
    /// The store must have nothing but what the model and its history need: a store with an external
    /// table, index, view or trigger is refused, with an error that names each. What has changed about
    /// the model's own tables is refused too where ``StoreOptions/driftPolicy`` is
    /// ``DriftPolicy/report``, and so is a store that needs its checks or indexes brought up to date
    /// while migration is off.
    case schemaOnly
}

/// The file of a store.
package enum StoreFile {
    /// Makes sure that a path can be that of a store's file, before anything is made.
    ///
    /// - Throws: ``StoreError`` with `cannotOpen`.
    package static func requirePath(_ path: String) throws(StoreError) {
        do {
            try StorePathProblem.check(path)
        } catch {
            let hint = error.isOfMemory ? " For a store in memory, use the location .memory." : ""
            throw StoreError(
                code: .cannotOpen, message: error.problem, remedy: error.remedy + hint)
        }
    }
}

extension URL {
    /// The path of the file that it names. Of a URL that names none all of it: no file has that path.
    package var pathOfFile: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}

/// Whether a store keeps a history of what was changed, and what of it.
///
/// The history belongs to the store: once it is on, every program that writes to the store writes
/// to the history, a process that opens it without asking for one too. So nothing is missed, and no
/// program is locked out of its store. (With Core Data, a program that does not ask for the history
/// of a store that has one may only read.)
///
/// ```swift
/// var options = StoreOptions()
/// options.history = .values
/// options.historyRetention = HistoryRetention(maximumAge: .seconds(30 * 86_400))
/// ```
public enum HistoryTracking: Sendable, Hashable {
    /// As the store has it; a new store has none.
    case asStored
    /// None. One that was kept is removed with all that it holds. Another process that has the
    /// store open goes on without it.
    case off
    /// Which objects were inserted, updated and deleted, the names of the properties that were
    /// changed, and of deleted objects the attributes that the model preserves. A row that is
    /// changed costs a row in the history.
    case properties
    /// The values before and after, too: a row in the history for each of them. Large data that may
    /// lie in files is left out.
    case values

    /// What is to be kept, given what is.
    package func content(after current: HistorySettings.Content?) -> HistorySettings.Content? {
        switch self {
        case .asStored: current
        case .off: nil
        case .properties: .properties
        case .values: .values
        }
    }
}

/// How much of a history is kept. Older entries are deleted when the store is opened, and with
/// saves: each that adds a transaction removes at most two, so that no save pays for a long past.
public struct HistoryRetention: Sendable, Hashable {
    /// Transactions that are older go.
    public var maximumAge: Duration?
    /// Of more transactions the oldest go.
    public var maximumCount: Int?

    /// Describes what is kept; nil is no limit.
    public init(maximumAge: Duration? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// The moment before which transactions are too old.
    package func oldestDate(now: Date) -> Date? {
        maximumAge.map { age in
            let (seconds, attoseconds) = age.components
            return now.addingTimeInterval(-(Double(seconds) + Double(attoseconds) / 1e18))
        }
    }
}

/// Who is notified of a store's SQL statements, for logs, budgets in tests and the search for what
/// is slow.
///
/// ```swift
/// var options = StoreOptions()
/// options.statementHook = StatementHook { statement in
///     if statement.duration > .milliseconds(20) {
///         print(statement, statement.plan().joined(separator: "\n"))
///     }
/// }
/// ```
///
/// Values are no part of it unless they are asked for. A store without a hook runs its statements
/// as if there were none.
public struct StatementHook: Sendable {
    package let includesValues: Bool
    package let receive: @Sendable (WatchedStatement) -> Void

    /// Tells a closure of each statement when it has run.
    ///
    /// The closure is called on the thread that ran the statement, while the statement's connection
    /// is locked: it must be quick, and must not fetch from or save to the same store.
    ///
    /// - Parameters:
    ///   - includesValues: Whether ``WatchedStatement/sqlWithValues`` is included. Values may be
    ///     private: think of where the log goes.
    ///   - receive: Called after each statement.
    public init(
        includesValues: Bool = false, _ receive: @escaping @Sendable (WatchedStatement) -> Void
    ) {
        self.includesValues = includesValues
        self.receive = receive
    }

    /// Writes a line for each statement to the standard error.
    ///
    /// - Parameters:
    ///   - duration: Statements that took no longer than that are left out.
    ///   - includesValues: Whether the line has the values. They may be private.
    ///   - includesPlan: Whether lines follow that say how SQLite found the rows.
    public static func standardError(
        slowerThan duration: Duration = .zero, includesValues: Bool = false,
        includesPlan: Bool = false
    ) -> StatementHook {
        StatementHook(includesValues: includesValues) { statement in
            guard duration == .zero || statement.duration > duration else { return }
            var text = "\(statement)\n"
            if includesPlan {
                for line in statement.plan() { text += "    \(line)\n" }
            }
            StandardError.write(text)
        }
    }
}

/// A statement that has run.
public struct WatchedStatement: CustomStringConvertible {
    /// The text, with `?` for the values, or `$1`, `$2` and so on.
    public let sql: String
    /// The text with the values in it, where the hook asked for them. Values of rows that are saved
    /// are not bound to statements, and are never included.
    public let sqlWithValues: String?
    /// From its start to its end, what was done with its rows included. Of a statement that went to
    /// a server together with others: from the end of the one before it.
    public let duration: Duration
    /// How many rows it returned, or changed.
    public let rowCount: Int
    /// The number of the round trip to the server that the statement went in, counted from 1 since the
    /// store was opened. Statements with one number were sent together, and waited for together. Nil
    /// for SQLite, which is in the program itself.
    public let roundTrip: Int?

    private let plans: () -> [String]

    /// - Parameter plans: How the rows are found; nothing after the hook has run.
    package init(
        sql: String, sqlWithValues: String?, duration: Duration, rowCount: Int,
        roundTrip: Int? = nil, plans: @escaping () -> [String]
    ) {
        self.sql = sql
        self.sqlWithValues = sqlWithValues
        self.duration = duration
        self.rowCount = rowCount
        self.roundTrip = roundTrip
        self.plans = plans
    }

    /// How SQLite or the server finds the rows: a line for each step, indented by its depth. Asked
    /// when it is called, which may only be while the hook runs; empty afterwards, and for statements
    /// that have no plan. A server is asked on another connection.
    public func plan() -> [String] { plans() }

    /// The duration, the number of rows and the text, on one line.
    public var description: String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let text = (sqlWithValues ?? sql).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        return "\(microseconds) µs, \(rowCount) row\(rowCount == 1 ? "" : "s"): \(text)"
    }
}

/// The stream for what is no result.
package enum StandardError {
    /// Tells the people who look after a program something, in a line.
    package static func note(_ sentence: String) {
        write("Cambium: \(sentence).\n")
    }

    /// Writes a text at once, so that lines of several threads do not mix.
    package static func write(_ text: String) {
        // A log that cannot be written is no reason to stop.
        try? SystemFile.standardError.append(Array(text.utf8))
    }
}
