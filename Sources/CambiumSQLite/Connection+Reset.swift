import CSQLite

extension Connection {
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
}
