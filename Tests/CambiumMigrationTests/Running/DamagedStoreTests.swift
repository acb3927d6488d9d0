import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// Stores whose file is not what SQLite has written.
struct DamagedStoreTests {
    private typealias Store = TestStore

    private static let old = Store.model(
        "1",
        [
            Entity(name: "A", attributes: [Store.string("name"), Store.string("gone")]),
            Entity(name: "B", attributes: [Store.string("word")]),
        ])
    /// Reads and writes all rows of A, after a copy was made.
    private static let lossy = Store.model(
        "2",
        [
            Entity(name: "A", attributes: [Store.string("name")]),
            Entity(name: "B", attributes: [Store.string("word")]),
        ], drops: [("A", "gone")])
    /// Reads no row at all.
    private static let additive = Store.model(
        "2",
        [
            Entity(
                name: "A",
                attributes: [
                    Store.string("name"), Store.string("gone"), Store.string("y", optional: true),
                ]),
            Entity(name: "B", attributes: [Store.string("word")]),
        ])

    private func runner(to new: Model) throws -> MigrationRunner {
        MigrationRunner(model: new, migrations: [try Migration(from: Self.old, to: new)])
    }

    /// A store one of whose pages, in the middle of a table, is overwritten.
    private func withDamage(
        in table: String, byte: UInt8 = 0xA5, _ body: (_ path: String, _ folder: URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-damage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path()
        do {
            let connection = try Connection(path: path)
            _ = try MigrationRunner(model: Self.old).open(connection)
            try connection.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
                INSERT INTO A (_id, name, gone) SELECT i, 'a long name, number ' || i, 'x' FROM n;
                INSERT INTO B (_id, word) SELECT _id, name FROM A
                """)
        }
        let leaves = try Connection(path: path).rows(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno",
            [.text(table)])
        guard case .integer(let page)? = leaves.dropFirst().first?.first else {
            Issue.record("no page of \(table)")
            return
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let start = Int(page - 1) * 4096
        bytes.replaceSubrange(start..<start + 4096, with: Data(repeating: byte, count: 4096))
        try bytes.write(to: URL(fileURLWithPath: path))
        try body(path, folder)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
        #expect(names == ["store.sqlite"])
    }

    private func finding(_ body: () throws -> Void) throws -> (String, StoreFailure) {
        let error = #expect(throws: MigrationError.self) { try body() }
        let failure = try #require(error)
        guard case .storeIsDamaged(let finding) = failure else { throw failure }
        #expect(failure.coreDataCode == 259)
        return (finding, try #require(StoreFailure(failure, storeAt: "s.sqlite")))
    }

    @Test func `a migration that comes upon damage says so, and changes nothing`() throws {
        try withDamage(in: "A") { path, _ in
            let (finding, failure) = try finding {
                _ = try runner(to: Self.lossy).open(fileAt: path)
            }
            #expect(finding.contains("malformed, found in the step: Rebuild A"))
            #expect(failure.cause == .file)
            #expect(failure.message.hasPrefix("s.sqlite: The file is damaged ("))
            #expect(failure.message.contains("Put a copy from before in its place, or save what"))
            #expect(failure.message.hasSuffix("sqlite3 's.sqlite' .recover"))
        }
    }

    /// What is no page at all ends SQLite's look, of an empty one it gives an account.
    @Test(arguments: [UInt8(0xA5), 0])
    func `the tool finds damage that the migration does not touch`(byte: UInt8) throws {
        try withDamage(in: "B", byte: byte) { path, folder in
            for model in [Self.lossy, Self.additive] {
                let store = StoreMaintenance(try runner(to: model), storeAt: path)
                let report = try store.status()
                #expect(report.state == .behind)
                for action in [
                    { _ = try store.plan() }, { _ = try store.apply() },
                    { _ = try store.rehearse(in: folder.path()) },
                ] {
                    let (_, failure) = try finding(action)
                    #expect(failure.cause == .file)
                }
            }
        }
    }

    @Test func `values that a store should not have are no damage`() {
        for finding in [
            "NULL value in A.name", "CHECK constraint failed in A", "non-INTEGER value in A.n",
            "NUMERIC value in A.name", "TEXT value in A.n", "ok",
        ] {
            #expect(!MigrationSQL.isDamage(finding))
        }
        #expect(MigrationSQL.isDamage("*** in database main ***\nTree 4 page 4: bad"))
    }
}
