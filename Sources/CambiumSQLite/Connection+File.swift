import CSQLite

extension Connection {
    /// Opens a database for reading only.
    ///
    /// If a program was killed while it wrote, the file contains a part of a transaction. This
    /// function rolls it back first, as every program that opens the file does. (SQLite does not,
    /// if it opens the file for reading only.)
    ///
    /// A database with a write-ahead log can be read only if SQLite can create the log's index
    /// beside it. If the folder is not writable, and there is no log or an empty one, the file is
    /// read as one that never changes.
    ///
    /// - Throws: ``SQLiteError`` if the file cannot be opened or read, or if the rollback fails
    ///   because the file is not writable.
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
                guard error.isOfFolder, FilesAtRest(of: path).problem == nil else { throw error }
                let connection = try Connection(path: path, mode: .unchanging, settings: settings)
                _ = try connection.rows(look)
                return connection
            }
        }
        _ = try Connection(path: path, mode: .readWrite, settings: settings).rows(look)
        return try Connection(path: path, mode: .readOnly, settings: settings)
    }

    /// Checks that SQLite can read a file on a read-only file system if there are other files
    /// beside it. It can if the index of the log exists.
    func requireReadable(
        _ files: FilesAtRest, _ settings: ConnectionSettings
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            _ = try rows("PRAGMA schema_version")
        } catch {
            guard let problem = files.problemOfMount(settings.isMountedReadOnly) else {
                throw error
            }
            throw SQLiteError(
                code: error.code, message: "\(problem) \(FilesAtRest.remedyOfMount)")
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

extension SQLiteError {
    /// Whether the error may mean that a file beside the database is missing.
    fileprivate var isOfFolder: Bool { [8, 14].contains(primaryCode) }
}

extension Connection {
    /// The change that another program has made to the files of the database since they were
    /// opened. Nil if there is none, and for a database in memory. Takes a few microseconds.
    ///
    /// Overwritten files and deleted logs are found only in a database with a write-ahead log,
    /// after the connection has begun to write.
    package var fileChange: FileChange? {
        guard let file else { return nil }
        return file.change(of: handle, hasLog: log.isOn && (file.knowsLog || isInTransaction))
    }

    /// The name of the file in its folder; nil for a database in memory.
    package var fileName: String? {
        // Safety: SQLite owns the text, and keeps it as long as the connection exists.
        sqlite3_db_filename(handle, "main").flatMap { path in
            String(cString: path).split(separator: "/").last.map(String.init)
        }
    }

    /// The identity of the file; nil for a database in memory.
    package var fileIdentity: FileIdentity? { file?.identity }

    /// Checks that writes go to the database at its path.
    ///
    /// - Throws: ``SQLiteError`` if another program has deleted, moved or replaced the file. Then
    ///   the old log is not written into a new file.
    package func requireOwnFile() throws(SQLiteError) {
        guard let change = fileChange else { return }
        rollBack()
        leaveFile(after: change)
        throw SQLiteError(change)
    }

    /// Prevents that the log of the old content is written into the new content.
    func leaveFile(after change: FileChange) {
        switch change {
        case .removed, .logRemoved:
            // SQLite moves the log into the file that it has open. That file may be moved back.
            return
        case .replaced:
            // Into the old file, under its possibly new name.
            var (pages, moved): (Int32, Int32) = (0, 0)
            if log.isOn {
                _ = sqlite3_wal_checkpoint_v2(
                    handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
            }
            // If a reader prevents a part of the checkpoint, the log has changes that the old file
            // lacks.
            pages == moved ? file?.emptyLog() : file?.setLogAside()
        case .overwritten:
            file?.emptyLog()
        case .logReplaced:
            break
        }
        _ = cambium_sqlite_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }
}

extension Connection {
    /// Makes the connection the writer of a file in WAL mode: commits append to a log, and readers
    /// continue to read meanwhile.
    ///
    /// Checkpoints happen only when ``checkpoint()`` is called. Commits survive the end of the
    /// process; after a power failure the last ones may be missing, but the file is intact
    /// (`synchronous=NORMAL`).
    package func beginWriteAheadLog() throws(SQLiteError) {
        try leaveRollbackJournal()
        try execute(
            """
            PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; \
            PRAGMA cache_size = -45056
            """)
        log.isOn = true
        // Safety: the connection retains the log as long as SQLite may call.
        let context = Unmanaged.passUnretained(log).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let log = Unmanaged<WriteAheadLog>.fromOpaque(context).takeUnretainedValue()
                log.pages = Int(pages)
                log.commits &+= 1
                return SQLITE_OK
            }, context)
    }

    /// Sets the journal mode in the file to WAL.
    ///
    /// SQLite reads the file before it takes the lock for writing, so two connections that do this
    /// at once would deadlock. SQLite fails at once instead, and this function retries.
    private func leaveRollbackJournal() throws(SQLiteError) {
        try Self.retryingWhileBusy(for: busyTimeoutMilliseconds) { () throws(SQLiteError) in
            try execute("PRAGMA journal_mode = WAL")
        }
    }

    /// Retries an operation while other connections lock a file, if SQLite itself would not wait.
    ///
    /// - Parameters:
    ///   - milliseconds: The maximum time.
    ///   - body: The operation. If it fails, it must not hold a lock.
    package static func retryingWhileBusy<Result, Failure>(
        for milliseconds: Int32, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            do throws(Failure) {
                return try body()
            } catch {
                guard (error as? SQLiteError)?.primaryCode == SQLITE_BUSY,
                    ContinuousClock.now < end
                else { throw error }
                // A random delay, so that two connections do not retry in lockstep.
                sqlite3_sleep(.random(in: 5...15))
            }
        }
    }

    /// A number that changes after other connections have committed to the file, according to the
    /// connection's last transaction. It needs no statement and no lock. Use it to validate data
    /// that is cached between saves and that only other connections change.
    ///
    /// The number may also change without a reason. A database without a write-ahead log, such as
    /// one in memory, has no other connections: its number is always 0.
    package var versionOfOthers: UInt32 {
        guard log.isOn else { return 0 }
        var version: UInt32 = 0
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        // Each commit increments it, including the connection's own commits.
        return version &- log.commits
    }

    /// The number of pages in the log after the last commit.
    package var logPages: Int { log.pages }

    /// Moves the log into the database file, as far as readers permit. Never waits. Does nothing if
    /// the file was deleted or replaced.
    package func checkpoint() {
        guard fileChange == nil else { return }
        // If the checkpoint fails, the next one moves the log; no data is lost.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        log.pages = 0
    }
}

