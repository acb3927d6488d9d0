import CambiumModel
import CambiumSQLite
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files of a database that is open are deleted, moved or replaced by other programs.
struct FileChangeTests {
    private let files = FileManager.default

    /// Runs a body with the path of a database with one row, and with one that writes it.
    private func withWriter(_ body: (String, Connection) throws -> Void) throws {
        let folder = files.temporaryDirectory.appending(path: "cambium-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let path = folder.appending(path: "a.sqlite").path()
        try makeDatabase(path, "ours")
        let writer = try Connection(path: path)
        try writer.beginWriteAheadLog()
        try body(path, writer)
    }

    private func makeDatabase(_ path: String, _ text: String) throws {
        let connection = try Connection(path: path)
        try connection.beginWriteAheadLog()
        try connection.execute("CREATE TABLE t (a)")
        try write(text, connection)
    }

    private func write(_ text: String, _ connection: Connection) throws {
        try connection.transaction {
            _ = try connection.rows("INSERT INTO t VALUES (?)", [.text(text)])
        }
    }

    private func texts(_ path: String) throws -> [StoredValue] {
        let connection = try Connection(path: path)
        #expect(try connection.rows("PRAGMA integrity_check") == [[.text("ok")]])
        return try connection.rows("SELECT a FROM t").flatMap { $0 }
    }

    private func expectMoved(_ change: FileChange, _ body: () throws -> Void) throws {
        let error = try #require(throws: SQLiteError.self) { try body() }
        #expect(error.isOfMovedFile)
        #expect(error.message == change.words)
    }

    /// Writes other content into the same file, as `cp` does.
    private func overwrite(_ path: String, with other: String) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(contentsOf: URL(filePath: other)))
        try handle.close()
    }

    @Test func `nothing is written to a file that was deleted`() throws {
        try withWriter { path, writer in
            try write("more", writer)
            try files.removeItem(atPath: path)
            for _ in 1...2 { try expectMoved(.removed) { try write("lost", writer) } }
            #expect(!writer.isInTransaction)
        }
    }

    @Test func `a file that comes back is written again`() throws {
        try withWriter { path, writer in
            try write("more", writer)
            try files.moveItem(atPath: path, toPath: path + ".away")
            try expectMoved(.removed) { try write("lost", writer) }
            try files.moveItem(atPath: path + ".away", toPath: path)
            try write("again", writer)
            #expect(try texts(path) == [.text("ours"), .text("more"), .text("again")])
        }
    }

    @Test func `the old file keeps what its log had, and the new one gets nothing of it`() throws {
        let folder = files.temporaryDirectory.appending(path: "cambium-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        for isOverwritten in [false, true] {
            for isNoticed in [false, true] {
                let path = folder.appending(path: "\(isOverwritten) \(isNoticed).sqlite")
                    .path(percentEncoded: false)
                try makeDatabase(path, "ours")
                try makeDatabase(path + ".new", "theirs")
                do {
                    let writer = try Connection(path: path)
                    try writer.beginWriteAheadLog()
                    try write("more", writer)
                    if isOverwritten {
                        try overwrite(path, with: path + ".new")
                    } else {
                        try files.moveItem(atPath: path, toPath: path + ".old")
                        try files.moveItem(atPath: path + ".new", toPath: path)
                    }
                    if isNoticed {
                        try expectMoved(isOverwritten ? .overwritten : .replaced) {
                            try write("lost", writer)
                        }
                    }
                }
                #expect(try texts(path) == [.text("theirs")])
                guard !isOverwritten else { continue }
                #expect(try texts(path + ".old") == [.text("ours"), .text("more")])
            }
        }
    }

    @Test func `a file is looked at again after waiting for another writer`() throws {
        try withWriter { path, writer in
            try write("more", writer)
            let other = try Connection(path: path)
            try other.execute("BEGIN IMMEDIATE")
            let away = path + ".away"
            // Safety: the thread ends before the connection is used again.
            nonisolated(unsafe) let waiting = other
            let thread = Thread {
                Thread.sleep(forTimeInterval: 0.1)
                try? FileManager.default.moveItem(atPath: path, toPath: away)
                waiting.rollBack()
            }
            thread.start()
            try expectMoved(.removed) { try write("lost", writer) }
            while !thread.isFinished { Thread.sleep(forTimeInterval: 0.01) }
        }
    }

    @Test(arguments: ["-wal", "-shm"])
    func `nothing is written to a log that was deleted`(_ suffix: String) throws {
        try withWriter { path, writer in
            try write("more", writer)
            try files.removeItem(atPath: path + suffix)
            try expectMoved(.logRemoved) { try write("lost", writer) }
        }
    }

    @Test func `what a deleted log had is in the file after the end`() throws {
        let path = files.temporaryDirectory.appending(path: "cambium-\(UUID()).sqlite").path()
        defer { try? files.removeItem(atPath: path) }
        try makeDatabase(path, "ours")
        do {
            let writer = try Connection(path: path)
            try writer.beginWriteAheadLog()
            try write("more", writer)
            try files.removeItem(atPath: path + "-wal")
            try expectMoved(.logRemoved) { try write("lost", writer) }
        }
        #expect(try texts(path) == [.text("ours"), .text("more")])
    }

    @Test func `another log is left alone`() throws {
        try withWriter { path, writer in
            try write("more", writer)
            try files.moveItem(atPath: path + "-wal", toPath: path + ".log")
            try Data("theirs".utf8).write(to: URL(filePath: path + "-wal"))
            try expectMoved(.logReplaced) { try write("lost", writer) }
        }
    }

    @Test func `checkpoints of others, and a new time of the file, are no change`() throws {
        try withWriter { path, writer in
            let other = try Connection(path: path)
            try other.beginWriteAheadLog()
            for round in 1...5 {
                try write("a \(round)", writer)
                try write("b \(round)", other)
                other.checkpoint()
                #expect(writer.fileChange == nil)
                try write("c \(round)", writer)
                try files.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: Double(-round))],
                    ofItemAtPath: path)
                try write("d \(round)", writer)
                writer.checkpoint()
                try write("e \(round)", other)
            }
            #expect(try texts(path).count == 26)
        }
    }

    @Test func `a checkpoint that leaves the file its time is no change`() throws {
        try withWriter { path, writer in
            let other = try Connection(path: path)
            try other.beginWriteAheadLog()
            try write("a", writer)
            writer.checkpoint()
            try write("b", writer)
            var state = stat()
            stat(path, &state)
            #if canImport(Darwin)
                let times = [state.st_atimespec, state.st_mtimespec]
            #else
                let times = [state.st_atim, state.st_mtim]
            #endif
            other.checkpoint()
            // As on a system whose clock has not gone on meanwhile.
            utimensat(AT_FDCWD, path, times, 0)
            try write("c", writer)
            try files.setAttributes([.modificationDate: Date.now], ofItemAtPath: path)
            try write("d", writer)
            #expect(try texts(path).count == 5)
        }
    }

    @Test func `an older copy of the file over it is noticed, wherever the two differ`() throws {
        try withWriter { path, writer in
            // The rows that change are far behind the beginning of the file.
            try writer.transaction {
                for _ in 0..<200 {
                    _ = try writer.rows(
                        "INSERT INTO t VALUES (?)", [.text(String(repeating: "x", count: 1_000))])
                }
            }
            writer.checkpoint()
            try files.copyItem(atPath: path, toPath: path + ".old")
            let update = "UPDATE t SET a = 'new' WHERE rowid = 190"
            try writer.transaction { try writer.execute(update) }
            writer.checkpoint()
            try write("more", writer)
            try overwrite(path, with: path + ".old")
            try expectMoved(.overwritten) { try write("lost", writer) }
        }
    }

    @Test func `a migration's connection looks too, without a log of its own`() throws {
        try withWriter { path, _ in
            let connection = try Connection(path: path)
            try files.moveItem(atPath: path, toPath: path + ".away")
            try expectMoved(.removed) { try write("lost", connection) }
        }
    }

    @Test func `a database in memory has no file`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a)")
        try write("a", connection)
        #expect(connection.fileChange == nil)
        #expect(connection.fileIdentity == nil)
    }
}
