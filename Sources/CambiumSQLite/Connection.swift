import CSQLite
import CambiumModel
import CambiumRecords

/// A connection to a database file.
///
/// One thread at a time uses it. If threads share it, they hold a lock meanwhile (the connection
/// itself is opened without SQLite's mutexes).
package final class Connection {
    /// The mode in which a file is opened.
    package enum Mode: Sendable {
        /// For reading and writing. The file is created if it does not exist.
        case readWriteCreate
        /// For reading only. The file must exist. If it is on a read-only file system, and is the
        /// complete database, it is opened as ``unchanging``.
        case readOnly
        /// For reading a file that does not change while it is open. SQLite takes no lock and
        /// creates no file beside it.
        case unchanging
        /// For reading and writing; the file must exist.
        case readWrite
    }

    // Safety: the handle is closed only in `deinit`, after all statements.
    let handle: OpaquePointer
    /// The name of the VFS that SQLite uses; nil means its default.
    package let fileSystem: String?
    /// Whether the file was opened as one that does not change.
    package let isUnchanging: Bool
    /// The maximum time that a statement waits for a lock of another connection.
    let busyTimeoutMilliseconds: Int32
    private var statements = StatementCache()
    /// The open transaction; nil if there is no commit to be made.
    private var commitment: Commitment?
    // Safety: here and below, one thread at a time loads or stores the value.
    @exclusivity(unchecked) private var numberedStatements: [Statement?] = []
    let pending = PendingRows()
    let sink = RowSink()
    let log = WriteAheadLog()
    /// The open files; nil for a database in memory.
    let file: DatabaseFile?
    let functions = StoreFunctions()
    let functionFailure = FunctionFailure()
    /// The trace of the statements; nil for most connections, so that tracing costs nothing.
    @exclusivity(unchecked) var trace: StatementTrace?

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: A file's path, or `:memory:` for a database that lives as long as the connection.
    ///   - settings: The program's settings, in addition to those of all connections.
    /// - Throws: ``SQLiteError`` if the file cannot be opened or is not a database, or the library
    ///   is too old.
    package init(
        path: String, mode: Mode = .readWriteCreate,
        settings: ConnectionSettings = ConnectionSettings()
    ) throws(SQLiteError) {
        try SQLiteLibrary.requireMinimumVersion()
        let files = FilesAtRest(of: path)
        let isMountedReadOnly =
            mode == .readOnly && !settings.allowsURIs && settings.isMountedReadOnly(path)
        isUnchanging = mode == .unchanging || (isMountedReadOnly && files.problem == nil)
        let access =
            switch mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly, .unchanging: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            }
        var opened: OpaquePointer?
        // In many systems, the library treats such a name as a URI without the flag.
        let isPlain = !settings.allowsURIs && path.hasPrefix("file:")
        let name = isPlain ? "./" + path : path
        let code = sqlite3_open_v2(
            isUnchanging ? Self.uri(of: path) + "?immutable=1" : name, &opened,
            access | SQLITE_OPEN_NOMUTEX
                | (settings.allowsURIs || isUnchanging ? SQLITE_OPEN_URI : 0),
            settings.fileSystem)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw SQLiteError(code: code, message: "\(message) (\(path))")
        }
        handle = opened
        fileSystem = settings.fileSystem
        busyTimeoutMilliseconds = settings.busyTimeoutMilliseconds
        file = DatabaseFile(of: opened)
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        try harden()
        try check(PendingTable.register(pending, on: handle))
        try check(PendingValue.register(pending, on: handle))
        try check(sink.register(on: handle))
        try registerStoreFunctions()
        for pragma in settings.pragmas { try execute(pragma) }
        if isMountedReadOnly, !isUnchanging { try requireReadable(files, settings) }
        if let observer = settings.observer { watchStatements(observer) }
    }

    deinit {
        if let change = fileChange { leaveFile(after: change) }
        forgetStatements()
        stopWatching()
        sqlite3_close_v2(handle)
    }

    /// Hardens the connection: the content of a database must not make SQLite run anything but our
    /// own statements.
    private func harden() throws(SQLiteError) {
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        try execute("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    }

    /// Allows a migration to edit the stored schema while the closure runs.
    package func withoutDefense<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        defer { _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
        return try body()
    }

    /// Runs one or more statements without parameters, and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        var message: UnsafeMutablePointer<CChar>?
        let code = sqlite3_exec(handle, sql, nil, nil, &message)
        defer {
            sqlite3_free(message)
            if let trace { trace.deliver(on: self) }
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(
                code: sqlite3_extended_errcode(handle),
                message: message.map { String(cString: $0) } ?? "error \(code)", sql: sql)
        }
    }

    /// Runs a statement that another program has written into a database. SQLite itself reads only
    /// the first statement there. If the text contains more than one statement, this runs none of
    /// them.
    package func executeAlone(_ sql: String) throws(SQLiteError) {
        var statement: OpaquePointer?
        let (code, isAlone) = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, text, -1, &statement, &rest)
            // Safety: the pointer is into the text, and the text ends with a NUL.
            let end = rest.map { String(cString: $0) } ?? ""
            return (code, end.allSatisfy { $0.isWhitespace || $0 == ";" })
        }
        defer { sqlite3_finalize(statement) }
        try check(code, sql: sql)
        guard isAlone, let statement else {
            throw SQLiteError(
                code: SQLITE_ERROR, message: "The text is not one statement.", sql: sql)
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw error(code, sql: sql) }
        }
    }

    /// Returns the compiled statement for a text. It is compiled at the first use, and cached while
    /// it is among the statements that were used last.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let kept = statements[sql] { return kept }
        let statement = try Statement(sql, on: self)
        statements.insert(statement, for: sql)
        return statement
    }

    /// The hits and misses of the statement cache.
    package var statementUse: StatementUse { statements.use }

    /// Returns the compiled statement for a number from 0. For statements that run so often and so
    /// briefly that the lookup of their text would matter.
    ///
    /// - Parameter sql: Returns the text, at the first use. It must be the same for every use of
    ///   the number.
    package func statement(
        number: Int, _ sql: () -> String
    ) throws(SQLiteError) -> Statement {
        if number < numberedStatements.count, let kept = numberedStatements[number] { return kept }
        let statement = try Statement(sql(), on: self)
        while numberedStatements.count <= number { numberedStatements.append(nil) }
        numberedStatements[number] = statement
        return statement
    }

    /// Runs a statement and returns all its rows: for small results only.
    package func rows(
        _ sql: String, _ parameters: [StoredValue] = []
    ) throws(SQLiteError) -> [[StoredValue]] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(parameters)
        var rows: [[StoredValue]] = []
        while try statement.step() {
            rows.append((0..<statement.columnCount).map { statement.value(at: $0) })
        }
        return rows
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Removes compiled statements, before the schema is changed.
    package func forgetStatements() {
        statements.removeAll()
        numberedStatements.removeAll()
    }

    /// Throws if SQLite returned an error.
    func check(_ code: Int32, sql: String? = nil) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
    }

    @inline(never)
    func error(_ code: Int32, sql: String?) -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)),
            sql: sql)
    }

    /// Empties the database file, with SQLite's locks: other connections see an empty database, not
    /// a damaged one.
    ///
    /// - Throws: ``SQLiteError`` if another connection holds a lock for longer than the timeout.
    package func emptyDatabase() throws(SQLiteError) {
        forgetStatements()
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1)
        defer { _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
        try execute("VACUUM")
    }

    /// Registers ``TextCheck``. It reads the bytes in SQLite's memory: a conversion to values would
    /// repair and copy them.
    func registerTextCheck() throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, TextCheck.name, 1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in
                guard let context, let value = values?[0] else { return }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    return sqlite3_result_int(context, 0)
                }
                // Safety: SQLite keeps the bytes until the function returns.
                let start = sqlite3_value_text(value)
                let count = Int(sqlite3_value_bytes(value))
                let isSound = TextCheck.isSound(UnsafeRawBufferPointer(start: start, count: count))
                sqlite3_result_int(context, isSound ? 0 : 1)
            }, nil, nil, nil)
        try check(code)
    }
}

