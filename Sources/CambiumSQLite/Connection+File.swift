import CSQLite

extension Connection {
    /// Opens a database for reading only.
    ///
    /// A program that was killed while it wrote has left a file that is half of one transaction. What
    /// that has written is taken back first, as every program that opens the file does, and as SQLite
    /// does not where it was told to read only.
    ///
    /// A database with a write-ahead log can be read only where SQLite can make its index beside it.
    /// In a folder that may not be written it is read as a file that nobody changes, where there is
    /// no log, or an empty one.
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
    /// beside which there is more: it can where the index of the log is there, too.
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

extension SQLiteError {
    /// Whether what SQLite needs beside a file may be missing.
    fileprivate var isOfFolder: Bool { [8, 14].contains(primaryCode) }
}

extension Connection {
    /// What other programs have done to the files of the database since they were opened; nil where
    /// nothing, and for a database in memory. Takes a few microseconds.
    ///
    /// Files that are overwritten, and logs that are taken away, are found in a write-ahead log
    /// alone, and once the connection has begun to write.
    package var fileChange: FileChange? {
        guard let file else { return nil }
        return file.change(of: handle, hasLog: log.isOn && (file.knowsLog || isInTransaction))
    }

    /// The name of the file in its folder; nil for a database in memory.
    package var fileName: String? {
        // Safety: SQLite's own text, which lives as long as the connection.
        sqlite3_db_filename(handle, "main").flatMap { path in
            String(cString: path).split(separator: "/").last.map(String.init)
        }
    }

    /// What tells the file from others; nil for a database in memory.
    package var fileIdentity: FileIdentity? { file?.identity }

    /// Makes sure that what is written now is written to the database at its path.
    ///
    /// - Throws: ``SQLiteError`` where another program has deleted, moved or replaced the file. Its
    ///   old log does not come into a new file then.
    package func requireOwnFile() throws(SQLiteError) {
        guard let change = fileChange else { return }
        rollBack()
        leaveFile(after: change)
        throw SQLiteError(change)
    }

    /// Keeps the log of the old content out of the new.
    func leaveFile(after change: FileChange) {
        switch change {
        case .removed, .logRemoved:
            // SQLite moves the log into the file that it has open, and which may come back.
            return
        case .replaced:
            // Into the old file, which may have another name now.
            var (pages, moved): (Int32, Int32) = (0, 0)
            if log.isOn {
                _ = sqlite3_wal_checkpoint_v2(
                    handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
            }
            // A reader may be in the way: then the log has what the old file lacks.
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
    /// Makes the connection the one that writes a file in WAL mode: commits append to a log,
    /// readers go on reading meanwhile.
    ///
    /// Checkpoints happen only when ``checkpoint()`` is called. Commits survive the end of the
    /// process; after a loss of power the last ones may be missing, but the file is sound
    /// (`synchronous=NORMAL`).
    package func beginWriteAheadLog() throws(SQLiteError) {
        try leaveRollbackJournal()
        try execute(
            """
            PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; \
            PRAGMA cache_size = -45056
            """)
        log.isOn = true
        // Safety: the connection holds the log for as long as SQLite may call.
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

    /// Says in the file that it has a write-ahead log.
    ///
    /// SQLite reads the file before it asks for the lock to write, so two connections that do this
    /// at once would wait for each other. It gives up at once instead, and this tries again.
    private func leaveRollbackJournal() throws(SQLiteError) {
        try Self.retryingWhileBusy(for: busyTimeoutMilliseconds) { () throws(SQLiteError) in
            try execute("PRAGMA journal_mode = WAL")
        }
    }

    /// Does something again as long as others keep a file locked, where SQLite itself would not wait.
    ///
    /// - Parameters:
    ///   - milliseconds: How long.
    ///   - body: What to do. It leaves nothing locked where it fails.
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
                // Two that do the same at once do not go on in step.
                sqlite3_sleep(.random(in: 5...15))
            }
        }
    }

    /// A number that is another one after others have committed to the file, as far as the
    /// connection's last transaction has seen. It asks for no statement and no lock: for those who
    /// keep in mind, from save to save, what only others change.
    ///
    /// It may be another one without a reason, too. A database without a write-ahead log, such as
    /// one in memory, is the connection's own: there it is always 0.
    package var versionOfOthers: UInt32 {
        guard log.isOn else { return 0 }
        var version: UInt32 = 0
        _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        // Each commit raises it, the connection's own as well.
        return version &- log.commits
    }

    /// How many pages the log had after the last commit.
    package var logPages: Int { log.pages }

    /// Moves what the log holds into the database file, as far as no reader is in the way. Never
    /// waits. Does nothing where the file was deleted or replaced.
    package func checkpoint() {
        guard fileChange == nil else { return }
        // A checkpoint that could not run leaves the log for the next one; nothing is lost.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        log.pages = 0
    }
}

/// What SQLite reports of the log at each commit.
final class WriteAheadLog {
    var isOn = false
    var pages = 0
    /// How many commits of the connection itself there were.
    var commits: UInt32 = 0
}

extension Connection {
    /// Copies the whole database to a new file, as it is now.
    ///
    /// - Parameter goesOn: Asked after each few pages, with how many of them are copied and how
    ///   many there are; false ends the copy.
    /// - Throws: ``SQLiteError`` where the file cannot be written, or the copy was ended
    ///   (`SQLITE_INTERRUPT`). A half-written copy may remain.
    package func backup(
        to path: String, _ goesOn: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        var settings = ConnectionSettings()
        settings.fileSystem = fileSystem
        try copy(to: Connection(path: path, settings: settings), named: path, goesOn)
    }

    /// Copies the whole database over another one, as it is now. Where this connection is in a
    /// transaction, as that sees it.
    ///
    /// - Parameters:
    ///   - name: The other one's name, for messages.
    ///   - goesOn: As for ``backup(to:_:)``.
    /// - Throws: ``SQLiteError`` where the other one cannot be written or is in use, or the copy was
    ///   ended; it is as it was then.
    package func copy(
        to other: Connection, named name: String,
        _ goesOn: (_ copied: Int, _ total: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.error(SQLITE_ERROR, sql: nil)
        }
        let pagesPerStep: Int32 = 256
        var attempts = 0
        var code: Int32
        repeat {
            code = sqlite3_backup_step(backup, pagesPerStep)
            // Another connection holds a lock: SQLite does not wait by itself here.
            if code == SQLITE_BUSY || code == SQLITE_LOCKED, attempts < 100 {
                attempts += 1
                sqlite3_sleep(20)
                code = SQLITE_OK
            } else if code == SQLITE_OK {
                let total = Int(sqlite3_backup_pagecount(backup))
                let rest = Int(sqlite3_backup_remaining(backup))
                if !goesOn(total - rest, total) { code = SQLITE_INTERRUPT }
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
