import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

/// A connection that several isolations use in turn.
final class LockedConnection: @unchecked Sendable {
    // Safety: the connection is touched inside `withLock`, or inside `withoutLock` by who has it for
    // itself: it came out of one lock (that of the idle ones), is used under another (that of the
    // kept one) and goes back through the first. So one thread at a time touches it, and sees what
    // the one before has done; SQLite asks for no more than that.
    @exclusivity(unchecked) private var connection: Connection?
    /// What the store's file is used for; nil where there is none.
    private let use: StoreUse?
    private let lock = ThreadLock()
    // Safety: as the connection.
    /// Whether the connection is to be closed as soon as its user has done.
    @exclusivity(unchecked) private var closesAfterUse = false

    init(_ connection: sending Connection, for use: StoreUse?) {
        self.connection = connection
        self.use = use
    }

    /// - Throws: What the body throws; ``StoreError`` where the connection was closed, where the
    ///   store was destroyed meanwhile, or where the thread uses the connection already: it would
    ///   wait for itself.
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
    /// - Throws: What the body throws; ``StoreError`` where the thread is not using the connection.
    func insideLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        guard isUsedByCaller, let connection else { throw StoreError.closed }
        do {
            return try body(connection)
        } catch {
            throw meaning(of: error, connection)
        }
    }

    /// Whether the thread that asks is using the connection.
    var isUsedByCaller: Bool { lock.isHeldByCaller }

    /// Uses the connection without checking for other users.
    ///
    /// The caller has it for itself: it took the connection out of the idle ones, and sees to it
    /// that one thread at a time comes here.
    @inline(__always)
    func withoutLock<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // Safety: the caller has the connection for itself, so it is not closed.
        guard let connection = connection.map({ uncounted($0) }) else { throw StoreError.closed }
        return try connection.use { connection in
            do {
                return try body(connection)
            } catch {
                throw meaning(of: error, connection)
            }
        }
    }

    /// What an error means to who uses the connection.
    private func meaning(of error: any Error, _ connection: Connection) -> any Error {
        // It is taken in any case: the next error has other reasons.
        let failure = connection.takeFunctionFailure()
        guard let error = error as? SQLiteError else { return error }
        return failure ?? StoreError(error, in: use, on: connection) ?? error
    }

    /// Closes the connection, when it is not used any more.
    func close() {
        // The lock is refused only to a thread that has it.
        do { try lock.withLock { connection = nil } } catch { closesAfterUse = true }
    }
}

/// Connections for reading. A fetch takes one for itself, so that readers wait neither for each
/// other nor for the writer.
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

    /// Reads one of many rows that are asked for one after the other: a row may be as old as the
    /// transaction that is kept open for them, but no older than a commit of this process.
    @inline(__always)
    func withRowReader(at commit: Int64, _ body: (Connection) throws -> Void) throws {
        // Safety: the pool keeps it.
        if try uncounted(kept).use({ try $0.read(at: commit, body) }) { return }
        if noteRead(isOfRow: true), try kept.read(at: commit, body) { return }
        try withIdleReader(body)
    }

    /// - Returns: Whether a connection is kept now that was not before.
    private func noteRead(isOfRow: Bool) -> Bool {
        // Who watches the statements is to see all, and only those that were requested.
        settings.observer == nil && kept.noteRead(isOfRow: isOfRow) { try makeReader() }
    }

    private func withIdleReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        // A statement hook is called by the making of a reader, too.
        try users.noting {
            let reader = try idle.take() ?? makeReader()
            defer { idle.giveBack(reader) }
            return try reader.withLock(body)
        }
    }

    /// A connection for reading that its user keeps.
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
            // Another file's rows are not the store's, and its log must not be opened with the old one.
            if let change = file?.change(at: use.path) { throw SQLiteError(change) }
            return try Connection(
                path: use.path, mode: isReadOnly ? .readOnly : .readWrite, settings: settings)
        } catch {
            throw StoreError(error, in: use, on: nil) ?? error
        }
    }

    /// Ends the readers' transactions after a commit, or before work that needs no readers.
    func releaseLock() {
        kept.release()
    }

    /// Whether the thread that asks is reading.
    var isUsedByCaller: Bool { users.includeCaller }

    /// Closes the idle connections; the others close when they are given back.
    func close() {
        kept.close()
        idle.close()
    }
}

extension ConnectionSettings {
    /// Whether the program says how large the caches are.
    fileprivate var setsCache: Bool { pragmas.contains { $0.contains("cache_size") } }
}

/// The idle connections for reading.
final class IdleReaders: Sendable {
    private static let maximum = 4

