import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization

/// Tells a receiver what others have committed to the file of a store.
///
/// SQLite says whether anybody but this connection has committed; the history says what. Each
/// change is reported once: the transactions that the store itself has written are passed over, and
/// the place in the history goes on under the writer's lock, in which saves are reported too.
///
/// Another program that writes to the file may also turn its history off, start it over or damage
/// it: what cannot be reported as a list is reported as a loss, after which contexts read
/// everything again.
final class RemoteFollower: Sendable {
    private weak let store: SQLiteEngine?
    private weak let receiver: (any CommitReceiver)?
    /// A connection of its own, which sees commits without the writer's lock: most questions find
    /// none, and saves need not wait for them.
    private let lookout: LockedConnection?

    /// What has been reported.
    private struct Seen {
        /// SQLite's number of what the lookout has seen, own commits among it.
        var commits: StoredValue?
        /// The number of what others have committed.
        var dataVersion: StoredValue?
        /// Which history the store had; nil for none.
        var epoch: UUID?
        /// The last change in it.
        var change: Int64 = 0
    }

    /// What others have done.
    private enum News {
        case nothing
        case changes(NetChanges)
        /// Their changes are unknown, or too many to be listed.
        case loss
    }

    private let seen = Mutex(Seen())
    private let watch = Mutex<CommitWatch?>(nil)

    init(_ store: SQLiteEngine, _ receiver: any CommitReceiver) throws {
        self.store = store
        self.receiver = receiver
        lookout = try store.readers?.makeReader(isQuiet: true)
    }

    /// Notes what is there now, and watches the file.
    ///
    /// - Throws: ``StoreError`` where the file cannot be watched; what SQLite throws.
    func start(path: String) throws {
        guard let store else { return }
        try store.writer.withLock { connection in
            let (_, now) = try look(at: store, connection, after: Seen())
            seen.withLock { $0 = now }
        }
        let watch = try CommitWatch(path: path) { [weak self] in self?.follow() }
        self.watch.withLock { $0 = watch }
    }

    /// Tells what others have committed since the last time; nothing where there is none.
    func follow() {
        guard let store, let receiver else { return }
        let commits = try? lookout?.withLock { try Self.dataVersion($0) }
        if commits != nil, commits == seen.withLock({ $0.commits }) { return }
        // What fails now (the store was closed, or is locked) is asked again with the next commit.
        let reported = try? store.writer.withLock { connection -> (isComplete: Bool, now: Seen)? in
            let found = try look(at: store, connection, after: seen.withLock { $0 })
            let isComplete = tell(found.news, of: store, to: receiver)
            seen.withLock { seen in
                seen = found.now
                seen.commits = commits
            }
            return isComplete.map { ($0, found.now) }
        }
        guard let reported else { return }
        let token = reported.now.epoch.map {
            HistoryToken([store.identifier.uuid: .init(epoch: $0, change: reported.now.change)])
        }
        receiver.announce(store.identifier, at: token, isComplete: reported.isComplete)
    }

    private static func dataVersion(_ connection: Connection) throws -> StoredValue? {
        try connection.rows(PragmaSQL.dataVersion).first?.first
    }

    /// What has happened since, as one state of the store has it.
    private func look(
        at store: SQLiteEngine, _ connection: Connection, after known: Seen
    ) throws -> (news: News, now: Seen) {
        try connection.transaction(.deferred) {
            var now = known
            now.dataVersion = try Self.dataVersion(connection)
            guard now.dataVersion != known.dataVersion else {
                // Only the store has committed, and has reported it.
                if let epoch = known.epoch {
                    now.change = try store.historyReader(connection, epoch).bounds().last
                }
                return (.nothing, now)
            }
            do {
                guard let reader = try store.historyReader(connection) else {
                    now.epoch = nil
                    return (.loss, now)
                }
                let bounds = try reader.bounds()
                now.epoch = reader.epoch
                now.change = bounds.last
                return (try news(for: store, reader, bounds, after: known), now)
            } catch is SQLiteError {
                // Its tables are not what they should be. To wait for better ones would leave
                // contexts with old values, without notice.
                return (.loss, now)
            }
        }
    }

