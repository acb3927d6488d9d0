import CSQLite

extension Connection {
    /// Makes the connection the one that writes a file in WAL mode: commits append to a log,
    /// readers go on reading meanwhile.
    ///
    /// Checkpoints happen only when ``checkpoint()`` is called. Commits survive the end of the
    /// process; after a loss of power the last ones may be missing, but the file is sound
    /// (`synchronous=NORMAL`).
    package func beginWriteAheadLog() throws(SQLiteError) {
        try execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
            PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -65536
            """)
        let pages = Unmanaged.passUnretained(log).toOpaque()
        sqlite3_wal_hook(
            handle,
            { log, _, _, pages in
                if let log {
                    Unmanaged<WriteAheadLog>.fromOpaque(log)._withUnsafeGuaranteedRef {
                        $0.pages = Int(pages)
                    }
                }
                return SQLITE_OK
            }, pages)
    }

    /// How many pages the log had after the last commit.
    package var logPages: Int { log.pages }

    /// Moves what the log holds into the database file, as far as no reader is in the way. Never
    /// waits.
    package func checkpoint() {
        // A checkpoint that could not run leaves the log for the next one; nothing is lost.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
        log.pages = 0
    }
}

/// What SQLite reports of the log at each commit.
final class WriteAheadLog {
    var pages = 0
}
