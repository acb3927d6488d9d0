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
