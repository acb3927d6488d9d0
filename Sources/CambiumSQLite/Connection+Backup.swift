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
}
