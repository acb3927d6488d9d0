import CambiumModel
import Foundation
import Testing

@testable import CambiumSQLite

/// Files that can only be read.
struct ReadingTests {
    /// Whether the system keeps this user from anything.
    private static var isOrdinary: Bool { geteuid() != 0 }

    private func withStore(
        named name: String, _ body: (_ path: String, _ folder: String) throws -> Void
    ) throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "cambium-\(UUID().uuidString)").path
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        let path = "\(folder)/\(name)"
        do {
            let connection = try Connection(path: path)
            try connection.beginWriteAheadLog()
            try connection.execute("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
        }
        #expect(!files.fileExists(atPath: path + "-wal"))
        try body(path, folder)
    }

    @Test func `a file that nobody changes can be read whatever its name`() throws {
        for name in ["a b.sqlite", "ä%41?x=1#y.sqlite"] {
            try withStore(named: name) { path, _ in
                let connection = try Connection.unchanging(path: path)
                #expect(try connection.rows("SELECT b FROM a") == [[.integer(1)]])
                #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
            }
        }
    }

    @Test(.enabled(if: isOrdinary))
    func `a store with a log can be read in a folder that may not be written`() throws {
        try withStore(named: "a.sqlite") { path, folder in
            let files = FileManager.default
            try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
            defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
            #expect(
                try Connection.reading(path: path).rows("SELECT b FROM a") == [[.integer(1)]])
        }
    }

    @Test(.enabled(if: isOrdinary))
    func `what is in a log that cannot be read is not passed over`() throws {
        try withStore(named: "a.sqlite") { path, folder in
            let files = FileManager.default
            try Data(repeating: 1, count: 100).write(to: URL(filePath: path + "-wal"))
            try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
            defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
            #expect(throws: SQLiteError.self) { try Connection.reading(path: path) }
        }
    }
}
