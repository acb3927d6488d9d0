import CSQLite
import CambiumModel
import CambiumRecords

/// One connection to a database file.
///
/// It is used by one thread at a time; whoever shares it holds a lock meanwhile (the connection
/// itself is opened without SQLite's mutexes).
package final class Connection {
    /// How a file is opened.
    package enum Mode: Sendable {
        /// For reading and writing; the file is made where there is none.
        case readWriteCreate
        /// For reading only; the file must exist. On a file system that was mounted for reading only
        /// it is opened as ``unchanging``, where the file is the whole database.
        case readOnly
        /// For reading a file that nobody changes as long as it is open. SQLite takes no lock and
        /// makes no file beside it.
        case unchanging
        /// For reading and writing; the file must exist.
        case readWrite
    }

    // Safety: the handle is closed in `deinit` only, after all statements.
    let handle: OpaquePointer
    /// The name of the file system that SQLite was told to use; nil means its own.
    package let fileSystem: String?
    /// Whether SQLite was told that nobody changes the file.
    package let isUnchanging: Bool
    /// How long a statement waits for a lock that another connection holds.
    let busyTimeoutMilliseconds: Int32
    private var statements = StatementCache()
    /// Nil where no transaction is to be committed.
    private var commitment: Commitment?
    // Safety: here and below, loaded and stored, by one thread at a time.
    @exclusivity(unchecked) private var numberedStatements: [Statement?] = []
    let pending = PendingRows()
    let sink = RowSink()
    let log = WriteAheadLog()
    /// The files that are open; nil for a database in memory.
    let file: DatabaseFile?
    let functions = StoreFunctions()
    let functionFailure = FunctionFailure()
    /// What watches the statements; nil for most connections, which then pay nothing.
    @exclusivity(unchecked) var trace: StatementTrace?

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: A file's path, or `:memory:` for a database that lives as long as the connection.
    ///   - settings: What the program asks for beyond what all connections have.
    /// - Throws: ``SQLiteError`` where the file cannot be opened, is no database, or the library is
    ///   too old.
    package init(
        path: String, mode: Mode = .readWriteCreate,
        settings: ConnectionSettings = ConnectionSettings()
    ) throws(SQLiteError) {
        try SQLiteLibrary.requireMinimumVersion()
        let files = FilesAtRest(of: path)
        let isMountedReadOnly =
            mode == .readOnly && !settings.allowsURIs && settings.isMountedReadOnly(path)
        isUnchanging = mode == .unchanging || (isMountedReadOnly && files.obstacle == nil)
        let access =
            switch mode {
            case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readOnly, .unchanging: SQLITE_OPEN_READONLY
            case .readWrite: SQLITE_OPEN_READWRITE
            }
        var opened: OpaquePointer?
        // Many a system's library takes such a name for a URI without being asked to.
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

    /// A database is data: what it holds must not make SQLite run anything but our statements.
    private func harden() throws(SQLiteError) {
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
        try execute("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    }

    /// Lets a migration edit what the database says about its tables, for as long as the body runs.
    package func withoutDefense<Result>(_ body: () throws -> Result) rethrows -> Result {
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        defer { _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1) }
        return try body()
    }

    /// Runs one or more statements that take no parameters and whose rows nobody wants.
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

    /// Runs a statement that another program has written into a database. SQLite itself reads no more
    /// than the first one there; where the text goes on after that, nothing is run.
    package func executeAlone(_ sql: String) throws(SQLiteError) {
        var statement: OpaquePointer?
        let (code, isAlone) = sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(handle, text, -1, &statement, &rest)
            // Safety: SQLite points into the text, which ends with a NUL.
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

    /// The statement of that text, compiled at its first use and kept for as long as it is among
    /// those that were used last.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let kept = statements[sql] { return kept }
        let statement = try Statement(sql, on: self)
        statements.insert(statement, for: sql)
        return statement
    }

    /// How often a statement that was asked for by its text was there already.
    package var statementUse: StatementUse { statements.use }

    /// A statement that is known by a number from 0, for those that run so often and so briefly
    /// that looking up their text counts.
    ///
    /// - Parameter sql: The text, asked for at the first use. It is the same for every use of the
    ///   number.
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

    /// How many rows the last INSERT, UPDATE or DELETE touched.
    package var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Whether a transaction is open.
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Forgets compiled statements; needed before the schema is changed under them.
    package func forgetStatements() {
        statements.removeAll()
        numberedStatements.removeAll()
    }

    /// Makes sure that SQLite has done what was asked.
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

    /// Empties the database file, with SQLite's locks: whoever else has it open sees an empty
    /// database and not a damaged one.
    ///
    /// - Throws: ``SQLiteError`` where another connection is in the way for longer than the
    ///   timeout.
    package func emptyDatabase() throws(SQLiteError) {
        forgetStatements()
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 1)
        defer { _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
        try execute("VACUUM")
    }

    /// Registers ``TextCheck``. The bytes are looked at where SQLite has them: as values they would
    /// be mended and copied.
    func registerTextCheck() throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, TextCheck.name, 1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in
                guard let context, let value = values?[0] else { return }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    return sqlite3_result_int(context, 0)
                }
                // Safety: SQLite holds the bytes until the function returns.
                let start = sqlite3_value_text(value)
                let count = Int(sqlite3_value_bytes(value))
                let isSound = TextCheck.isSound(UnsafeRawBufferPointer(start: start, count: count))
                sqlite3_result_int(context, isSound ? 0 : 1)
            }, nil, nil, nil)
        try check(code)
    }
}

