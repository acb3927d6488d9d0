import CambiumSQLite
import Synchronization

/// Connections for reading. A fetch takes one for itself, so that readers wait neither for each other
/// nor for the writer.
final class ReaderPool: Sendable {
    private static let maximumIdle = 4

    private let path: String
    private let idle = Mutex<[LockedConnection]>([])

    init(path: String) {
        self.path = path
    }

    func withReader<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let reader = try idle.withLock { $0.popLast() } ?? makeReader()
        defer {
            idle.withLock { idle in
                if idle.count < Self.maximumIdle { idle.append(reader) }
            }
        }
        return try reader.withLock(body)
    }

    private func makeReader() throws -> LockedConnection {
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -65536")
        return LockedConnection(connection)
    }
}
