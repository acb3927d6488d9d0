import CambiumMigration
import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumCoreDataStore

/// Stores that are imported and migrated one step.
enum LossSample {
    private static let table = "(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER"

    /// Imports a store with the tables, as the first of two versions, and goes on to the second.
    static func importStore(
        _ old: [Entity], _ new: [Entity], _ migration: MigrationDeclaration,
        entities: [(Int, String, Int, Int)], _ sql: String,
        look: (OldStore) throws -> Void = { _ in }
    ) throws -> CoreDataImportReport {
        let versions = [
            Model(name: "M", version: "1", entities: old),
            Model(name: "M", version: "2", entities: new, migration: migration),
        ]
        let store = try OldStore(
            entities: entities,
            sql: sql.replacing(" KEYS", with: " " + table))
        let report = try store.importStore(
            versions, [Migration(from: versions[0], to: versions[1])]
        ) {
            $0.writtenBy = "1"
        }
        #expect(report.version == "2" && report.migration?.stoppedAt == nil)
        try look(store)
        return report
    }

    static func isEqual(_ name: String, _ number: Int64) -> ModelExpression {
        .comparison(path(name), .equal, .literal(.int(number)), [])
    }

    static func path(_ name: String) -> ModelExpression {
        .keyPath(root: .subject, names: [name])
    }

    /// A with `bs` and B with `as`, each the other's inverse.
    static func pair(_ isToMany: (Bool, Bool)?) -> [Entity] {
        [("A", "bs", "B", "as", isToMany?.0), ("B", "as", "A", "bs", isToMany?.1)].map {
            name, relationship, destination, inverse, isToMany in
            Entity(
                name: name, attributes: [.optional("k", .int32)],
                relationships: isToMany.map {
                    [
                        Relationship(
                            name: relationship, destination: destination, inverse: inverse,
                            isToMany: $0)
                    ]
                } ?? [])
        }
    }

    static let pairNumbers = [(1, "A", 0, 9), (2, "B", 0, 9)]
    static let pairTables = """
        CREATE TABLE ZA KEYS, ZK INTEGER); CREATE TABLE ZB KEYS, ZK INTEGER);
        CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS));
        INSERT INTO ZA VALUES (1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 1, 3), (4, 1, 1, 9);
        INSERT INTO ZB VALUES (1, 2, 1, 1), (2, 2, 1, 2);
        INSERT INTO Z_1BS VALUES (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1), (4, 2);
        """
}
