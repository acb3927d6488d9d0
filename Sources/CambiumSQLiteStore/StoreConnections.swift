import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// A connection that several isolations use one after the other.
final class LockedConnection: @unchecked Sendable {
    // Safety: the connection is used only inside `withLock`, or inside `withoutLock` by its
    // exclusive owner. The owner takes it out under one lock (that of the idle readers), uses it
    // under another (that of the kept reader), and gives it back under the first. Therefore one
    // thread at a time uses it, and sees the effects of the thread before. SQLite requires no more
    // than that.
    @exclusivity(unchecked) private var connection: Connection?
    /// The operation on the store's file, for errors; nil if there is no file.
    private let use: StoreUse?
    private let lock = ThreadLock()
    // Safety: as for the connection.
    /// Whether the connection is closed as soon as its user has finished.
    @exclusivity(unchecked) private var closesAfterUse = false

    init(_ connection: sending Connection, for use: StoreUse?) {
        self.connection = connection
        self.use = use
    }

    /// - Throws: The error that the closure throws. ``StoreError`` if the connection was closed, if
    ///   the store was destroyed meanwhile, or if this thread is already using the connection: it
    ///   would wait for itself.
    func withLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        try lock.withLock {
            guard let connection else { throw StoreError.closed }
            defer { if closesAfterUse { self.connection = nil } }
            do {
                return try body(connection)
            } catch {
                throw meaning(of: error, connection)
            }
        }
    }

    /// Uses the connection inside ``withLock(_:)`` of the same thread.
    ///
    /// - Throws: The error that the closure throws; ``StoreError`` if the thread is not using the
    ///   connection.
    func insideLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        guard isUsedByCaller, let connection else { throw StoreError.closed }
        do {
            return try body(connection)
        } catch {
            throw meaning(of: error, connection)
        }
    }

    /// Whether the calling thread is using the connection.
    var isUsedByCaller: Bool { lock.isHeldByCaller }

    /// Uses the connection without checking for other users.
    ///
    /// The caller has exclusive access: it removed the connection from the idle ones, and ensures
    /// that one thread at a time calls this.
    @inline(__always)
    func withoutLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // Safety: the caller has exclusive access, so the connection is not closed.
        guard let connection = connection.map({ uncounted($0) }) else { throw StoreError.closed }
        return try connection.use { connection in
            do {
                return try body(connection)
            } catch {
                throw meaning(of: error, connection)
            }
        }
    }

    /// Translates an error for the user of the connection.
    private func meaning(of error: any Error, _ connection: Connection) -> any Error {
        // It is always cleared, because the next error has other reasons.
        let failure = connection.takeFunctionFailure()
        guard let error = error as? SQLiteError else { return error }
        return failure ?? StoreError(error, in: use, on: connection) ?? error
    }

    /// Closes the connection as soon as it is not in use.
    func close() {
        // The lock is refused only to a thread that already holds it.
        do { try lock.withLock { connection = nil } } catch { closesAfterUse = true }
    }
}

/// A pool of connections for reading. A fetch uses one exclusively, so that readers wait neither
/// for each other nor for the writer.
final class ReaderPool: Sendable {
    private let use: StoreUse
    private let isReadOnly: Bool
    private let settings: ConnectionSettings
    /// The file that the store was opened with.
    private let file: FileIdentity?
    private let idle = IdleReaders()
    private let kept: KeptReader
    private let users = WorkingThreads()

