import CambiumEngine
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Synchronization

/// Warns, once for each store, where somebody else writes to its file and the SQLite library is one
/// that can lose pages then: before 3.51.3, when a checkpoint on one connection meets a write on
/// another. Within a container that cannot happen; two containers, or two processes, can do it.
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
