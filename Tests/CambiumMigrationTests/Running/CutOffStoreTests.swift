import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// Stores that a program was writing when it was killed.
struct CutOffStoreTests {
    private typealias Store = TestStore

    private static let old = Store.model(
        "1", [Entity(name: "A", attributes: [Store.string("name")])])
    private static let new = Store.model(
        "2", [Entity(name: "A", attributes: [Store.string("title", from: "name")])])

    /// A file in the middle of a transaction, with the journal that takes it back.
    private func withCutOffStore(
        _ body: (_ store: StoreMaintenance, _ folder: URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-cut-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, copy) = (
            folder.appending(path: "whole.sqlite").path(),
            folder.appending(path: "store.sqlite").path()
        )
        let connection = try Connection(path: path)
        _ = try MigrationRunner(model: Self.old).open(connection)
        try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO A (_id, name) SELECT i, 'a name of some length ' || i FROM n;
            PRAGMA cache_size = 2; BEGIN; UPDATE A SET name = name || ' half'
            """)
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        try connection.execute("ROLLBACK")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
        try #require(String(decoding: bytes, as: UTF8.self).contains(" half"))
        try body(
            StoreMaintenance(
                MigrationRunner(
                    model: Self.new, migrations: [try Migration(from: Self.old, to: Self.new)]),
                storeAt: copy), folder)
    }

    @Test func `what was half written is taken back by whoever looks`() throws {
        try withCutOffStore { store, _ in
            let report = try store.status()
            #expect(report.state == .behind)
        }
        try withCutOffStore { store, _ in
            let report = try store.plan()
            #expect(report.rows == 500)
        }
        try withCutOffStore { store, folder in
            let report = try store.rehearse(in: folder.path())
            #expect(report.failure == nil && report.versions == ["1", "2"])
        }
    }

    @Test func `it is migrated as it was before`() throws {
        try withCutOffStore { store, _ in
            let report = try store.apply()
            #expect(report.outcome == .migrated)
            let rows = try Connection(path: store.path).rows(
                "SELECT count(*), sum(title LIKE '% half') FROM A")
            #expect(rows == [[.integer(500), .integer(0)]])
        }
    }
}
