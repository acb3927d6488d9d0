import CambiumMigration
import CambiumModel
import CambiumSQLite
import Foundation
import Testing

/// The files of large values that no row leads to after a migration.
struct ExternalSweepTests {
    private typealias Store = TestStore

    private static let attributes = ["x", "y"].map {
        Attribute(name: $0, type: .data, isOptional: true, isExternal: true)
    }
    private static let old = Store.model("1", [Entity(name: "A", attributes: attributes)])
    private static let new = Store.model(
        "2", [Entity(name: "A", attributes: [attributes[0]])], drops: [("A", "y")])

    /// The names of the files of `x`, of `y`, and one that nothing leads to.
    private static let names = (1...3).map { "\($0)A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5" }

    private func withStore(_ body: (_ path: String, _ folder: String) throws -> Void) throws {
        let parent = FileManager.default.temporaryDirectory
            .appending(path: "cambium-sweep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: parent) }
        let path = parent.appending(path: "store.sqlite").path()
        let folder = ExternalForm.folder(ofStore: path)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        for name in Self.names + ["note.txt"] {
            try Data(name.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        let connection = try Connection(path: path)
        _ = try MigrationRunner(model: Self.old).open(connection)
        try connection.execute(
            """
            INSERT INTO A (_id, x, y) VALUES (1, CAST(x'02' || '\(Self.names[0])' AS BLOB),
                CAST(x'02' || '\(Self.names[1])' AS BLOB))
            """)
        try body(path, folder)
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private func runner(_ more: [MigrationStep] = []) throws -> MigrationRunner {
        let good = try Migration(from: Self.old, to: Self.new)
        return MigrationRunner(
            model: Self.new,
            migrations: [
                Migration(
                    from: "1", to: "2", fromHash: good.fromHash, toHash: good.toHash,
                    steps: good.steps + more)
            ])
    }

    @Test func `files that a migration leads nobody to go after it, and its copy has them`() throws
    {
        try withStore { path, folder in
            guard case .migrated(_, _, _, let copy?) = try runner().open(fileAt: path) else {
                Issue.record("It was not migrated, or not copied.")
                return
            }
            #expect(try files(folder) == [Self.names[0], "note.txt"])
            #expect(
                try files(ExternalForm.folder(ofStore: copy)) == Self.names)
        }
    }

    @Test func `a migration that fails takes no file, and leaves no journal`() throws {
        try withStore { path, folder in
            let stopped = try runner()
            stopped.isCancelled = { true }
            #expect(throws: MigrationError.cancelled) { try stopped.open(fileAt: path) }
            let bad = try runner([
                .init(summary: "bad", kind: .additive, statements: [.init(.other, "SELECT no")])
            ])
            #expect(throws: MigrationError.self) { try bad.open(fileAt: path) }
            #expect(try files(folder) == Self.names + ["note.txt"])
        }
    }

    @Test
    func `what a kill after the commit leaves goes with the next sweep, and before it nothing`()
        throws
    {
        try withStore { path, folder in
            let connection = try Connection(path: path)
            // The journal is there before the commit: what rows lead to stays.
            let external = ExternalFiles(ofStore: path)
            let before = ExternalSweep(external, model: Self.old)
            let first = try external.announce()
            #expect(first != nil)
            try before.run(connection)
            #expect(try files(folder) == Self.names.prefix(2) + ["note.txt"])
            let after = ExternalSweep(external, model: Self.new)
            let second = try external.announce()
            #expect(second != nil)
            // No path: it removes nothing itself.
            _ = try runner().open(connection)
            #expect(try files(folder).count == 4 && after.hasJournals)
            try after.run(connection)
            #expect(try files(folder) == [Self.names[0], "note.txt"])
        }
    }

    @Test func `a journal stays as long as a file that it names does, or while nobody can read it`()
        throws
    {
        try withStore { path, folder in
            let files = FileManager.default
            let connection = try Connection(path: path)
            let external = ExternalFiles(ofStore: path)
            let sweep = ExternalSweep(external, model: Self.old)
            // A folder in the place of a file cannot be removed like one.
            let stuck = "\(folder)/\(Self.names[2])"
            try files.removeItem(atPath: stuck)
            try files.createDirectory(atPath: stuck, withIntermediateDirectories: true)
            let journal = try #require(try external.announce(Array(Self.names[1...])))
            try sweep.run(connection)
            #expect(sweep.hasJournals)
            #expect(try self.files(folder) == (Self.names + [journal, "note.txt"]).sorted())
            try files.removeItem(atPath: stuck)
            try Data([1]).write(to: URL(filePath: stuck))
            try connection.execute("UPDATE A SET y = NULL")
            // What it says cannot be read for the moment.
            let content = try Data(contentsOf: URL(filePath: "\(folder)/\(journal)"))
            try files.removeItem(atPath: "\(folder)/\(journal)")
            try files.createSymbolicLink(
                atPath: "\(folder)/\(journal)", withDestinationPath: "note.txt")
            try sweep.run(connection)
            #expect(sweep.hasJournals && files.fileExists(atPath: stuck))
            try files.removeItem(atPath: "\(folder)/\(journal)")
            try content.write(to: URL(filePath: "\(folder)/\(journal)"))
            try sweep.run(connection)
            #expect(try self.files(folder) == [Self.names[0], "note.txt"])
        }
    }
}
