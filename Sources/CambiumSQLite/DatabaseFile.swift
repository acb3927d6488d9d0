import CSQLite
import CambiumModel

/// The identity of a file. It distinguishes files as long as they exist.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    fileprivate init(_ state: cambium_file_state) {
        (device, number) = (state.device, state.number)
    }

    /// Returns the change of the file according to its path, or nil if it is still there.
    ///
    /// - Parameter path: The path that it had.
    package func change(at path: String) -> FileChange? {
        change(at: path, nil)
    }

    /// - Parameter state: Receives the state of the file that is at the path now.
    fileprivate func change(
        at path: UnsafePointer<CChar>, _ state: UnsafeMutablePointer<cambium_file_state>?
    ) -> FileChange? {
        var found = cambium_file_state()
        guard cambium_file_exists(path, &found) != 0 else { return .removed }
        state?.pointee = found
        // If the system has no file numbers, SQLite itself detects the change.
        return found.number == 0 || FileIdentity(found) == self ? nil : .replaced
    }
}

/// The files of an open database. It detects whether they are still the files at its path.
///
/// Deleted and replaced files have other numbers. Overwritten content is detected by one rule:
/// while a log is in use, only checkpoints write the file. As long as the log's index shows that no
/// checkpoint has moved anything (``LogProgress``), the beginning of the file must not change. It
/// is read again only if the file's size or time has changed.
final class DatabaseFile {
    /// The content of a file that only a checkpoint may change.
    private struct Content {
        let state: cambium_file_state
        var progress: LogProgress
        let digest: UInt64
        /// Whether a later write changes the time of the file. Many systems count time in steps of
        /// some milliseconds.
        let isOld: Bool
    }

    // Safety: here and below, SQLite owns the texts and keeps them as long as the connection
    // exists; the connection owns this object.
    private let path: UnsafePointer<CChar>
    private let log: UnsafePointer<CChar>
    private let index: [CChar]
    let identity: FileIdentity
    private var logIdentity: FileIdentity?
    private var indexIdentity: FileIdentity?
    private var content: Content?

    /// - Parameter database: A connection that was just opened. Returns nil if it has no file, or a
    ///   file in a custom file system.
    init?(of database: OpaquePointer) {
        guard let path = sqlite3_db_filename(database, "main"), path.pointee != 0,
            let log = sqlite3_filename_wal(path)
        else { return nil }
        var state = cambium_file_state()
        guard cambium_file_exists(path, &state) != 0, state.number != 0 else { return nil }
        self.path = path
        self.log = log
        index = Array((String(cString: path) + "-shm").utf8CString)
        identity = FileIdentity(state)
    }

    /// Whether the log is known. SQLite opens it with the first transaction.
    var knowsLog: Bool { logIdentity != nil }

    /// Returns the change that another program has made. See ``Connection/fileChange``.
    ///
    /// - Parameter hasLog: Whether the connection writes to a log, and has begun to.
    func change(of database: OpaquePointer, hasLog: Bool) -> FileChange? {
        var state = cambium_file_state()
        if let change = identity.change(at: path, &state) { return change }
        guard hasLog, state.number != 0 else { return nil }
        if let change = Self.change(of: log, &logIdentity) { return change }
        if let change = Self.change(of: index, &indexIdentity) { return change }
        if let content, content.isOld, content.state.isUnwritten(since: state) {
            noteProgress(of: database)
            return nil
        }
        return isOverwritten(state, database) ? .overwritten : nil
    }

    /// Records that the log was restarted. A restart does not write to the file. Called after a
    /// commit, and whenever the file is unchanged.
    func noteProgress(of database: OpaquePointer) {
        guard let known = content, let progress = LogProgress(of: database), progress.isAtRest,
            progress != known.progress
        else { return }
        var state = cambium_file_state()
        guard cambium_file_exists(path, &state) != 0 else { return }
        if !known.isOld {
            // The file is read again, because its time is too recent to be conclusive.
            _ = isOverwritten(state, database)
        } else if known.state.isUnwritten(since: state) {
            content?.progress = progress
        }
    }

    /// - Parameter known: The identity of the file at the first call, which sets it.
    private static func change(
        of path: UnsafePointer<CChar>, _ known: inout FileIdentity?
    ) -> FileChange? {
        var state = cambium_file_state()
        guard cambium_file_exists(path, &state) != 0 else {
            return known == nil ? nil : .logRemoved
        }
        guard state.number != 0 else { return nil }
        guard let former = known else {
            known = FileIdentity(state)
            return nil
        }
        return former == FileIdentity(state) ? nil : .logReplaced
    }

    /// Returns whether something other than a checkpoint has written the file. Returns false if
    /// that is uncertain: the content is recorded only while nothing writes it.
    private func isOverwritten(_ state: cambium_file_state, _ database: OpaquePointer) -> Bool {
        guard logIdentity != nil, indexIdentity != nil,
            let progress = LogProgress(of: database), progress.isAtRest
        else { return false }
        var now = cambium_file_state()
        guard let digest = Self.digest(of: database), cambium_file_exists(path, &now) != 0,
            now.isUnwritten(since: state),
            LogProgress(of: database) == progress
        else { return false }
        if let content, content.progress == progress, content.digest != digest { return true }
        content = Content(
            state: state, progress: progress, digest: digest, isOld: state.isOld)
        return false
    }