    private struct Readers {
        /// The one that was used last comes last, and is taken first: each has a cache of pages,
        /// which superfluous ones do not fill.
        var idle: [LockedConnection] = []
        var isClosed = false
    }

    private let readers = Mutex(Readers())

    /// One of them, which the caller has for itself then; nil where there is none.
    ///
    /// - Throws: ``StoreError`` after they were closed.
    @inline(never)
    func take() throws -> LockedConnection? {
        try readers.withLock { readers in
            guard !readers.isClosed else { throw StoreError.closed }
            return readers.idle.popLast()
        }
    }

    /// The one that is missed least; nil where there is none, or after they were closed.
    ///
    /// - Parameter rest: How many must be left.
    func takeLeastUsed(leaving rest: Int) -> LockedConnection? {
        readers.withLock { $0.idle.count > rest ? $0.idle.removeFirst() : nil }
    }

    /// Takes one back; more than a few are let go of.
    ///
    /// - Parameter isLeastUsed: Whether it came from ``takeLeastUsed(leaving:)``.
    @inline(never)
    func giveBack(_ reader: LockedConnection, isLeastUsed: Bool = false) {
        readers.withLock { readers in
            guard readers.idle.count < Self.maximum, !readers.isClosed else { return }
            readers.idle.insert(reader, at: isLeastUsed ? 0 : readers.idle.count)
        }
    }

    /// Closes them; the others close when they are given back.
    func close() {
        readers.withLock { readers in
            readers.isClosed = true
            readers.idle = []
        }
    }
}

/// A connection whose transaction for reading stays open for a short time while many small reads
/// follow each other.
///
/// Each fetch is a transaction of its own, so that it sees the latest commit. To begin one takes
/// SQLite as long as to find a row: it locks and unlocks a byte of the file, which it leaves out
/// where a connection of the process has the lock, and it looks for the end of the log. So this one
/// has the lock for all of them, and the rows of faults, which may be of any age, are read in its
/// transaction. Not for long: a log with an open read transaction cannot shrink.
final class KeptReader: Sendable {
    private static let duration = Duration.milliseconds(50)
    /// Keeping the lock costs as much as a few of them, and its connection as a hundred.
    private static let readsBeforeKeeping = 64

    private struct State {
        /// Nil while none is kept.
        var connection: LockedConnection?
        var isClosed = false
        /// The last commit of the process that its transaction is sure to see.
        var commit: Int64?
        /// Whether rows were read one by one.
        var hasLargeCache = false

    }

    private let idle: IdleReaders
    /// What makes the cache of a connection as large as that of the others; nil where the program
    /// has set it.
    private let usualCache: String?
    private let state = Mutex(State())
    private let reads = Atomic(0)

    /// - Parameter idle: Where the connection comes from, with what it has read already, and goes
    ///   back to.
    init(_ idle: IdleReaders, usualCache: String?) {
        self.idle = idle
        self.usualCache = usualCache
    }

    /// Notes that there is going to be a read, and begins to keep where there were many.
    ///
    /// - Parameters:
    ///   - isOfRow: Whether it is one that ``read(at:_:)`` could do: then a connection that has read
    ///     before is the best to keep. Otherwise it is better left to the others.
    ///   - open: Makes the connection.
    /// - Returns: Whether one is kept now that was not before.
    func noteRead(isOfRow: Bool, _ open: () throws -> LockedConnection) -> Bool {
        let reads = reads.wrappingAdd(1, ordering: .relaxed).newValue
        guard reads % Self.readsBeforeKeeping == 0 else { return false }
        return keep(isOfRow: isOfRow, open)
    }

    /// Reads in the transaction that is open, where one is and no other reader uses it.
    ///
    /// - Parameters:
    ///   - commit: A commit of the process that must be seen.
    ///   - body: Must not read here again.
    /// - Returns: Whether the body was called.
    @inline(__always)
    func read(at commit: Int64, _ body: (Connection) throws -> Void) throws -> Bool {
        try state.withLockIfAvailable { state in
            // Safety: the state keeps it, and no other code uses the state meanwhile.
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
            // Where it fails, the reads take longer, and one of them will say why.
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

    /// Starts again, to see the latest commit.
    private func begin(_ connection: Connection, _ state: inout State) throws {
        state.commit = nil
        connection.rollBack()
        if usualCache != nil, !state.hasLargeCache {
            try connection.execute(PragmaSQL.largeReaderCache)
            state.hasLargeCache = true
        }
        try connection.beginReading()
    }

    /// Ends the transaction, and lets the lock go: after a commit it is not the one that readers
    /// need.
    func release() {
        state.withLock { letGo(&$0) }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            letGo(&state)
        }
    }

    private func letGo(_ state: inout State) {
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
