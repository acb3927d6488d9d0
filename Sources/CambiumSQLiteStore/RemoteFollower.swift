import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Dispatch
import Synchronization

/// Notifies a receiver of commits by other connections to the file of a store.
///
/// SQLite tells whether another connection has committed; the history has the changes. Each change
/// is reported once: transactions that the store itself has written are skipped. The position in
/// the history is updated under the writer's lock, as the reports of saves are.
///
/// Another program that writes to the file may also turn its history off, restart it or damage it.
/// If the changes cannot be listed, they are reported as a loss, and contexts read all objects
/// again.
final class RemoteFollower: Sendable {
    private weak let store: SQLiteEngine?
    private weak let receiver: (any CommitReceiver)?
    /// A separate connection that sees commits without the writer's lock. Most checks find no
    /// commit, and need not block saves.
    private let lookout: LockedConnection?

    /// The reported state.
    private struct Seen {
        /// SQLite's data version on the lookout connection. It includes the store's own commits.
        var commits: StoredValue?
        /// SQLite's data version on the writer: it counts commits of other connections.
        var dataVersion: StoredValue?
        /// The identity of the store's history; nil if it has none.
        var epoch: UUID?
        /// The last change in it.
        var change: Int64 = 0
    }

    /// The changes of other connections.
    private enum Update {
        case nothing
        case changes(NetChanges)
        /// Unknown changes, or too many to list.
        case loss
    }

    private let seen = Mutex(Seen())
    private let watch = Mutex<CommitWatch?>(nil)

    init(_ store: SQLiteEngine, _ receiver: any CommitReceiver) throws {
        self.store = store
        self.receiver = receiver
        lookout = try store.readers?.makeReader(isQuiet: true)
    }

    /// Records the current state, and begins to watch the file.
    ///
    /// - Throws: ``StoreError`` if the file cannot be watched; any error of SQLite.
    func start(path: String) throws {
        guard let store else { return }
        try store.writer.withLock { connection in
            let (_, now) = try look(at: store, connection, after: Seen())
            seen.withLock { $0 = now }
        }
        let watch = try CommitWatch(path: path) { [weak self] in self?.follow() }
        self.watch.withLock { $0 = watch }
    }

    /// Reports the commits of other connections since the last call, if there are any.
    func follow() {
        guard let store, let receiver else { return }
        let commits = try? lookout?.withLock { try Self.dataVersion($0) }
        if commits != nil, commits == seen.withLock({ $0.commits }) { return }
        // If this fails (the store was closed, or is locked), the next commit tries again.
        let reported = try? store.writer.withLock { connection -> (isComplete: Bool, now: Seen)? in
            let found = try look(at: store, connection, after: seen.withLock { $0 })
            let isComplete = notify(found.update, of: store, to: receiver)
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

    /// Returns the changes since a known state, within one state of the store.
    private func look(
        at store: SQLiteEngine, _ connection: Connection, after known: Seen
    ) throws -> (update: Update, now: Seen) {
        try connection.transaction(.deferred) {
            var now = known
            now.dataVersion = try Self.dataVersion(connection)
            guard now.dataVersion != known.dataVersion else {
                // Only this store has committed, and it has reported that already.
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
                return (try update(for: store, reader, bounds, after: known), now)
            } catch is SQLiteError {
                // The history's tables are damaged. Without this report, contexts would keep old
                // values without notice.
                return (.loss, now)
            }
        }
    }

    private func update(
        for store: SQLiteEngine, _ reader: HistoryReader, _ bounds: HistoryReader.Bounds,
        after known: Seen
    ) throws -> Update {
        guard reader.epoch == known.epoch,
            known.change >= bounds.floor, known.change <= bounds.last,
            UInt64(bitPattern: bounds.last &- known.change) <= EntityChanges.maximumListedRows
        else { return .loss }
        var reader = reader
        // Contexts read the values from the rows.
        reader.readsValues = false
        var position = known.change
        var net = NetChanges(store.model)
        for transaction in try reader.transactions(HistoryRequest(), after: &position, bounds) {
            net.add(transaction, isKnown: transaction.writer == store.history.writer)
        }
        return .changes(net)
    }

    /// - Returns: Whether all changes were listed; nil if there were none.
    private func notify(
        _ update: Update, of store: SQLiteEngine, to receiver: any CommitReceiver
    ) -> Bool? {
        switch update {
        case .nothing:
            return nil
        case .loss:
            receiver.receive(nil, from: store.identifier)
            return false
        case .changes(let net):
            // A commit that changed no object: it reserved keys, or wrote notes.
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

/// Calls a closure after each write of any process to the files of a database, to check for new
/// commits.
///
/// A commit is written to the log before it is valid: the writer's last step is a change of shared
/// memory, and no file system reports that. After each write, the closure is therefore called
/// immediately, and again after 1, 2, 4, … milliseconds, for about a second. Without writes, there
/// are no calls. The process's own commits write to the same files, so the closure should be cheap.
final class CommitWatch: Sendable {
    private static let longestDelay = 512

    private let queue = DispatchQueue(label: "cambium.commits", qos: .utility)
    private let round = Atomic(0)
    private let ask: @Sendable () -> Void
    private let files = Mutex<FileWatch?>(nil)

    /// - Parameters:
    ///   - path: The path of the database.
    ///   - ask: Called on a separate thread. Calls do not overlap.
    /// - Throws: ``StoreError`` if the files cannot be watched.
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

/// Warns, once for each store, if another process writes to its file and this version of SQLite may
/// then lose pages. SQLite before 3.51.3 may lose pages if a checkpoint on one connection coincides
/// with a write on another. This cannot happen within a container, only with two containers or two
/// processes.
final class OtherWriters: Sendable {
    /// The first safe version, in SQLite's numbering.
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

    /// Checks, on the writer's connection, whether other connections have committed since the last
    /// call.
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
            "cambium: Another writer uses \(path) too: another process, or another container. "
                + "SQLite \(SQLiteLibrary.version) can lose pages then. 3.51.3 fixes this. "
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
        // Safety: a source may be cancelled from any thread, and it is not used in any other way
        // after its creation.
        nonisolated(unsafe) private let source: any DispatchSourceRead

        /// - Parameters:
        ///   - paths: The files. They may be overwritten completely, but not replaced by other
        ///     files.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` if the system has no more watches available.
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

        /// Discards the reports. Their content does not matter: there is only one kind of event.
        private static func empty(_ descriptor: Int32) {
            // Safety: `read` writes at most as many bytes as the buffer has, and the bytes are
            // never read.
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
        // Safety: a source may be cancelled from any thread, and it is not used in any other way
        // after its creation.
        nonisolated(unsafe) private let sources: [any DispatchSourceFileSystemObject]

        /// - Parameters:
        ///   - paths: The files. They may be overwritten completely, but not replaced by other
        ///     files.
        ///   - written: Called on the queue after one or more writes.
        /// - Throws: ``StoreError`` if a file cannot be opened.
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
