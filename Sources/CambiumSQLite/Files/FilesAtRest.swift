import CSQLite
import CambiumModel

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
