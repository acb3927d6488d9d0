import Foundation

/// A database file of one column for one round. It has a separate connection that stays open longer
/// than the measured ones. Closing a measured connection therefore never removes the log, and other
/// code than the writer reads the data back.
final class StoreFile {
    let path: String
    private let layout: TableLayout
    private var inspector: RawConnection?

    init(path: String, layout: TableLayout) {
        self.path = path
        self.layout = layout
    }

    /// Removes the file of an earlier round, and opens the file that `make` creates at the path.
    func renew(_ make: (String) throws -> Void) throws {
        remove()
        try make(path)
        inspector = try RawConnection(path: path, layout: layout)
    }

    func remove() {
        inspector = nil
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Completes the checkpoint that the last commit left for later, and returns the time in
    /// milliseconds.
    func settle() throws -> Double {
        var stopwatch = Stopwatch()
        try stopwatch.time { try connection().checkpoint() }
        return stopwatch.milliseconds
    }

    /// Returns the checksum of the stored rows.
    func contents() throws -> Checksum {
        try connection().scan()
    }

    private func connection() throws -> RawConnection {
        guard let inspector else { throw RawError("\(path) is used before it is made") }
        return inspector
    }
}
