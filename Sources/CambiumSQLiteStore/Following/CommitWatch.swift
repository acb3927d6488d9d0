import CambiumEngine
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization

/// Asks for new commits whenever a process writes to the files of a database.
///
/// A commit is written to the log before it counts: the last thing that a writer does is to change
/// shared memory, which no file system tells of. So after each write the question is asked at once
/// and again after 1, 2, 4, … milliseconds, for about a second; when there is no writer, nothing is
/// asked. Own commits are written to the same files: a question should cost little.
final class CommitWatch: Sendable {
    private static let longestDelay = 512

    private let queue = DispatchQueue(label: "cambium.commits", qos: .utility)
    private let round = Atomic(0)
    private let ask: @Sendable () -> Void
    private let files = Mutex<FileWatch?>(nil)

    /// - Parameters:
    ///   - path: The path of the database.
    ///   - ask: Called on a thread of its own, one call after the other.
    /// - Throws: ``StoreError`` where the files cannot be watched.
    init(path: String, ask: @escaping @Sendable () -> Void) throws {
        self.ask = ask
        let path = ExternalForm.storeFile(behind: path)
        let watch = try FileWatch(paths: [path, path + "-wal"], queue: queue) { [weak self] in
            self?.begin()
        }
        files.withLock { $0 = watch }
        // Another process may have written before the watch began.
        queue.async { [weak self] in self?.begin() }
    }

    deinit {
        files.withLock { $0?.cancel() }
    }

    private func begin() {
        let round = round.wrappingAdd(1, ordering: .relaxed).newValue
        ask()
        askAgain(in: round, after: 1)
    }

    private func askAgain(in round: Int, after delay: Int) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
            guard let self, self.round.load(ordering: .relaxed) == round else { return }
            ask()
            if delay < Self.longestDelay { askAgain(in: round, after: delay * 2) }
        }
    }
}

/// Warns, once for each store, where another process writes to its file and the SQLite library is
/// one that can lose pages then: before 3.51.3, when a checkpoint on one connection meets a write
/// on another. Within a container that cannot happen; two containers, or two processes, can do it.
final class OtherWriters: Sendable {
    /// The first version that is safe, as SQLite numbers them.
    static let safeVersionNumber: Int32 = 3_051_003

    private struct State {
        var dataVersion: StoredValue?
        var hasWarned = false
    }

    private let state = Mutex(State())
    private let versionNumber: Int32
    private let warn: @Sendable (String) -> Void

    init(
        versionNumber: Int32 = SQLiteLibrary.versionNumber,
        warn: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
    ) {
        self.versionNumber = versionNumber
        self.warn = warn
    }

    /// Looks, on the connection of the writer, whether others have committed since the last time.
    func look(_ connection: Connection, path: String) {
        guard versionNumber < Self.safeVersionNumber,
            let version = try? connection.rows(PragmaSQL.dataVersion).first?.first
        else { return }
        let isFirstSight = state.withLock { state in
            let isOthers = state.dataVersion.map { $0 != version } ?? false
            state.dataVersion = version
            guard isOthers, !state.hasWarned else { return false }
            state.hasWarned = true
            return true
        }
        guard isFirstSight else { return }
        warn(
            "cambium: Somebody else writes to \(path) too: another process, or another container. "
                + "SQLite \(SQLiteLibrary.version) can lose pages then, which 3.51.3 mends. "
                + "Update libsqlite3, or let one container write.\n")
    }
}