    /// Returns a digest of the first pages, including the store's metadata, or nil if they cannot
    /// be read.
    private static func digest(of database: OpaquePointer) -> UInt64? {
        let count = 32_768
        // Safety: all bytes are written before they are read, and they are aligned.
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
            guard cambium_sqlite_read_file(database, bytes.baseAddress, Int32(count)) != 0 else {
                return nil
            }
            var digest: UInt64 = 0xcbf2_9ce4_8422_2325
            for word in bytes.bindMemory(to: UInt64.self) {
                digest = (digest ^ word) &* 0x9e37_79b9_7f4a_7c15
                digest ^= digest >> 29
            }
            return digest
        }
    }

    /// Empties the log, if it is the one that was open.
    func emptyLog() {
        guard isLogThere else { return }
        // If that fails, the error's message contains the remedy.
        _ = cambium_file_empty(log)
    }

    /// Renames the log, if it is the one that was open: its changes are in no file.
    func setLogAside() {
        guard isLogThere else { return }
        // As above.
        _ = cambium_file_rename(log, String(cString: log) + ".left")
    }

    private var isLogThere: Bool {
        var state = cambium_file_state()
        guard let logIdentity, cambium_file_exists(log, &state) != 0 else { return false }
        return FileIdentity(state) == logIdentity
    }
}

/// The progress of moving a log into its file.
private struct LogProgress: Equatable {
    private let salts: UInt64
    private let frames: UInt32
    private let begun: UInt32

    init?(of database: OpaquePointer) {
        var words: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        // Safety: a tuple of four has the space that the function writes.
        let isKnown = withUnsafeMutableBytes(of: &words) { bytes in
            cambium_sqlite_read_log_state(
                database, bytes.assumingMemoryBound(to: UInt32.self).baseAddress)
        }
        guard isKnown != 0 else { return nil }
        (salts, frames, begun) = (UInt64(words.0) << 32 | UInt64(words.1), words.2, words.3)
    }

    /// Whether no checkpoint is writing.
    var isAtRest: Bool { frames == begun }
}

extension cambium_file_state {
    /// Returns whether a file has the same size and time as in another state.
    fileprivate func isUnwritten(since other: cambium_file_state) -> Bool {
        size == other.size && seconds == other.seconds && nanoseconds == other.nanoseconds
    }

    /// Whether the file was written longer ago than the resolution of the system's file times.
    fileprivate var isOld: Bool { cambium_file_age(self) > 1 }
}

/// A change that another program has made to the files of an open database.
///
/// After such a change, SQLite continues to use the files that it has opened. Its writes are then
/// lost, or damage the new files.
package enum FileChange: Sendable, Hashable {
    /// The file at the path was deleted or moved.
    case removed
    /// The file at the path was replaced.
    case replaced
    /// The content of the file was overwritten, but not by SQLite.
    case overwritten
    /// The log, or its index, was deleted or moved.
    case logRemoved
    /// The log, or its index, was replaced.
    case logReplaced

    /// A sentence about the change, without the full stop.
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
    /// `SQLITE_READONLY_DBMOVED`, the code that SQLite itself returns if it detects such a change.
    static let movedCode: Int32 = 1032

    /// Creates an error: the files of an open database are no longer at its path.
    package init(_ change: FileChange) {
        self.init(code: Self.movedCode, message: change.words)
    }

    /// Whether the files of an open database were deleted or replaced.
    package var isOfMovedFile: Bool { code == Self.movedCode }
}

/// The files of a database that no connection has open, or that are read-only.
package struct FilesAtRest {
    private let path: String

    /// - Parameter path: The path of the database. It may be a link to it.
    package init(of path: String) {
        self.path = ExternalForm.storeFile(behind: path)
    }

    /// The reason why the file alone is not the complete database, or nil if it is.
    package var problem: String? {
        if isLonger(than: Self.logHeaderSize, path + "-wal") {
            return "its log, \(path)-wal, has changes that are not in the file"
        }
        if beginsAJournal(path + "-journal") {
            return "a program that was killed has left the journal \(path)-journal, with which "
                + "its changes have to be rolled back"
        }
        return nil
    }

    /// Returns the reason why the database cannot be read in its location, as one sentence. Nil if
    /// it can be read, or if it is not on a read-only file system.
    package func problemOfMount(
        _ isReadOnly: (String) -> Bool = FilesAtRest.isMountedReadOnly
    ) -> String? {
        guard isReadOnly(path), let problem else { return nil }
        return "\(path) is on a file system that is mounted for reading only, and \(problem)."
    }

    /// The remedy for this problem.
    package static let remedyOfMount =
        "Copy it, with the files beside it, to where it can be written, and open it there once."

    /// Returns whether a file is on a read-only file system.
    package static func isMountedReadOnly(_ path: String) -> Bool {
        cambium_is_mounted_read_only(path) != 0
    }

    /// The changes follow the header (sqlite.org/walformat.html).
    private static let logHeaderSize = 32

    private func isLonger(than size: Int, _ path: String) -> Bool {
        var state = cambium_file_state()
        return cambium_file_exists(path, &state) != 0 && state.size > size
    }

    /// Returns whether there is a journal to roll back. A finished journal is deleted, empty, or
    /// begins with zeros (sqlite.org/fileformat.html, 3).
    private func beginsAJournal(_ path: String) -> Bool {
        guard isLonger(than: 0, path) else { return false }
        return cambium_file_first_byte(path) != 0
    }
}
