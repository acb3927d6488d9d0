import CSQLite

extension Connection {
    /// Copies the whole database to a new file, as it is now.
    ///
    /// - Throws: ``SQLiteError`` where the file cannot be written. A half-written copy may remain.
    package func backup(to path: String) throws(SQLiteError) {
        try copy(to: Connection(path: path), named: path)
    }

    /// Copies the whole database over another one, as it is now. Where this connection is in a
    /// transaction, as that sees it.
    ///
    /// - Parameter name: The other one's name, for messages.
    /// - Throws: ``SQLiteError`` where the other one cannot be written or is in use; it is as it
    ///   was then.
    package func copy(to other: Connection, named name: String) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(other.handle, "main", handle, "main") else {
            throw other.error(SQLITE_ERROR, sql: nil)
        }
        var code = sqlite3_backup_step(backup, -1)
        // Another connection holds a lock: SQLite does not wait by itself here.
        var attempts = 0
        while code == SQLITE_BUSY || code == SQLITE_LOCKED, attempts < 100 {
            sqlite3_sleep(20)
            attempts += 1
            code = sqlite3_backup_step(backup, -1)
        }
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(
                code: code,
                message: "The copy to \(name) failed: " + String(cString: sqlite3_errstr(code)))
        }
    }
}
