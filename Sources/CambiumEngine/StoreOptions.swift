import CambiumMigration
import CambiumModel
import CambiumSQL

/// Options for opening a store.
///
/// ```swift
/// var options = StoreOptions()
/// options.busyTimeout = .seconds(30)
/// options.pragmas["cache_size"] = "-200000"
/// options.statementHook = .standardError(slowerThan: .milliseconds(50))
/// ```
///
/// ## Topics
///
/// ### Creating
///
/// - ``init()``
///
/// ### Reading and waiting
///
/// - ``isReadOnly``
/// - ``busyTimeout``
/// - ``statementHook``
///
/// ### Migrations
///
/// - ``migratesAutomatically``
/// - ``migrationBackup``
/// - ``migrationProgress``
/// - ``draftPolicy``
///
/// ### Other programs
///
/// - ``followsRemoteChanges``
/// - ``driftPolicy``
/// - ``trust``
///
/// ### History
///
/// - ``history``
/// - ``historyRetention``
///
/// ### Query generations
///
/// - ``queryGenerationLifetime``
/// - ``queryGenerationLogSize``
///
/// ### SQLite files
///
/// - ``pragmas``
/// - ``analyzes``
/// - ``vacuums``
public struct StoreOptions: Sendable {
    /// A Boolean value that indicates whether the store rejects saves. If it is true, a store that
    /// needs a migration cannot be opened. Default: false.
    ///
    /// A file on a read-only file system can be opened this way, if no changes are left in the log
    /// or a journal beside it (a store that was closed has none). Its content must not change: the
    /// program cannot detect whether others have mounted the file system for writing, and their
    /// writes would cause errors or wrong results here.
    public var isReadOnly = false
    /// A Boolean value that indicates whether a store of an earlier version of the model is
    /// migrated when it is opened. Default (nil): true for containers, false for coordinators that
    /// you create yourself, as in Core Data.
    public var migratesAutomatically: Bool?
    /// The backup of a store before a migration deletes data from it. Default: a copy.
    public var migrationBackup = MigrationBackupPolicy.beforeLoss
    /// Called before each statement of a migration, and while a long one runs, on the thread that
    /// opens the store.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// The handling of a store with tables or indexes that another program has changed. Default:
    /// the store is rejected, with an error that names each. A store that is opened as read-only is
    /// not repaired.
    public var driftPolicy = DriftPolicy.refuse
    /// The handling of a store in a SQLite file that was written with another draft of the
    /// program's version, that is, a version that is not frozen and was changed since. Default: the
    /// store is rejected, with an error that describes the differences.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// #if DEBUG
    ///     options.draftPolicy = .migrate
    /// #endif
    /// ```
    ///
    /// The two other policies are for development. ``DraftPolicy/migrate`` runs a migration that
    /// was not proven when the model was compiled, and prints this on the standard error.
    /// ``DraftPolicy/recreate`` moves the store aside and starts with an empty one. A program that
    /// was compiled without `DEBUG` prints a warning at each opening with one of them. A store that
    /// is opened as read-only is rejected.
    public var draftPolicy = DraftPolicy.refuse
    /// The trusted part of a store's file. Default: the additions of other programs, too. Use
    /// ``StoreTrust/schemaOnly`` for files from others.
    public var trust = StoreTrust.externalObjects
    /// The time that a fetch or a save waits for a lock of another process, and that opening a
    /// connection waits for the server. Default: 10 seconds.
    ///
    /// On a server it is the limit of transactions. A fetch that is one statement waits only for a
    /// program that changes the tables.
    public var busyTimeout: Duration = .seconds(10)
    /// Settings of SQLite (`PRAGMA name = value`) for every connection, beyond Cambium's own. The
    /// settings that a store relies on (`journal_mode`, `foreign_keys`, …) cannot be set.
    public var pragmas: [String: String] = [:]
    /// Whether statistics for SQLite's choice of indexes are gathered when the store is opened.
    /// Default: false.
    public var analyzes = false
    /// Whether the file is rewritten, without holes, when the store is opened. It takes time, and
    /// as much room again as the file. Default: false.
    public var vacuums = false
    /// The hook that receives the store's SQL statements. Default: none, at no cost.
    public var statementHook: StatementHook?
    /// A value that indicates whether the store keeps a history of changes. Default: as the store
    /// has it.
    public var history: HistoryTracking = .asStored
    /// The limits of the history. Default (nil): all of it is kept.
    public var historyRetention: HistoryRetention?
    /// A Boolean value that indicates whether contexts are notified of writes to the store's file
    /// by other processes, and by other containers in this one. Default: false. See
    /// `PersistentStoreCoordinator.remoteChanges`.
    ///
    /// Stores on a read-only file system and stores on a server do not support it. Opening one with
    /// this option is an error, because the program would show outdated objects.
    ///
    /// The file is watched as long as the store is open. This needs a connection, one or two file
    /// descriptors, and a few microseconds for some time after each commit of any writer.
    public var followsRemoteChanges = false
    /// The maximum time that a context may keep a query generation. Default: 60 seconds.
    public var queryGenerationLifetime: Duration = .seconds(60)
    /// The maximum size of the write-ahead log while a context keeps a query generation. Default:
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

/// The part of a store's file that a program trusts.
///
/// ```swift
/// // A document that somebody has sent.
/// var options = StoreOptions()
/// options.trust = .schemaOnly
/// ```
///
/// With every value, the tables of a store are compared with the model before they are read. SQLite
/// runs with its own defences: it loads no code, the file cannot call functions with effects, and
/// statements cannot damage the file.
public enum StoreTrust: Sendable, Hashable, CaseIterable {
    /// External tables, indexes, views and triggers are allowed and active. A trigger runs when a
    /// row of its table is saved, and the expression of an index on one of the model's tables is
    /// computed then. In a hostile file, either may change rows or never end.
    case externalObjects
    /// The store must have only the objects that the model and its history need. A store with an
    /// external table, index, view or trigger is rejected, with an error that names each. A store
    /// with changes to the model's own tables is also rejected if ``StoreOptions/driftPolicy`` is
    /// ``DriftPolicy/report``. A store with outdated checks or indexes is rejected if migration is
    /// off.
    case schemaOnly
}

/// The file of a store.
package enum StoreFile {
    /// Checks that a path can be that of a store's file, before anything is created.
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
    /// The path of the file that it names. If it names no file, the complete URL: no file has that
    /// path.
    package var pathOfFile: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}

/// Whether a store keeps a history of changes, and its content.
///
/// The history belongs to the store. When it is on, every program that writes to the store also
/// writes to the history, even without this option. The history is therefore complete, and every
/// program can write to its store. (In Core Data, a program without the option can only read a
/// store that has a history.)
///
/// ```swift
/// var options = StoreOptions()
/// options.history = .values
/// options.historyRetention = HistoryRetention(maximumAge: .seconds(30 * 86_400))
/// ```
public enum HistoryTracking: Sendable, Hashable {
    /// As the store has it; a new store has none.
    case asStored
    /// No history. An existing history is deleted. Another process that has the store open
    /// continues without it.
    case off
    /// The objects that were inserted, updated and deleted, the names of the changed properties,
    /// and the attributes of deleted objects that the model preserves. A changed row needs a row in
    /// the history.
    case properties
    /// The values before and after, too: a row in the history for each of them. Large data that may
    /// be stored in files is not included.
    case values

