import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// What a plan says. Every test of an import checks that the plan says the same.
struct PlanTests {
    @Test func `a plan counts and writes nothing`() throws {
        let store = try Shelf.store()
        let plan = try store.importer([Shelf.model]).plan()
        #expect(plan.entities.map(\.written) == [1, 2, 1, 2, 3])
        #expect(plan.destination == nil)
        #expect(plan.isComplete)
        #expect(plan.text.contains("Nothing was written. A store with 9 objects and version '1'"))
        #expect(plan.text.contains("would be: all data would be imported"))
        #expect(store.files == ["Old.sqlite"])
    }

    @Test(arguments: [
        ("UPDATE ZITEM SET ZPLACE = 77 WHERE Z_PK = 1", "Item 1.place → 77"),
        ("UPDATE ZITEM SET ZTITLE = NULL WHERE Z_PK = 1", "Item 1.title: a value is required"),
        ("UPDATE ZTAG SET ZBEST = 50 WHERE Z_PK = 1", "Tag 1.best: a link is required"),
        ("UPDATE ZTAG SET ZLABEL = 'green'", "another row has the same label"),
        ("INSERT INTO Z_1LIKES VALUES (1, 99)", "Item 99.likes → 1"),
    ])
    func `a plan names what would not be imported`(change: String, words: String) throws {
        let store = try Shelf.store(changes: change)
        let plan = try store.importer([Shelf.model]).plan()
        #expect(!plan.isComplete)
        #expect(plan.text.contains(words))
        #expect(plan.text.contains("not all data would be imported"))
        #expect(store.files == ["Old.sqlite"])
    }

    @Test func `a plan looks for the files of large values, and copies none`() throws {
        let name = "7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5"
        let model = Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "A",
                    attributes: [
                        Attribute(name: "x", type: .data, isOptional: true, isExternal: true)
                    ])
            ])
        let store = try OldStore(
            entities: [(1, "A", 0, 1)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX BLOB);
                INSERT INTO ZA
                    VALUES (1, 1, 1, CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB));
                """)
        let plan = try store.importer([model]).plan()
        #expect(plan.missingFiles.map(\.id) == [1])
        #expect(!plan.isComplete)
        let folder = "\(store.folder)/.Old_SUPPORT/_EXTERNAL_DATA"
        // A folder is no file, whatever it is called.
        try FileManager.default.createDirectory(
            atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        #expect(try store.importer([model]).plan().missingFiles.map(\.id) == [1])
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        try Data(repeating: 7, count: 200_000).write(to: URL(filePath: "\(folder)/\(name)"))
        #expect(try store.importer([model]).plan().isComplete)
        #expect(store.files == [".Old_SUPPORT", "Old.sqlite"])
        #expect(try store.importStore([model]).isComplete)
    }

    @Test func `a plan says where the migration would end`() throws {
        let weight = Attribute(
            name: "weight", type: .int32, defaultValue: .constant(.int(5)))
        let short = Attribute(
            name: "name", type: .string, limits: Limits(maximumLength: 4))
        let strict = Model(
            name: "Shelf", version: "3",
            entities: Shelf.version("3", with: [weight]).entities.map { entity in
                entity.name == "Place"
                    ? Entity(
                        name: "Place", attributes: [short], relationships: entity.relationships)
                    : entity
            })
        let versions = [Shelf.model, Shelf.version("2", with: [weight]), strict]
        let steps = try zip(versions, versions.dropFirst()).map { try Migration(from: $0, to: $1) }
        let store = try Shelf.store()
        let plan = try store.importer(versions, steps).plan()
        #expect(plan.version == "2")
        #expect(plan.migration?.stoppedAt == "2")
        #expect(plan.migration?.reason?.contains("Place.name is longer than it may be") == true)
    }
}
