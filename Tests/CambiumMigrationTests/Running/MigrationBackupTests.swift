import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// The copy that is made before data goes away.
struct MigrationBackupTests {
    private typealias Store = TestStore

    private static let old = Store.model(
        "1", [Entity(name: "A", attributes: [Store.string("name"), Store.string("gone")])])
    private static let new = Store.model(
        "2", [Entity(name: "A", attributes: [Store.string("name")])], drops: [("A", "gone")])

    private var runner: MigrationRunner {
        get throws {
            MigrationRunner(
                model: Self.new, migrations: [try Migration(from: Self.old, to: Self.new)])
        }
    }

    private func withStore(_ body: (_ path: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-backup-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()
        let connection = try Connection(path: path)
        try connection.beginWriteAheadLog()
        _ = try MigrationRunner(model: Self.old).open(connection)
        try connection.execute(
            """
            INSERT INTO A (_id, name, gone)
            VALUES (1, 'x', 'y'), (2, '\(String(repeating: "long ", count: 300_000))', 'z')
            """)
        try body(path)
    }

    private func names(beside path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.contains("backup") }.sorted()
    }

    @Test func `a migration that fails leaves no copy`() throws {
        try withStore { path in
            let good = try Migration(from: Self.old, to: Self.new)
            let bad = Migration(
                from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash,
                steps: good.steps + [
                    .init(summary: "bad", kind: .additive, statements: [.init(.other, "SELECT no")])
                ])
            let runner = MigrationRunner(model: Self.new, migrations: [bad])
            #expect(throws: MigrationError.self) { try runner.open(fileAt: path) }
            #expect(try names(beside: path).isEmpty)
        }
    }

    @Test func `a copy that a killed process has named is not made a second time`() throws {
        try withStore { path in
            // The store as it is again after a kill before the commit.
            let files = FileManager.default
            let kept = path + ".kept"
            for suffix in ["", "-wal"] where files.fileExists(atPath: path + suffix) {
                try files.copyItem(atPath: path + suffix, toPath: kept + suffix)
            }
            _ = try runner.open(fileAt: path)
            for _ in 1...2 {
                for suffix in ["", "-wal", "-shm"] {
                    try? files.removeItem(atPath: path + suffix)
                    try? files.copyItem(atPath: kept + suffix, toPath: path + suffix)
                }
                let outcome = try runner.open(fileAt: path)
                guard case .migrated(_, _, _, path + ".backup-1") = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(try names(beside: path) == ["store.sqlite.backup-1"])
            }
        }
    }

    @Test func `a copy of before is not taken away where the migration fails`() throws {
        try withStore { path in
            try Connection(path: path, mode: .readOnly).backup(to: path + ".backup-1")
            // It is stopped when its own copy is found to be the same.
            let unfinished = path + ".backup-1-2.unfinished"
            var isBegun = false
            let runner = try runner
            runner.isCancelled = {
                let exists = FileManager.default.fileExists(atPath: unfinished)
                isBegun = isBegun || exists
                return isBegun && !exists
            }
            #expect(throws: MigrationError.cancelled) { try runner.open(fileAt: path) }
            #expect(try names(beside: path) == ["store.sqlite.backup-1"])
        }
    }

    @Test func `what a process that was killed has left is no hindrance`() throws {
        try withStore { path in
            for suffix in ["", "-journal"] {
                try Data("left".utf8).write(
                    to: URL(filePath: "\(path).backup-1.unfinished\(suffix)"))
            }
            _ = try runner.open(fileAt: path)
            #expect(try names(beside: path) == ["store.sqlite.backup-1"])
            #expect(
                try Connection(path: path + ".backup-1").rows("SELECT gone FROM A WHERE _id = 1")
                    == [[.text("y")]])
        }
    }

    @Test func `a copy that is there is kept, and the next one has another name`() throws {
        try withStore { path in
            try Data("mine".utf8).write(to: URL(filePath: path + ".backup-1"))
            guard case .migrated(_, _, _, let backup?) = try runner.open(fileAt: path) else {
                Issue.record("no copy")
                return
            }
            #expect(backup == path + ".backup-1-2")
            #expect(try Data(contentsOf: URL(filePath: path + ".backup-1")) == Data("mine".utf8))
        }
    }

    @Test func `the copy is told of, and can be cancelled`() throws {
        try withStore { path in
            let runner = try runner
            var pages = 0
            runner.progress = { pages += $0.phase == .backup ? 1 : 0 }
            runner.isCancelled = { pages > 0 }
            #expect(throws: MigrationError.cancelled) { try runner.open(fileAt: path) }
            #expect(pages > 0)
            #expect(try names(beside: path).isEmpty)
            #expect(try Connection(path: path).rows("SELECT gone FROM A WHERE _id = 1").count == 1)
        }
    }

    @Test func `of several who open a store at the same time one migrates and copies it`() throws {
        try withStore { path in
            let outcomes = try (0..<4).concurrentMap { _ in
                Result { try runner.open(fileAt: path) }
            }.map { try $0.get() }
            #expect(outcomes.count { $0 == .current } == 3)
            #expect(try names(beside: path) == ["store.sqlite.backup-1"])
            #expect(try Connection(path: path).rows("SELECT count(*) FROM A") == [[.integer(2)]])
        }
    }

    @Test(arguments: [0o600, 0o640, 0o644])
    func `a copy allows nobody more than the store, and rehearses in private`(mode: Int) throws {
        try withStore { path in
            let files = FileManager.default
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            func permissions(_ path: String) throws -> Int? {
                try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            let folder = try ScratchFolder()
            var rehearsal: Int?
            let observed = try runner
            observed.progress = { _ in
                let names = (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
                guard let copy = names.first(where: { $0.hasSuffix(".sqlite") }) else { return }
                rehearsal = try? permissions("\(folder.path)/\(copy)")
            }
            let report = try StoreMaintenance(observed, storeAt: path).rehearse(in: folder.path)
            #expect(report.failure == nil && rehearsal == mode)
            _ = try runner.open(fileAt: path)
            #expect(try permissions(path + ".backup-1") == mode)
        }
    }

    @Test func `what is in the way of a copy, a link too, is left and gone round`() throws {
        try withStore { path in
            let files = FileManager.default
            try files.createSymbolicLink(
                atPath: path + ".backup-1", withDestinationPath: "/nowhere/at/all")
            let other = path + ".backup-1-2.unfinished"
            try files.createDirectory(atPath: other, withIntermediateDirectories: true)
            try Data("theirs".utf8).write(to: URL(filePath: other + "/file"))
            let error = #expect(throws: MigrationError.self) { try runner.open(fileAt: path) }
            guard case .backupFailed? = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(files.contents(atPath: other + "/file") == Data("theirs".utf8))
            try files.removeItem(atPath: other)
            _ = try runner.open(fileAt: path)
            let copies = ["store.sqlite.backup-1", "store.sqlite.backup-1-2"]
            #expect(try names(beside: path) == copies)
            #expect(
                try files.destinationOfSymbolicLink(atPath: path + ".backup-1")
                    == "/nowhere/at/all")
        }
    }
}