    /// The content to keep, given the current one.
    package func content(after current: HistorySettings.Content?) -> HistorySettings.Content? {
        switch self {
        case .asStored: current
        case .off: nil
        case .properties: .properties
        case .values: .values
        }
    }
}

/// The limits of a history. Older entries are deleted when the store is opened, and by saves: each
/// save that adds a transaction deletes at most two, to keep saves fast.
public struct HistoryRetention: Sendable, Hashable {
    /// Older transactions are deleted.
    public var maximumAge: Duration?
    /// If there are more transactions, the oldest are deleted.
    public var maximumCount: Int?

    /// Describes the limits; nil is no limit.
    public init(maximumAge: Duration? = nil, maximumCount: Int? = nil) {
        self.maximumAge = maximumAge
        self.maximumCount = maximumCount
    }

    /// The date before which transactions are too old.
    package func oldestDate(now: Date) -> Date? {
        maximumAge.map { age in
            let (seconds, attoseconds) = age.components
            return now.addingTimeInterval(-(Double(seconds) + Double(attoseconds) / 1e18))
        }
    }
}

/// A receiver of a store's SQL statements, for logs, limits in tests and finding slow statements.
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
/// Values are included only on request. A store without a hook runs its statements without any
/// extra cost.
public struct StatementHook: Sendable {
    package let includesValues: Bool
    package let receive: @Sendable (WatchedStatement) -> Void

    /// Calls a closure with each statement when it has run.
    ///
    /// The closure is called on the thread that ran the statement, while the statement's connection
    /// is locked. It must be quick, and it must not fetch from or save to the same store.
    ///
    /// - Parameters:
    ///   - includesValues: Whether ``WatchedStatement/sqlWithValues`` is included. Values may be
    ///     private: consider the destination of the log.
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
    ///   - duration: Statements that took no longer are not printed.
    ///   - includesValues: Whether the line contains the values. They may be private.
    ///   - includesPlan: Whether further lines show how SQLite found the rows.
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
    /// The text with the values in it, if the hook includes them. Values of saved rows are not
    /// bound to statements, and are never included.
    public let sqlWithValues: String?
    /// The time from its start to its end, including the work with its rows. If several statements
    /// were sent to a server together, the time from the end of the previous statement.
    public let duration: Duration
    /// The number of rows that it returned, or changed.
    public let rowCount: Int
    /// The number of the statement's round trip to the server, counted from 1 since the store was
    /// opened. Statements with the same number were sent together, and waited for together. Nil for
    /// SQLite, because it is in the program itself.
    public let roundTrip: Int?

    private let plans: () -> [String]

    /// - Parameter plans: The query plans of the statement. They are empty after the hook has run.
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

    /// Returns the query plan of SQLite or the server: a line for each step, indented by its depth.
    /// Call it only while the hook runs; afterwards it is empty, as for statements without a plan.
    /// A server is queried on another connection.
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

/// The stream for warnings and logs.
package enum StandardError {
    /// Prints a message for the administrator of the program, in one line.
    package static func note(_ sentence: String) {
        write("Cambium: \(sentence).\n")
    }

    /// Writes a text at once, so that lines of several threads do not mix.
    package static func write(_ text: String) {
        // A log that cannot be written is no reason to stop.
        try? SystemFile.standardError.append(Array(text.utf8))
    }
}
