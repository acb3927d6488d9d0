import CSQLite

extension Connection {
    /// Copies the whole database to a new file, as it is now.
    ///
    /// - Throws: ``SQLiteError`` where the file cannot be written. A half-written copy may remain.
    package func backup(to path: String) throws(SQLiteError) {
        let copy = try Connection(path: path)
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(SQLITE_ERROR, sql: nil)
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw SQLiteError(
                code: code,
                message: "The backup to \(path) failed: "
                    + String(cString: sqlite3_errstr(code)))
        }
    }
}
