import CambiumModel
import Dispatch
import Synchronization

/// Asks for new commits whenever somebody writes to the files of a database.
///
/// A commit is written to the log before it counts: the last thing that a writer does is to change
/// shared memory, which no file system tells of. So after each write the question is asked at once
/// and again after 1, 2, 4, … milliseconds, for about a second; when nobody writes, nothing is
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
        // Somebody may have written before the watch began.
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