/// What a program asks of a store's connections.
package struct ConnectionSettings: Sendable {
    /// How long a statement waits for a lock that another connection holds.
    package var busyTimeoutMilliseconds: Int32 = 10_000
    /// Statements that run when a connection is opened, after our own.
    package var pragmas: [String] = []
    /// What is told of each statement.
    package var observer: StatementObserver?

    /// Whether paths that begin with `file:` are URIs, which say how a file is opened.
    package var allowsURIs = false

    /// The name of the file system that SQLite uses; nil means its own.
    package var fileSystem: String?

    /// Whether the file system of a file was mounted for reading only.
    package var isMountedReadOnly: @Sendable (_ path: String) -> Bool = {
        FilesAtRest.isMountedReadOnly($0)
    }

    package init() {}
}

extension Connection {
    /// When a transaction takes the lock that only one writer has.
    package enum TransactionKind: String, Sendable {
        /// With the first statement that needs one; for reading.
        case deferred = "DEFERRED"
        /// At once, so that it cannot fail half-way because another writer was faster.
        case immediate = "IMMEDIATE"
        /// Like that; in a database without a write-ahead log nobody else can read meanwhile, either.
        case exclusive = "EXCLUSIVE"
    }

    /// What the commit of a transaction has to know.
    struct Commitment {
        let kind: TransactionKind
        /// How many rows the connection had changed before.
        let changesBefore: Int32
    }

    /// Runs a body inside a transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Throws: What the body throws, or ``SQLiteError`` from BEGIN or COMMIT, or where the file was
    ///   deleted or replaced before it was this transaction's turn to write. Nothing is kept of a
    ///   transaction that threw.
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

    /// Commits the open transaction, inside the body of ``transaction(_:_:)``.
    ///
    /// - Throws: ``SQLiteError``, also where the transaction was taken back already.
    package func commit() throws {
        guard let open = commitment else { return }
        if sqlite3_total_changes(handle) != open.changesBefore { try markFile() }
        try execute("COMMIT")
        commitment = nil
        if open.kind != .deferred { file?.noteProgress(of: handle) }
    }

    /// Counts in the file's header with the first transaction after a checkpoint. So the beginning of
    /// the file is another one after each checkpoint, by which a copy that somebody puts back over
    /// it is noticed. (SQLite's own counter there stands still where there is a log.)
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
        // Now, as it may have waited for others.
        if kind != .deferred { try requireOwnFile() }
    }

    /// Runs a part of an open transaction: where it throws, what it has written is taken back, and
    /// the transaction goes on.
    ///
    /// - Throws: What the body throws, or ``SQLiteError``. Where the transaction itself was taken
    ///   back by then, that is for who began it to find.
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

    /// Whether the open transaction has written a key that leads to no row, or deleted a row that a
    /// key leads to: then it cannot be committed. Costs nothing, the library keeps count.
    package var hasDanglingKeys: Bool {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        return current != 0
    }

    /// Undoes the open transaction, if any. Some errors (a full disk) have done so already.
    package func rollBack() {
        guard isInTransaction else { return }
        // A rollback can only fail where there is nothing left to roll back.
        _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Begins a transaction for reading that sees the database as it is now, until
    /// ``rollBack()``.
    package func beginReading() throws(SQLiteError) {
        try execute("BEGIN DEFERRED")
        // The first statement that reads decides what is seen.
        _ = try rows("SELECT count(*) FROM \"sqlite_schema\"")
    }
}

extension Connection {
    /// Runs a body whose statements end with an error of SQLite's (`SQLITE_INTERRUPT`) soon after
    /// the end was asked for, also while SQLite is still sorting and no row has come; nil never asks.
    package func interruptible<Result>(
        by interruption: Interruption?, _ body: () throws -> Result
    ) rethrows -> Result {
        guard let interruption else { return try body() }
        return try asking(every: 2_000, { !interruption.isRequested }, body)
    }

    /// Runs a body that ends soon after its task was cancelled, also in the middle of a statement. Of a
    /// transaction nothing may be left then: who began it is to take it back.
    ///
    /// - Throws: `CancellationError` where the task was cancelled; else what the body throws.
    package func untilCancelled<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try interruptible(by: .ofTask, body)
            try Task.checkCancellation()
            return result
        } catch let error as SQLiteError where error.isInterruption && Task.isCancelled {
            throw CancellationError()
        }
    }

    /// Runs a body whose statements ask, as long as they run, whether to go on; where not, they end
    /// with an error of SQLite's (`SQLITE_INTERRUPT`).
    ///
    /// - Parameters:
    ///   - instructions: About how many instructions of SQLite's lie between two questions; ten
    ///     thousand take a fraction of a millisecond.
    ///   - goesOn: The question.
    package func asking<Result>(
        every instructions: Int32, _ goesOn: () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        try withoutActuallyEscaping(goesOn) { goesOn in
            let question = Question(goesOn)
            // Safety: the question outlives the body, after which SQLite forgets it.
            let context = Unmanaged.passUnretained(question).toOpaque()
            sqlite3_progress_handler(
                handle, instructions,
                { context in
                    guard let context else { return 0 }
                    let question = Unmanaged<Question>.fromOpaque(context).takeUnretainedValue()
                    return question.goesOn() ? 0 : 1
                }, context)
            // A function of ours that takes long asks too.
            functions.isInterrupted = { !goesOn() }
            defer {
                sqlite3_progress_handler(handle, 0, nil, nil)
                functions.isInterrupted = nil
            }
            return try withExtendedLifetime(question) { try body() }
        }
    }
}

/// What SQLite asks a connection's user while a statement runs.
private final class Question {
    let goesOn: () -> Bool

    init(_ goesOn: @escaping () -> Bool) {
        self.goesOn = goesOn
    }
}
