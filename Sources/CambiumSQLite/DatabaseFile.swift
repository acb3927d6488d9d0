import CSQLite
import CambiumModel

/// What tells one file from another as long as both exist.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    fileprivate init(_ state: cambium_file_state) {
        (device, number) = (state.device, state.number)
    }

    /// What has become of the file by now, as far as its name tells; nil where it is there.
    ///
    /// - Parameter path: Where it was.
    package func change(at path: String) -> FileChange? {
        change(at: path, nil)
    }

    /// - Parameter state: Is set to what there is at the path now.
    fileprivate func change(
        at path: UnsafePointer<CChar>, _ state: UnsafeMutablePointer<cambium_file_state>?
    ) -> FileChange? {
        var found = cambium_file_state()
        guard cambium_file_exists(path, &found) != 0 else { return .removed }
        state?.pointee = found
        // Where the system does not tell, SQLite finds out.
        return found.number == 0 || FileIdentity(found) == self ? nil : .replaced
    }
}

/// The files of an open database, and whether they are still those at its path.
///
/// Deleted and replaced files show by their numbers. For content that another program has written over
/// a file there is one rule: while a log is in use, only checkpoints write the file. So as long as the
/// log's index says that no checkpoint has moved anything (``LogProgress``), the beginning of the file
/// is the same. It is read again only where the file's size or time is another one.
final class DatabaseFile {
    /// What a file had in it that only a checkpoint may change.
    private struct Content {
        let state: cambium_file_state
        var progress: LogProgress
        let digest: UInt64
        /// Whether whatever is written from now on gives the file another time. Many systems count
        /// time in steps of some milliseconds.
        let isOld: Bool
    }

    // Safety: here and below, SQLite's own texts, which live as long as the connection; it owns
    // this object.
    private let path: UnsafePointer<CChar>
    private let log: UnsafePointer<CChar>
    private let index: [CChar]
    let identity: FileIdentity
    private var logIdentity: FileIdentity?
    private var indexIdentity: FileIdentity?
    private var content: Content?

    /// - Parameter database: A connection that has just been opened. Nil where it has no file, or one
    ///   of a file system of the program's own.
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

    /// Whether the log was seen, which SQLite opens with the first transaction.
    var knowsLog: Bool { logIdentity != nil }

    /// What others have done. See ``Connection/fileChange``.
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

    /// Notes that the log has begun anew, which writes nothing to the file: after a commit, and
    /// whenever the file is as it was.
    func noteProgress(of database: OpaquePointer) {
        guard let known = content, let progress = LogProgress(of: database), progress.isAtRest,
            progress != known.progress
        else { return }
        var state = cambium_file_state()
        guard cambium_file_exists(path, &state) != 0 else { return }
        if !known.isOld {
            // It is read again: its time says nothing yet.
            _ = isOverwritten(state, database)
        } else if known.state.isUnwritten(since: state) {
            content?.progress = progress
        }
    }

    /// - Parameter known: What the file was the first time; is noted then.
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

    /// Whether the file was written by something else than a checkpoint. One that is not sure is
    /// none: what is noted is noted while nobody writes.
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

    /// Of the first pages, which name the store; nil where they cannot be read.
    private static func digest(of database: OpaquePointer) -> UInt64? {
        let count = 32_768
        // Safety: the bytes are all written before they are read, and aligned.
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

    /// Makes the log an empty one, where it is the one that was open.
    func emptyLog() {
        guard isLogThere else { return }
        // Where that is not possible, what to do about it is in the error's message.
        _ = cambium_file_empty(log)
    }

    /// Gives the log another name, where it is the one that was open: what it holds is in no file.
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

/// How far a log is in its file.
private struct LogProgress: Equatable {
    private let salts: UInt64
    private let frames: UInt32
    private let begun: UInt32

    init?(of database: OpaquePointer) {
        var words: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        // Safety: a tuple of four has the room that the function writes.
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
    /// Whether a file has the same size and time as another state says.
    fileprivate func isUnwritten(since other: cambium_file_state) -> Bool {
        size == other.size && seconds == other.seconds && nanoseconds == other.nanoseconds
    }

    /// Whether the file was written longer ago than the steps that a system's time has.
    fileprivate var isOld: Bool { cambium_file_age(self) > 1 }
}

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

/// The files of a database that nobody has open, or that nobody can write.
package struct FilesAtRest {
    private let path: String

    /// - Parameter path: The path of the database, which may be a link to it.
    package init(of path: String) {
        self.path = ExternalForm.storeFile(behind: path)
    }

    /// Why the file alone is not the whole database; nil where it is.
    package var obstacle: String? {
        if isLonger(than: Self.logHeaderSize, path + "-wal") {
            return "its log, \(path)-wal, has changes that are not in the file"
        }
        if beginsAJournal(path + "-journal") {
            return "a program that was killed has left the journal \(path)-journal, with which "
                + "what it wrote has to be taken back"
        }
        return nil
    }

    /// Why the database cannot be read where it is, as one sentence; nil where it can, or where it is
    /// not on a file system that was mounted for reading only.
    package func obstacleOfMount(
        _ isReadOnly: (String) -> Bool = FilesAtRest.isMountedReadOnly
    ) -> String? {
        guard isReadOnly(path), let obstacle else { return nil }
        return "\(path) is on a file system that is mounted for reading only, and \(obstacle)."
    }

    /// What to do about such an obstacle.
    package static let remedyOfMount =
        "Copy it, with the files beside it, to where it can be written, and open it there once."

    /// Whether the file system of a file was mounted for reading only.
    package static func isMountedReadOnly(_ path: String) -> Bool {
        cambium_is_mounted_read_only(path) != 0
    }

    /// The changes follow it (sqlite.org/walformat.html).
    private static let logHeaderSize = 32

    private func isLonger(than size: Int, _ path: String) -> Bool {
        var state = cambium_file_state()
        return cambium_file_exists(path, &state) != 0 && state.size > size
    }

    /// A journal that is done with is gone, empty, or begins with zeros (sqlite.org/fileformat.html,
    /// 3).
    private func beginsAJournal(_ path: String) -> Bool {
        guard isLonger(than: 0, path) else { return false }
        return cambium_file_first_byte(path) != 0
    }
}