/// A program's settings for a store's connections.
package struct ConnectionSettings: Sendable {
    /// The maximum time that a statement waits for a lock of another connection.
    package var busyTimeoutMilliseconds: Int32 = 10_000
    /// Statements that run when a connection is opened, after the library's own.
    package var pragmas: [String] = []
    /// The observer of each statement.
    package var observer: StatementObserver?

    /// Whether a path that begins with `file:` is a URI with options for opening the file.
    package var allowsURIs = false

    /// The name of the VFS that SQLite uses; nil means its default.
    package var fileSystem: String?

    /// Returns whether a file is on a read-only file system.
    package var isMountedReadOnly: @Sendable (_ path: String) -> Bool = {
        FilesAtRest.isMountedReadOnly($0)
    }

    package init() {}
}

extension Connection {
    /// The time at which a transaction takes the lock for writing.
    package enum TransactionKind: String, Sendable {
        /// With the first statement that needs the lock. Use it for reading.
        case deferred = "DEFERRED"
        /// At once, so that the transaction cannot fail later because of another writer.
        case immediate = "IMMEDIATE"
        /// At once, as `immediate`. In a database without a write-ahead log, other connections
        /// cannot read meanwhile either.
        case exclusive = "EXCLUSIVE"
    }

    /// The state of a transaction that its commit needs.
    struct Commitment {
        let kind: TransactionKind
        /// The number of rows that the connection had changed before.
        let changesBefore: Int32
    }

