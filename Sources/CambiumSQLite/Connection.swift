import CSQLite
import CambiumModel

/// One connection to a database file.
///
/// It is used by one thread at a time; callers that share it hold a lock meanwhile (the connection
/// itself is opened without SQLite's mutexes).
package final class Connection {
    /// How a file is opened.
    package enum Mode: Sendable {
        /// For reading and writing; the file is made where there is none.
        case readWriteCreate
        /// For reading only; the file must exist. On a file system that was mounted for reading only
        /// it is opened as ``unchanging``, where the file is the whole database.
        case readOnly
        /// For reading a file that does not change as long as it is open. SQLite takes no lock and
        /// makes no file beside it.
        case unchanging
        /// For reading and writing; the file must exist.
        case readWrite
    }

    // Safety: the handle is closed in `deinit` only, after all statements.
    let handle: OpaquePointer
    /// The name of the file system that SQLite uses; nil means its own.
    package let fileSystem: String?
    /// Whether SQLite takes the file as unchanging.
    package let isUnchanging: Bool
    /// How long a statement waits for a lock that another connection holds.
    let busyTimeoutMilliseconds: Int32
    private var statements = StatementCache()
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
        try PendingTable.register(on: self)
        try PendingValue.register(on: self)
        try sink.register(on: self)
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

    /// Runs one or more statements that take no parameters and whose rows are not needed.
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
        guard code == SQLITE_OK else { throw error(code, sql: sql) }
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

    /// How many statements are kept by their texts.
    package var statementCount: Int { statements.count }

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

    func error(_ code: Int32, sql: String?) -> SQLiteError {
        SQLiteError(
            code: sqlite3_extended_errcode(handle),
            message: String(cString: sqlite3_errmsg(handle)),
            sql: sql)
    }

    /// Empties the database file, with SQLite's locks: other connections see an empty database and
    /// not a damaged one.
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
        guard code == SQLITE_OK else { throw error(code, sql: nil) }
    }

    /// Opens a database for reading only.
    ///
    /// A program that was killed while it wrote has left a file that is half of one transaction.
    /// What that has written is taken back first, as every program that opens the file does, and as
    /// SQLite does not where it was opened for reading only.
    ///
    /// A database with a write-ahead log can be read only where SQLite can make its index beside
    /// it. In a folder that may not be written it is read as an unchanging file, where there is no
    /// log, or an empty one.
    ///
    /// - Throws: ``SQLiteError`` where the file cannot be opened or read, or where that cannot be
    ///   taken back because it may not be written.
    package static func reading(
        path: String, settings: ConnectionSettings = ConnectionSettings()
    ) throws(SQLiteError) -> Connection {
        let look = "PRAGMA schema_version"
        let connection = try Connection(path: path, mode: .readOnly, settings: settings)
        do throws(SQLiteError) {
            _ = try connection.rows(look)
            return connection
        } catch {
            let mustRollBackCode: Int32 = 776
            if error.code != mustRollBackCode {
                guard error.isOfFolder, FilesAtRest(of: path).obstacle == nil else { throw error }
                let connection = try Connection(path: path, mode: .unchanging, settings: settings)
                _ = try connection.rows(look)
                return connection
            }
        }
        _ = try Connection(path: path, mode: .readWrite, settings: settings).rows(look)
        return try Connection(path: path, mode: .readOnly, settings: settings)
    }

    /// Makes sure that SQLite can read a file on a file system that was mounted for reading only,
    /// beside which there is more: it can where the index of the log exists, too.
    func requireReadable(
        _ files: FilesAtRest, _ settings: ConnectionSettings
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            _ = try rows("PRAGMA schema_version")
        } catch {
            guard let obstacle = files.obstacleOfMount(settings.isMountedReadOnly) else {
                throw error
            }
            throw SQLiteError(
                code: error.code, message: "\(obstacle) \(FilesAtRest.remedyOfMount)")
        }
    }

    static func uri(of path: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-".utf8)
        let escaped = path.utf8.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
        return (path.hasPrefix("/") ? "file://" : "file:./") + escaped.joined()
    }
}

/// What a program asks of a store's connections.
package struct ConnectionSettings: Sendable {
    /// How long a statement waits for a lock that another connection holds.
    package var busyTimeoutMilliseconds: Int32 = 10_000
    /// Statements that run when a connection is opened, after our own.
    package var pragmas: [String] = []
    /// What the observer receives of each statement.
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

extension SQLiteError {
    /// Whether what SQLite needs beside a file may be missing.
    fileprivate var isOfFolder: Bool { [8, 14].contains(primaryCode) }
}
