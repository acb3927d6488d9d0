import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Synchronization

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
