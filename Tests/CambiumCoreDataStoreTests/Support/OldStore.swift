import CambiumMigration
import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

/// A folder with a store as Core Data writes it, and what is made of it.
final class OldStore {
    let folder: String
    /// The store that Core Data wrote.
    var path: String { "\(folder)/Old.sqlite" }
    /// The store that is made of it.
    var newPath: String { "\(folder)/new.sqlite" }

    /// - Parameters:
    ///   - entities: Number, name, number of the parent and last key of each entity.
    ///   - hash: What it says of an entity.
    ///   - hashedEntity: The entity that it says that of.
    ///   - sql: What makes and fills the tables of the program.
    ///   - identifiers: What the store says of its version.
    init(
        entities: [(Int, String, Int, Int)], identifiers: [String] = [],
        notes: [String: String] = [:],
        hash: [UInt8] = [], of hashedEntity: String = "Item", sql: String
    ) throws {
        folder =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-old-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let connection = try Connection(path: path)
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = DELETE")
        try connection.transaction {
            try connection.execute(
                """
                CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR,
                    Z_SUPER INTEGER, Z_MAX INTEGER);
                CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255),
                    Z_PLIST BLOB);
                CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);
                """)
            for (number, name, parent, last) in entities {
                _ = try connection.rows(
                    "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, ?)",
                    [
                        .integer(Int64(number)), .text(name), .integer(Int64(parent)),
                        .integer(Int64(last)),
                    ])
            }
            let list = PropertyListBytes.dictionary(
                [
                    ("NSStoreModelVersionIdentifiers", .array(identifiers.map { .string($0) })),
                    ("NSStoreType", .string("SQLite")),
                    (
                        "NSStoreModelVersionHashes",
                        .dictionary(hash.isEmpty ? [] : [(hashedEntity, .data(hash))])
                    ),
                ] + notes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            _ = try connection.rows(
                "INSERT INTO Z_METADATA VALUES (1, '3C6A1C0E-6C3E-4B9E-9B77-0A4C0F1D2E3B', ?)",
                [.blob(list.bytes)])
            try connection.execute(sql)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func importer(_ versions: [Model], _ migrations: [Migration] = []) throws -> CoreDataImporter {
        try CoreDataImporter(
            CoreDataStore(at: path), versions: versions, current: versions.last?.version ?? ""
        ) { _, _ in .init(migrations: migrations) }
    }

    /// Plans the import of the store, then imports it: both say the same.
    func importStore(
        _ versions: [Model], _ migrations: [Migration] = [],
        _ prepare: (inout CoreDataImporter) -> Void = { _ in }
    ) throws -> CoreDataImportReport {
        var importer = try importer(versions, migrations)
        prepare(&importer)
        var planned = importer
        (planned.progress, planned.isCancelled, planned.identities) = ({ _ in }, { false }, nil)
        let plan = Result { try planned.plan() }
        let files = files
        do {
            var report = try importer.run(in: NewStore(path: newPath, from: path))
            let imported = report
            report.destination = nil
            #expect(try plan.get() == report)
            return imported
        } catch let error as CoreDataImportError {
            #expect(files == self.files)
            switch error {
            // What a plan does not do.
            case .cancelled, .cannotWrite, .destinationExists, .inUse, .isRunning: break
            default: #expect(throws: error) { try plan.get() }
            }
            throw error
        }
    }

    /// The rows of a query of the new store, each value as text.
    func rows(_ query: String) throws -> [[String]] {
        try Connection(path: newPath, mode: .readOnly).rows(query).map { row in
            row.map { value in
                switch value {
                case .null: "nil"
                case .integer(let value): String(value)
                case .real(let value): String(value)
                case .text(let value): value
                case .blob(let value): value.map { String($0, radix: 16) }.joined(separator: " ")
                }
            }
        }
    }

    /// The names in the folder.
    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}

/// Runs a body and returns the error of an import that it throws.
func importError(_ body: () throws -> Void) -> CoreDataImportError? {
    do {
        try body()
        return nil
    } catch {
        return error as? CoreDataImportError
    }
}

extension CoreDataImportReport {
    /// The names of what is left out, but for what Core Data notes of each store.
    var omittedTables: [String] {
        omittedParts.map(\.name).filter { !$0.hasPrefix("NSStore") }
    }
}
