import CambiumSQLite
import Foundation
import Testing

/// The number by which a connection sees that others have committed.
struct VersionOfOthersTests {
    /// Runs a body with two connections to one file, and what asks the first one.
    private func withTwo(
        _ body: (_ mine: Connection, _ theirs: Connection, _ version: () throws -> UInt32) throws
            -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "file.sqlite").path(percentEncoded: false)
        let mine = try Connection(path: path)
        try mine.beginWriteAheadLog()
        try mine.execute("CREATE TABLE t (x)")
        let theirs = try Connection(path: path)
        try body(mine, theirs) {
            try mine.transaction(.deferred) {
                _ = try mine.rows("SELECT count(*) FROM t")
                return mine.versionOfOthers
            }
        }
    }

    private let insertion = "INSERT INTO t VALUES (1)"

    @Test func `own commits leave it as it is`() throws {
        try withTwo { mine, _, version in
            let start = try version()
            for _ in 0..<3 {
                try mine.execute(insertion)
                let afterOne = try version()
                #expect(afterOne == start)
                try mine.transaction { try mine.execute(insertion) }
                let afterBoth = try version()
                #expect(afterBoth == start)
                mine.checkpoint()
            }
        }
    }

    @Test func `a commit of another one changes it, whatever is committed after it`() throws {
        try withTwo { mine, theirs, version in
            var seen: Set<UInt32> = [try version()]
            for ownCommits in 0..<3 {
                try theirs.execute(insertion)
                for _ in 0..<ownCommits { try mine.execute(insertion) }
                let isAnother = seen.insert(try version()).inserted
                #expect(isAnother)
            }
        }
    }

    @Test func `it is seen in the transaction that begins after it`() throws {
        try withTwo { mine, theirs, version in
            let start = try version()
            try theirs.execute(insertion)
            try mine.transaction { #expect(mine.versionOfOthers != start) }
        }
    }

    @Test func `in memory there is nobody else`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        #expect(connection.versionOfOthers == 0)
    }
}
