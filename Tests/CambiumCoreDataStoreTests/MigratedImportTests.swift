import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

struct MigratedImportTests {
    private static let weight = Attribute(
        name: "weight", type: .int32, defaultValue: .constant(.int(5)))
    private static let versions = [
        Shelf.model, Shelf.version("2", with: [weight]),
        Shelf.version("3", with: [weight, .optional("colour", .string)]),
    ]

    private func steps(_ versions: [Model]) throws -> [Migration] {
        try zip(versions, versions.dropFirst()).map { try Migration(from: $0, to: $1) }
    }

    @Test func `the new store has the current version`() throws {
        let store = try Shelf.store()
        let report = try store.importStore(Self.versions, steps(Self.versions))
        #expect(report.version == "3" && report.writtenBy == "1")
        #expect(report.migration?.versions == ["2", "3"])
        #expect(report.isComplete)
        #expect(try store.rows("SELECT DISTINCT weight, colour FROM Item") == [["5", "nil"]])
        #expect(
            try store.rows("SELECT value FROM _metadata WHERE name = 'version'") == [["3"]])
        #expect(store.files == ["Old.sqlite", "new.sqlite"])
    }

    @Test func `what a later version gives up is said in the last line too`() throws {
        let versions = [
            Shelf.version("1", with: [.optional("code", .int32)]),
            Model(
                name: "Shelf", version: "2", entities: Shelf.version("2").entities,
                migration: MigrationDeclaration(
                    from: "1", drops: [.init(entity: "Item", property: "code", reason: "gone")])),
        ]
        let store = try Shelf.store(
            changes: "ALTER TABLE ZITEM ADD COLUMN ZCODE INTEGER; UPDATE ZITEM SET ZCODE = 4;")
        let report = try store.importStore(versions, steps(versions))
        // The version that wrote the store has all, and the steps are the model's.
        #expect(report.isComplete)
        #expect(report.migration?.losses.count == 1)
        #expect(report.migration?.losses.first?.contains("drop Item.code") == true)
        #expect(report.migration?.losses.first?.hasSuffix(": 4 values") == true)
        #expect(
            report.text.hasSuffix(
                ": all data was imported into '1', and the later versions dropped some of it, see above\n"
            ))
    }

    @Test func `it goes no further than asked`() throws {
        let store = try Shelf.store()
        let report = try store.importStore(Self.versions, steps(Self.versions)) { $0.target = "2" }
        #expect(report.version == "2")
        #expect(report.isComplete)
        let error = importError {
            _ = try store.importStore(Self.versions) {
                $0.writtenBy = "2"
                $0.target = "1"
            }
        }
        #expect(error == .versionIsEarlier("1", than: "2"))
    }

    @Test func `where no step leads on, it says so and goes as far as it can`() throws {
        let store = try Shelf.store()
        let report = try store.importStore(Self.versions, Array(steps(Self.versions).prefix(1)))
        #expect(report.version == "2")
        #expect(report.migration?.stoppedAt == "2")
        #expect(!report.isComplete)
        #expect(report.text.contains("Stopped at '2': no migration starts from '2'"))
    }

    @Test func `a store of a version after the current one stays there and says so`() throws {
        let store = try OldStore(
            entities: [(1, "A", 0, 1)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX INTEGER);
                INSERT INTO ZA VALUES (1, 1, 1, 5);
                """)
        let versions = [[], [Attribute.optional("x", .int32)]].enumerated().map { index, more in
            Model(
                name: "M", version: "\(index + 1)",
                entities: [Entity(name: "A", attributes: more)])
        }
        func plan(_ target: String?) throws -> CoreDataImportReport {
            var importer = try CoreDataImporter(
                CoreDataStore(at: store.path), versions: versions, current: "1"
            ) { _, _ in .init(migrations: []) }
            importer.target = target
            return try importer.plan()
        }
        let report = try plan(nil)
        #expect(report.writtenBy == "2" && report.version == "2" && report.current == "1")
        #expect(report.migration?.stoppedAt == "2")
        #expect(!report.isComplete)
        #expect(
            report.text.contains("Stopped at '2': it comes after '1', which is the current"))
        #expect(
            report.text.contains(
                "all data would be imported, but the version is not the requested one"))
        #expect(try plan("2").isComplete)
    }

    @Test func `where the rows do not meet a version, the store has the one before`() throws {
        let strict = Shelf.version(
            "3",
            with: [
                Self.weight, Attribute(name: "colour", type: .string, isOptional: true),
            ])
        let model = Model(
            name: "Shelf", version: "3",
            entities: strict.entities.map { entity in
                guard entity.name == "Place" else { return entity }
                return Entity(
                    name: "Place",
                    attributes: [
                        Attribute(
                            name: "name", type: .string, limits: Limits(maximumLength: 4))
                    ], relationships: entity.relationships)
            })
        let versions = [Self.versions[0], Self.versions[1], model]
        let store = try Shelf.store()
        let report = try store.importStore(versions, steps(versions))
        #expect(report.version == "2")
        #expect(report.migration?.reason?.contains("Place.name is longer than it may be") == true)
        #expect(try store.rows("SELECT count(*) FROM Place") == [["2"]])
    }

    @Test func `keys are traced to where two hierarchies come together`() throws {
        func model(_ version: String, parent: String?) -> Model {
            Model(
                name: "Zoo", version: version,
                entities: [
                    Entity(name: "Bird", parent: parent),
                    Entity(name: "Cat", attributes: [.optional("name", .string)]),
                    Entity(name: "Dog", parent: parent),
                ])
        }
        let versions = [model("1", parent: nil), model("2", parent: "Cat")]
        let store = try OldStore(
            entities: [(1, "Bird", 0, 2), (2, "Cat", 0, 4), (3, "Dog", 0, 1)],
            sql: """
                CREATE TABLE ZBIRD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZCAT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
                CREATE TABLE ZDOG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                INSERT INTO ZBIRD VALUES (1, 1, 1), (2, 1, 1);
                INSERT INTO ZCAT VALUES (4, 2, 1, 'Tom');
                INSERT INTO ZDOG VALUES (1, 3, 1);
                """)
        var traced: [String] = []
        _ = try store.importStore(versions, steps(versions)) {
            $0.identities = { identity in
                traced.append(
                    "\(identity.oldEntity) \(identity.oldKey) \(identity.newEntity ?? "") "
                        + "\(identity.newKey.map { "\($0)" } ?? "gone")")
            }
        }
        let there = try store.rows("SELECT _entity, _id FROM Cat ORDER BY 1, 2")
        #expect(traced.count == 4)
        #expect(
            Set(traced.map { $0.split(separator: " ").suffix(2).joined(separator: " ") })
                == Set(there.map { $0.joined(separator: " ") }))
        #expect(traced.contains("Cat 4 Cat 4"))
    }
}