    private func news(
        for store: SQLiteEngine, _ reader: HistoryReader, _ bounds: HistoryReader.Bounds,
        after known: Seen
    ) throws -> News {
        guard reader.epoch == known.epoch,
            known.change >= bounds.floor, known.change <= bounds.last,
            UInt64(bitPattern: bounds.last &- known.change) <= EntityChanges.maximumListedRows
        else { return .loss }
        var reader = reader
        // Contexts read the rows.
        reader.readsValues = false
        var position = known.change
        var net = NetChanges(store.model)
        for transaction in try reader.transactions(HistoryRequest(), after: &position, bounds) {
            net.add(transaction, isKnown: transaction.writer == store.history.writer)
        }
        return .changes(net)
    }

    /// - Returns: Whether all changes could be reported; nil where there were none.
    private func tell(
        _ news: News, of store: SQLiteEngine, to receiver: any CommitReceiver
    ) -> Bool? {
        switch news {
        case .nothing:
            return nil
        case .loss:
            receiver.receive(nil, from: store.identifier)
            return false
        case .changes(let net):
            // A commit that changed no object: keys were reserved, or the program noted something.
            guard net.count > 0 else { return nil }
            receiver.receive(net.entities, from: store.identifier)
            return true
        }
    }
}

extension SQLiteEngine {
    package func followOthers(for receiver: any CommitReceiver) throws {
        guard let path else { return }
        let follower = try RemoteFollower(self, receiver)
        try follower.start(path: path)
        self.follower.withLock { $0 = follower }
    }
}

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

#if canImport(Glibc) || canImport(Musl) || canImport(Bionic)

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Bionic
    #endif

    /// Reports writes to files, by inotify.
    final class FileWatch: Sendable {
        // Safety: a source may be cancelled from any thread, and nothing else is done with it once
        // it is made.
        nonisolated(unsafe) private let source: any DispatchSourceRead

        /// - Parameters:
        ///   - paths: Files. They may be written as a whole, but not be replaced by others.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` where the system has no more watches to give.
        init(
            paths: [String], queue: DispatchQueue, written: @escaping @Sendable () -> Void
        ) throws {
            let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { throw StoreError.cannotWatch(paths, errno) }
            for path in paths
            where inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) < 0 {
                let reason = errno
                close(descriptor)
                throw StoreError.cannotWatch([path], reason)
            }
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                Self.empty(descriptor)
                written()
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
        }

        func cancel() { source.cancel() }

        /// Takes what was reported. What it says does not matter: there is one reason only.
        private static func empty(_ descriptor: Int32) {
            // Safety: `read` writes no more than the bytes that the buffer has, and what it writes
            // is not looked at.
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        }
    }
#endif

#if canImport(Darwin)
    import Darwin

    /// Reports writes to files, by kqueue.
    final class FileWatch: Sendable {
        // Safety: a source may be cancelled from any thread, and nothing else is done with it once
        // it is made.
        nonisolated(unsafe) private let sources: [any DispatchSourceFileSystemObject]

        /// - Parameters:
        ///   - paths: Files. They may be written as a whole, but not be replaced by others.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` where a file cannot be opened.
        init(
            paths: [String], queue: DispatchQueue, written: @escaping @Sendable () -> Void
        ) throws {
            var sources: [any DispatchSourceFileSystemObject] = []
            for path in paths {
                let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
                guard descriptor >= 0 else {
                    let reason = errno
                    for source in sources { source.cancel() }
                    throw StoreError.cannotWatch([path], reason)
                }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
                source.setEventHandler(handler: written)
                source.setCancelHandler { close(descriptor) }
                source.activate()
                sources.append(source)
            }
            self.sources = sources
        }

        func cancel() {
            for source in sources { source.cancel() }
        }
    }
#endif
