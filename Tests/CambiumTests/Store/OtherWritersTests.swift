@testable import Cambium
@testable import CambiumSQLiteStore
import CambiumSQLite
import EverythingModel
import Synchronization
import Testing

/// The warning that two containers write to one file on a library that cannot bear it.
@Suite(.onSQLite("They are about a fault of SQLite."))
struct OtherWritersTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private func warnings(
        versionNumber: Int32, _ change: (_ other: Connection, _ own: Connection) throws -> Void
    ) throws -> [String] {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let (own, other) = (try Connection(path: path), try Connection(path: path))
            let log = Log()
            let writers = OtherWriters(versionNumber: versionNumber) { log.add($0) }
            for _ in 0..<3 {
                writers.look(own, path: path)
                try change(other, own)
                writers.look(own, path: path)
            }
            return log.all
        }
    }

    private let insert = "INSERT INTO Topic (_version, name) VALUES (1, 'theirs')"

    @Test func `a commit of another connection is warned of once`() throws {
        let found = try warnings(versionNumber: 3_051_002) { other, _ in try other.execute(insert) }
        #expect(found.count == 1)
        #expect(found.first?.contains("Update libsqlite3") == true)
    }

    @Test func `the writer's own commits are nobody else's`() throws {
        let found = try warnings(versionNumber: 3_051_002) { _, own in try own.execute(insert) }
        #expect(found.isEmpty)
    }

    @Test func `a library that is mended is not warned of`() throws {
        let found = try warnings(versionNumber: 3_051_003) { other, _ in try other.execute(insert) }
        #expect(found.isEmpty)
    }
}
