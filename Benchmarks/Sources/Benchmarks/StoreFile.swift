import Foundation

/// A database file of one column for one round, with a connection of its own that outlives those
/// that are measured: so closing a measured one never removes the log, and what was written is
/// read back by code that did not write it.
final class StoreFile {
    let path: String
    private let layout: TableLayout
    private var inspector: RawConnection?

    init(path: String, layout: TableLayout) {
        self.path = path
        self.layout = layout
    }

    /// Removes what an earlier round left and opens what `make` puts at the path.
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

    /// Finishes the checkpoint that the last commit put off; the milliseconds that it took.
    func settle() throws -> Double {
        var stopwatch = Stopwatch()
        try stopwatch.time { try connection().checkpoint() }
        return stopwatch.milliseconds
    }

    /// What is stored now.
    func contents() throws -> Checksum {
        try connection().scan()
    }

    private func connection() throws -> RawConnection {
        guard let inspector else { throw RawError("\(path) is used before it is made") }
        return inspector
    }
}
