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