/// The state of the log that SQLite reports at each commit.
final class WriteAheadLog {
    var isOn = false
    var pages = 0
    /// The number of the connection's own commits.
    var commits: UInt32 = 0
}

extension Connection {
    /// Copies the complete database to a new file, as it is now.
    ///
    /// - Parameter shouldContinue: Called every few pages, with the number of copied pages and
    ///   the total; false ends the copy.
    /// - Throws: ``SQLiteError`` if the file cannot be written, or the copy was ended
    ///   (`SQLITE_INTERRUPT`). A partial copy may remain.
    package func backup(
        to path: String, _ shouldContinue: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        var settings = ConnectionSettings()
        settings.fileSystem = fileSystem
        try copy(to: Connection(path: path, settings: settings), named: path, shouldContinue)
    }

    /// Copies the complete database over another one, as it is now. If this connection is in a
    /// transaction, it copies the state that the transaction sees.
    ///
    /// - Parameters:
    ///   - name: The other database's name, for messages.
    ///   - shouldContinue: As for ``backup(to:_:)``.
    /// - Throws: ``SQLiteError`` if the other database cannot be written or is in use, or the copy
    ///   was ended. Then it is unchanged.
    package func copy(
        to other: Connection, named name: String,
        _ shouldContinue: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.error(SQLITE_ERROR, sql: nil)
        }
        let pagesPerStep: Int32 = 256
        var attempts = 0
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, pagesPerStep)
            // Another connection holds a lock. SQLite itself does not wait here.
            if code == SQLITE_BUSY || code == SQLITE_LOCKED, attempts < 100 {
                attempts += 1
                sqlite3_sleep(20)
                code = SQLITE_OK
            } else if code == SQLITE_OK {
                let total = Int(sqlite3_backup_pagecount(backup))
                let rest = Int(sqlite3_backup_remaining(backup))
                if !shouldContinue(total - rest, total) { code = SQLITE_INTERRUPT }
            }
        } while code == SQLITE_OK
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            let failure = code == SQLITE_DONE ? end : code
            throw SQLiteError(
                code: failure,
                message: "The copy to \(name) failed: " + String(cString: sqlite3_errstr(failure)))
        }
    }
}
