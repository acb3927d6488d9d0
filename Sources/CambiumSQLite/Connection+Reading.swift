extension Connection {
    /// Opens a database for reading only.
    ///
    /// A program that was killed while it wrote has left a file that is half of one transaction. What
    /// that has written is taken back first, as every program that opens the file does, and as SQLite
    /// does not where it was told to read only.
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
            guard error.code == mustRollBackCode else { throw error }
        }
        _ = try Connection(path: path, mode: .readWrite, settings: settings).rows(look)
        return try Connection(path: path, mode: .readOnly, settings: settings)
    }
}
