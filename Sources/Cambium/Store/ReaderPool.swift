import CambiumSQLite
import Synchronization

/// Connections for reading. A fetch takes one for itself, so that readers wait neither for each
/// other nor for the writer.
final class ReaderPool: Sendable {
    private static let maximumIdle = 4

    private struct Readers {
        var idle: [LockedConnection] = []
        var isClosed = false
    }

    private let path: String
    private let isReadOnly: Bool
    private let settings: ConnectionSettings
    private let readers = Mutex(Readers())
    private let kept: KeptReader

    init(path: String, isReadOnly: Bool, settings: ConnectionSettings) {
        self.path = path
        self.isReadOnly = isReadOnly
        self.settings = settings
        kept = KeptReader(path: path)
    }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        kept.noteRead { try makeReaderConnection(quietSettings) }
        let idle = try readers.withLock { readers in
            guard !readers.isClosed else { throw StoreError.closed }
            return readers.idle.popLast()
        }
        let reader = try idle ?? makeReader()
        defer {
            readers.withLock { readers in
                if readers.idle.count < Self.maximumIdle, !readers.isClosed {
                    readers.idle.append(reader)
                }
            }
        }
        return try reader.withLock(body)
    }

    /// Reads one of many rows that are asked for one after the other: a row may be as old as the
    /// transaction that is kept open for them, but no older than a commit of this process.
    @inline(__always)
    func withRowReader(at commit: Int64, _ body: (Connection) throws -> Void) throws {
        // Who watches the statements is to see these, too.
        if settings.observer == nil, try kept.read(at: commit, body) { return }
        try withReader(body)
    }

    /// A connection for reading that its user keeps.
    func makeReader() throws -> LockedConnection {
        try makeReader(settings)
    }

    /// A connection whose user keeps it, and of whose statements nobody is told: no one has asked
    /// for them.
    func makeQuietReader() throws -> LockedConnection {
        try makeReader(quietSettings)
    }

    private var quietSettings: ConnectionSettings {
        var settings = settings
        settings.observer = nil
        return settings
    }

    private func makeReader(_ settings: ConnectionSettings) throws -> LockedConnection {
        LockedConnection(try makeReaderConnection(settings), path: path)
    }

    private func makeReaderConnection(
        _ settings: ConnectionSettings
    ) throws -> sending Connection {
        let connection = try connection(settings)
        try connection.execute("PRAGMA query_only = ON")
        if !settings.pragmas.contains(where: { $0.contains("cache_size") }) {
            // There may be several, and the system has the pages, too.
            try connection.execute("PRAGMA cache_size = -12288")
        }
        return connection
    }

    private func connection(_ settings: ConnectionSettings) throws -> sending Connection {
        do {
            return try Connection(
                path: path, mode: isReadOnly ? .readOnly : .readWrite, settings: settings)
        } catch {
            throw StoreError(using: nil, path: path, error) ?? error
        }
    }

    /// Says that somebody has committed, or is to find nobody reading.
    func releaseLock() {
        kept.release()
    }

    /// Closes the connections that nobody is using; the others close when they are given back.
    func close() {
        kept.close()
        readers.withLock { readers in
            readers.isClosed = true
            readers.idle = []
        }
    }
}
