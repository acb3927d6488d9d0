import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// The files of large values that a migration leads nobody to any more.
struct LargeValueTests {
    private static let key = Attribute.optional("k", .int32)
    private static let data = Attribute(
        name: "x", type: .data, isOptional: true, isExternal: true)

    private static func files(_ path: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(
            atPath: ExternalForm.folder(ofStore: path))
    }

    /// Imports a store with two objects that have a file each, and takes it to the next version.
    private func importStore(_ entity: Entity, _ declaration: MigrationDeclaration) throws
        -> OldStore
    {
        let names = [
            "7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5", "8A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5",
        ]
        let rows = names.enumerated().map { index, name in
            "(\(index + 1), 1, 1, \(index), CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB))"
        }
        let store = try OldStore(
            entities: [(1, "A", 0, 2)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZK INTEGER,
                    ZX BLOB);
                INSERT INTO ZA VALUES \(rows.joined(separator: ", "));
                """)
        let folder = "\(store.folder)/.Old_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names {
            try Data(repeating: 7, count: 110_000).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        let versions = [
            Model(
                name: "M", version: "1",
                entities: [Entity(name: "A", attributes: [Self.key, Self.data])]),
            Model(name: "M", version: "2", entities: [entity], migration: declaration),
        ]
        let report = try store.importStore(
            versions, [Migration(from: versions[0], to: versions[1])]
        ) { $0.writtenBy = "1" }
        #expect(report.version == "2" && report.missingFiles.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        return store
    }

    @Test func `files of objects that a migration takes do not stay`() throws {
        let first = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["k"]), .equal, .literal(.int(0)), [])
        let store = try importStore(
            Entity(name: "A", attributes: [Self.key, Self.data]),
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", condition: first, reason: "r")]))
        let named = try store.rows("SELECT CAST(substr(x, 2) AS TEXT) FROM A").joined()
        #expect(named.count == 1 && Self.files(store.newPath) == Array(named))
    }

    @Test func `no folder stays where an attribute with files goes`() throws {
        let store = try importStore(
            Entity(name: "A", attributes: [Self.key]),
            MigrationDeclaration(
                from: "1", drops: [.init(entity: "A", property: "x", reason: "r")]))
        #expect(Self.files(store.newPath) == nil)
        #expect(store.files.filter { $0.contains("external") }.isEmpty)
    }
}
