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
                let connection = try Connection(path: path, mode: .unchanging)
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

    /// Settings for a file system that is mounted for reading only.
    private static var mounted: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.isMountedReadOnly = { _ in true }
        return settings
    }

    @Test func `on a read-only file system a whole file is read without a lock`() throws {
        try withStore(named: "a.sqlite") { path, folder in
            // What is empty, or done with, has no changes.
            try Data().write(to: URL(filePath: path + "-wal"))
            try Data(repeating: 0, count: 600).write(to: URL(filePath: path + "-journal"))
            for settings in [ConnectionSettings(), Self.mounted] {
                let connection = try Connection(path: path, mode: .readOnly, settings: settings)
                #expect(try connection.rows("SELECT b FROM a") == [[.integer(1)]])
                #expect(connection.isUnchanging == settings.isMountedReadOnly(path))
                if connection.isUnchanging {
                    #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
                    #expect(throws: SQLiteError.self) {
                        try connection.execute("INSERT INTO a VALUES (2)")
                    }
                } else {
                    try FileManager.default.removeItem(atPath: path + "-shm")
                }
            }
        }
    }

    @Test func `a file with changes beside it is not the whole database`() throws {
        try withStore(named: "a.sqlite") { path, _ in
            #expect(FilesAtRest(of: path).problem == nil)
            let writer = try Connection(path: path)
            try writer.beginWriteAheadLog()
            try writer.execute("INSERT INTO a VALUES (2)")
            #expect(FilesAtRest(of: path).problemOfMount { _ in false } == nil)
            let problem = FilesAtRest(of: path).problemOfMount { _ in true }
            #expect(problem?.contains("\(path)-wal, has changes") == true)
            // The index of the log is there, so that SQLite can read it.
            let reader = try Connection(path: path, mode: .readOnly, settings: Self.mounted)
            #expect(!reader.isUnchanging)
            #expect(try reader.rows("SELECT count(*) FROM a") == [[.integer(2)]])
        }
    }

    @Test func `what lies beside the file that a link leads to is not passed over`() throws {
        try withStore(named: "a.sqlite") { path, folder in
            let (link, other) = (folder + "/links/b.sqlite", folder + "/c.sqlite")
            let files = FileManager.default
            try files.createDirectory(
                atPath: folder + "/links", withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: other, withDestinationPath: path)
            try files.createSymbolicLink(atPath: link, withDestinationPath: "../c.sqlite")
            #expect(FilesAtRest(of: link).problem == nil)
            let writer = try Connection(path: path)
            try writer.beginWriteAheadLog()
            try writer.execute("INSERT INTO a VALUES (2)")
            for name in [link, other] {
                #expect(FilesAtRest(of: name).problem?.contains("a.sqlite-wal") == true)
                let reader = try Connection(path: name, mode: .readOnly, settings: Self.mounted)
                #expect(try reader.rows("SELECT count(*) FROM a") == [[.integer(2)]])
            }
        }
    }

    @Test func `a journal of a killed program is an obstacle`() throws {
        try withStore(named: "a.sqlite") { path, _ in
            try Data([0xd9, 0xd5]).write(to: URL(filePath: path + "-journal"))
            let problem = FilesAtRest(of: path).problemOfMount { _ in true }
            #expect(problem?.contains("\(path)-journal") == true)
        }
    }
}
