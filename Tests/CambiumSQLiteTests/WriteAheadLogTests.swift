import CambiumSQLite
import Dispatch
import FoundationEssentials
import Synchronization
import Testing

struct WriteAheadLogTests {
    @Test func `connections that begin a log at once wait for each other`() throws {
        for round in 0..<200 {
            let path = FileManager.default.temporaryDirectory
                .appending(path: "log-\(UUID().uuidString)-\(round).sqlite").path
            defer {
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            try Connection(path: path).execute("CREATE TABLE t(a)")
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                do {
                    try Connection(path: path).beginWriteAheadLog()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock { $0 } == [])
        }
    }

    @Test func `a log that cannot begin is an error after the time to wait`() throws {
        let path = FileManager.default.temporaryDirectory
            .appending(path: "log-\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let reader = try Connection(path: path)
        try reader.execute("CREATE TABLE t(a); BEGIN; SELECT * FROM t")
        var settings = ConnectionSettings()
        settings.busyTimeoutMilliseconds = 50
        let other = try Connection(path: path, settings: settings)
        let error = #expect(throws: SQLiteError.self) { try other.beginWriteAheadLog() }
        #expect(error?.primaryCode == 5)
    }
}
