import CSQLite

/// What other programs have done to the files of a database that is open.
///
/// SQLite goes on with the files that it has opened: what it writes then is lost, or damages what
/// is there now.
package enum FileChange: Sendable, Hashable {
    /// There is no file at the path any more.
    case removed
    /// There is another file at the path.
    case replaced
    /// The file has other content, which did not come through SQLite.
    case overwritten
    /// The log, or its index, is not there any more.
    case logRemoved
    /// There is another log, or another index of it.
    case logReplaced

    /// What happened, as a sentence without its full stop.
    package var words: String {
        switch self {
        case .removed: "The file was deleted or moved"
        case .replaced: "Another file was put in its place"
        case .overwritten: "The file was overwritten by another program"
        case .logRemoved: "The file of its log (-wal or -shm) was deleted or moved"
        case .logReplaced: "Another log (-wal or -shm) was put beside it"
        }
    }
}

extension SQLiteError {
    /// `SQLITE_READONLY_DBMOVED`, with which SQLite itself refuses where it notices.
    static let movedCode: Int32 = 1032

    /// Says that the files of an open database are not at its path any more.
    package init(_ change: FileChange) {
        self.init(code: Self.movedCode, message: change.words)
    }

    /// Whether the files of an open database were deleted or replaced.
    package var isOfMovedFile: Bool { code == Self.movedCode }
}

extension Connection {
    /// What other programs have done to the files of the database since they were opened; nil where
    /// nothing, and for a database in memory. Takes a few microseconds.
    ///
    /// Files that are overwritten, and logs that are deleted, are found in a write-ahead log alone,
    /// and once the connection has begun to write.
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