    /// Runs a closure inside a transaction. Commits when it returns, and rolls back when it throws.
    ///
    /// - Throws: The error that the closure throws, or ``SQLiteError`` from BEGIN or COMMIT.
    ///   ``SQLiteError`` if the file was deleted or replaced before this transaction could write. A
    ///   transaction that threw leaves no changes.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate, _ body: () throws -> Result
    ) throws -> Result {
        try begin(kind)
        commitment = Commitment(kind: kind, changesBefore: sqlite3_total_changes(handle))
        do {
            let result = try body()
            if commitment != nil { try commit() }
            return result
        } catch {
            commitment = nil
            rollBack()
            throw error
        }
    }

    /// Commits the open transaction, inside the closure of ``transaction(_:_:)``.
    ///
    /// - Throws: ``SQLiteError`` if the commit fails or the transaction was already rolled back.
    package func commit() throws {
        guard let open = commitment else { return }
        if sqlite3_total_changes(handle) != open.changesBefore { try markFile() }
        try execute("COMMIT")
        commitment = nil
        if open.kind != .deferred { file?.noteProgress(of: handle) }
    }

    /// Increments a counter in the file's header with the first transaction after a checkpoint. The
    /// beginning of the file is therefore different after each checkpoint, so that an older copy of
    /// the file is detected. (SQLite's own counter does not change in WAL mode.)
    private func markFile() throws(SQLiteError) {
        guard log.isOn, log.pages == 0,
            case .integer(let version)? = try rows("PRAGMA user_version").first?.first
        else { return }
        try execute("PRAGMA user_version = \((version + 1) % Int64(Int32.max))")
    }

    private func begin(_ kind: TransactionKind) throws(SQLiteError) {
        do {
            try execute("BEGIN \(kind.rawValue)")
        } catch {
            try requireOwnFile()
            throw error
        }
        // Checked now, because BEGIN may have waited for other connections.
        if kind != .deferred { try requireOwnFile() }
    }

    /// Runs a closure as a part of the open transaction. If the closure throws, the changes of the
    /// closure are rolled back, and the transaction remains open.
    ///
    /// - Throws: The error that the closure throws, or ``SQLiteError``. If SQLite has rolled back
    ///   the transaction itself, the function that began it detects that.
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("SAVEPOINT part")
        let result: Result
        do {
            result = try body()
        } catch {
            if isInTransaction { try execute("ROLLBACK TO part; RELEASE part") }
            throw error
        }
        try execute("RELEASE part")
        return result
    }

    /// Whether the open transaction has dangling keys, because it has written a key that references
    /// no row, or deleted a referenced row. Such a transaction cannot be committed. This costs
    /// nothing, because SQLite counts them.
    package var hasDanglingKeys: Bool {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    /// Rolls back the open transaction, if any. After some errors (a full disk), SQLite has already
    /// done so.
    package func rollBack() {
        guard isInTransaction else { return }
        // A rollback can only fail if there is nothing left to roll back.
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Begins a read transaction that sees the current state of the database, until ``rollBack()``.
    package func beginReading() throws(SQLiteError) {
        try execute("BEGIN DEFERRED")
        // The first statement that reads determines the state that the transaction sees.
        _ = try rows("SELECT count(*) FROM \"sqlite_schema\"")
    }
}

extension Connection {
    /// Runs a closure with statements that can be interrupted. After a requested interruption, they
    /// soon end with an error of SQLite (`SQLITE_INTERRUPT`), even while SQLite is sorting and has
    /// returned no row. Nil means no interruption.
    package func interruptible<Result>(
        by interruption: Interruption?, _ body: () throws -> Result
    ) rethrows -> Result {
        guard let interruption else { return try body() }
        return try asking(every: 2_000, { !interruption.isRequested }, body)
    }

    /// Runs a closure that ends soon after its task was cancelled, even in the middle of a
    /// statement. If a transaction is open, the function that began it must roll it back.
    ///
    /// - Throws: `CancellationError` if the task was cancelled; otherwise the error that the
    ///   closure throws.
    package func untilCancelled<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try interruptible(by: .ofTask, body)
            try Task.checkCancellation()
            return result
        } catch let error as SQLiteError where error.isInterruption && Task.isCancelled {
            throw CancellationError()
        }
    }

    /// Runs a closure with statements that call a function regularly while they run. If it returns
    /// false, they end with an error of SQLite (`SQLITE_INTERRUPT`).
    ///
    /// - Parameters:
    ///   - instructions: The approximate number of SQLite's instructions between two calls; ten
    ///     thousand take a fraction of a millisecond.
    ///   - shouldContinue: The function; it returns whether to continue.
    package func asking<Result>(
        every instructions: Int32, _ shouldContinue: () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try withoutActuallyEscaping(shouldContinue) { shouldContinue in
            let question = Question(shouldContinue)
            // Safety: the question outlives the closure, and SQLite does not use it after the
            // closure.
            let context = Unmanaged.passUnretained(question).toOpaque()
            sqlite3_progress_handler(
                handle, instructions,
                { context in
                    guard let context else { return 0 }
                    let question = Unmanaged<Question>.fromOpaque(context).takeUnretainedValue()
                    return question.shouldContinue() ? 0 : 1
                }, context)
            // A long-running Swift function calls it too.
            functions.isInterrupted = { !shouldContinue() }
            defer {
                sqlite3_progress_handler(handle, 0, nil, nil)
                functions.isInterrupted = nil
            }
            return try withExtendedLifetime(question) { try body() }
        }
    }
}

/// The function that SQLite calls while a statement runs.
private final class Question {
    let shouldContinue: () -> Bool

    init(_ shouldContinue: @escaping () -> Bool) {
        self.shouldContinue = shouldContinue
    }
}
