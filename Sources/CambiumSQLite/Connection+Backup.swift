import CSQLite

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
    /// at once would wait for each other. It fails at once instead, and this tries again.
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
                // Two that do the same at once do not try again at the same times.
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