    init(
        for use: StoreUse, file: FileIdentity?, isReadOnly: Bool, settings: ConnectionSettings
    ) {
        self.use = use
        self.file = file
        self.isReadOnly = isReadOnly
        self.settings = settings
        kept = KeptReader(idle, usualCache: settings.setsCache ? nil : PragmaSQL.readerCache)
    }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        _ = noteRead(isOfRow: false)
        return try withIdleReader(body)
    }

    /// Reads one row of many that are read in succession. The row may be as old as the transaction
    /// that is kept open for them, but not older than a commit of this process.
    @inline(__always)
    func withRowReader(at commit: Int64, _ body: (Connection) throws -> Void) throws {
        // Safety: the pool retains it.
        if try uncounted(kept).use({ try $0.read(at: commit, body) }) { return }
        if noteRead(isOfRow: true), try kept.read(at: commit, body) { return }
        try withIdleReader(body)
    }

    /// - Returns: Whether a connection is kept from now on.
    private func noteRead(isOfRow: Bool) -> Bool {
        // An observer of statements must see all requested statements, and no others.
        settings.observer == nil && kept.noteRead(isOfRow: isOfRow) { try makeReader() }
    }

    private func withIdleReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // Creating a reader may call a statement hook too.
        try users.noting {
            let reader = try idle.take() ?? makeReader()
            defer { idle.giveBack(reader) }
            return try reader.withLock(body)
        }
    }

    /// Creates a connection for reading that its user retains.
    ///
    /// - Parameter isQuiet: Whether no observer is notified of its statements.
    func makeReader(isQuiet: Bool = false) throws -> LockedConnection {
        var settings = settings
        if isQuiet { settings.observer = nil }
        let connection = try connection(settings)
        try connection.execute(PragmaSQL.onlyReading)
        if !settings.setsCache { try connection.execute(PragmaSQL.readerCache) }
        return LockedConnection(connection, for: use)
    }

    private func connection(_ settings: ConnectionSettings) throws -> Connection {
        do throws(SQLiteError) {
            // The rows of another file are not the store's, and its log must not be used with the
            // old file.
            if let change = file?.change(at: use.path) { throw SQLiteError(change) }
            return try Connection(
                path: use.path, mode: isReadOnly ? .readOnly : .readWrite, settings: settings)
        } catch {
            throw StoreError(error, in: use, on: nil) ?? error
        }
    }

    /// Ends the kept read transaction, after a commit or before work without readers.
    func releaseLock() {
        kept.release()
    }

    /// Whether the calling thread is reading.
    var isUsedByCaller: Bool { users.includeCaller }

    /// Closes the idle connections; connections in use are closed when they are given back.
    func close() {
        kept.close()
        idle.close()
    }
}

extension ConnectionSettings {
    /// Whether the program sets the size of the caches.
    fileprivate var setsCache: Bool { pragmas.contains { $0.contains("cache_size") } }
}

/// The idle connections for reading.
final class IdleReaders: Sendable {
    private static let maximum = 4

    private struct Readers {
        /// The reader that was used last is the last one, and is taken first: each reader has a
        /// cache of pages, and unused ones stay empty.
        var idle: [LockedConnection] = []
        var isClosed = false
    }

    private let readers = Mutex(Readers())

    /// Removes and returns a reader for exclusive use, or returns nil if there is none.
    ///
    /// - Throws: ``StoreError`` after they were closed.
    @inline(never)
    func take() throws -> LockedConnection? {
        try readers.withLock { readers in
            guard !readers.isClosed else { throw StoreError.closed }
            return readers.idle.popLast()
        }
    }

    /// Removes and returns the reader that was used least recently. Returns nil if there is none,
    /// or after they were closed.
    ///
    /// - Parameter rest: The number of readers that must remain.
    func takeLeastUsed(leaving rest: Int) -> LockedConnection? {
        readers.withLock { $0.idle.count > rest ? $0.idle.removeFirst() : nil }
    }

    /// Gives a reader back. If there are too many, it is released.
    ///
    /// - Parameter isLeastUsed: Whether it came from ``takeLeastUsed(leaving:)``.
    @inline(never)
    func giveBack(_ reader: LockedConnection, isLeastUsed: Bool = false) {
        readers.withLock { readers in
            guard readers.idle.count < Self.maximum, !readers.isClosed else { return }
            readers.idle.insert(reader, at: isLeastUsed ? 0 : readers.idle.count)
        }
    }

    /// Closes the readers; readers in use are closed when they are given back.
    func close() {
        readers.withLock { readers in
            readers.isClosed = true
            readers.idle = []
        }
    }
}

/// A connection with a read transaction that stays open for a short time, for series of small
/// reads.
///
/// Each fetch is a separate transaction, so that it sees the latest commit. Beginning a transaction
/// takes SQLite as long as finding a row: it locks and unlocks a byte of the file, and finds the
/// end of the log. SQLite skips the file lock if another connection of the process has it, so this
/// connection holds the lock for all others. The rows of faults may be of any age, so they are read
/// in its transaction. It is short, because a log with an open read transaction cannot shrink.
final class KeptReader: Sendable {
    private static let duration = Duration.milliseconds(50)
    /// Holding the lock costs as much as a few reads, and the connection as a hundred.
    private static let readsBeforeKeeping = 64

    private struct State {
        /// The kept connection, or nil if there is none.
        var connection: LockedConnection?
        var isClosed = false
        /// The last commit of the process that its transaction certainly sees.
        var commit: Int64?
        /// Whether the cache was enlarged, because rows were read one by one.
        var hasLargeCache = false

    }

    private let idle: IdleReaders
    /// The pragma that sets the cache to its usual size; nil if the program has set the size.
    private let usualCache: String?
    private let state = Mutex(State())
    private let reads = Atomic(0)

    /// - Parameter idle: The pool that the connection is taken from, with its cache, and given back
    ///   to.
    init(_ idle: IdleReaders, usualCache: String?) {
        self.idle = idle
        self.usualCache = usualCache
    }

    /// Records a read that is about to happen. If there were many, begins to keep a connection.
    ///
    /// - Parameters:
    ///   - isOfRow: Whether ``read(at:_:)`` could do it. Then a connection that has read before is
    ///     the best to keep; otherwise other readers should use it.
    ///   - open: Creates the connection.
    /// - Returns: Whether a connection is kept from now on.
    func noteRead(isOfRow: Bool, _ open: () throws -> LockedConnection) -> Bool {
        let reads = reads.wrappingAdd(1, ordering: .relaxed).newValue
        guard reads % Self.readsBeforeKeeping == 0 else { return false }
        return keep(isOfRow: isOfRow, open)
    }

    /// Reads in the open transaction, if there is one and no other reader uses it.
    ///
    /// - Parameters:
    ///   - commit: A commit of the process that must be visible.
    ///   - body: The closure. It must not read here again.
    /// - Returns: Whether the closure was called.
    @inline(__always)
    func read(at commit: Int64, _ body: (Connection) throws -> Void) throws -> Bool {
        try state.withLockIfAvailable { state in
            // Safety: the state retains it, and no other code uses the state meanwhile.
            guard let connection = state.connection.map({ uncounted($0) }) else { return false }
            try connection.use { connection in
                try connection.withoutLock { connection in
                    if state.commit != commit {
                        try begin(connection, &state)
                        state.commit = commit
                    }
                    try body(connection)
                }
            }
            return true
        } ?? false
    }

    private func keep(isOfRow: Bool, _ open: () throws -> LockedConnection) -> Bool {
        let isKeeping = state.withLock { state in
            // If this fails, reads take longer, and one of them will report the error.
            guard state.connection == nil, !state.isClosed,
                let connection = idle.takeLeastUsed(leaving: isOfRow ? 0 : 1)
                    ?? (try? open()),
                (try? connection.withLock { try $0.beginReading() }) != nil
            else { return false }
            state.connection = connection
            state.commit = nil
            return true
        }
        guard isKeeping else { return false }
        Task.detached(priority: .utility) { [weak self] in
            try? await Task.sleep(for: Self.duration)
            self?.release()
        }
        return true
    }

    /// Restarts the transaction, to see the latest commit.
    private func begin(_ connection: Connection, _ state: inout State) throws {
        state.commit = nil
        connection.rollBack()
        if usualCache != nil, !state.hasLargeCache {
            try connection.execute(PragmaSQL.largeReaderCache)
            state.hasLargeCache = true
        }
        try connection.beginReading()
    }

    /// Ends the transaction and releases the lock. After a commit, readers need another lock.
    func release() {
        state.withLock { releaseConnection(&$0) }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            releaseConnection(&state)
        }
    }

    private func releaseConnection(_ state: inout State) {
        guard let connection = state.connection else { return }
        state.connection = nil
        let hadLargeCache = state.hasLargeCache
        state.hasLargeCache = false
        try? connection.withLock { connection in
            connection.rollBack()
            if let usualCache, hadLargeCache { try connection.execute(usualCache) }
        }
        idle.giveBack(connection, isLeastUsed: true)
    }
}
