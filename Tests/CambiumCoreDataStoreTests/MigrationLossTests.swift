import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// What the migration after the copy takes, and how that is told.
struct MigrationLossTests {
    private static func version(
        _ name: String, isToMany: Bool, isUnique: Bool = false, _ more: [Entity] = [],
        attributes: [Attribute] = [], migration: MigrationDeclaration? = nil
    ) -> Model {
        Model(
            name: "M", version: name,
            entities: [
                Entity(
                    name: "A", attributes: [.optional("k", .int32)] + attributes,
                    relationships: [
                        Relationship(
                            name: "bs", destination: "B", inverse: "as", isToMany: isToMany)
                    ],
                    uniqueConstraints: isUnique ? [UniqueConstraint(properties: ["k"])] : []),
                Entity(
                    name: "B",
                    relationships: [
                        Relationship(name: "as", destination: "A", inverse: "bs", isToMany: true)
                    ]),
            ] + more, migration: migration)
    }

    private static let versions = [
        version("1", isToMany: true),
        version(
            "2", isToMany: false, isUnique: true,
            migration: MigrationDeclaration(
                from: "1",
                keeps: [.init(entity: "A", relationship: "bs", reason: "one is enough")],
                deduplications: [.init(entity: "A", properties: ["k"], reason: "twice")])),
    ]

    private func store(_ objects: String, links: String, more: String = "") throws -> OldStore {
        try OldStore(
            entities: [(1, "A", 0, 4), (2, "B", 0, 2)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZK INTEGER);
                CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS));
                INSERT INTO ZA VALUES \(objects);
                INSERT INTO ZB VALUES (1, 2, 1), (2, 2, 1);
                INSERT INTO Z_1BS VALUES \(links);
                """)
    }

    private func steps(_ versions: [Model]) throws -> [Migration] {
        try zip(versions, versions.dropFirst()).map { try Migration(from: $0, to: $1) }
    }

    @Test func `objects and links that it takes are counted, with what took them`() throws {
        let store = try store(
            "(1, 1, 1, 7), (2, 1, 1, 7), (3, 1, 1, 7), (4, 1, 1, NULL)",
            links: "(1, 1), (1, 2), (2, 2), (4, 1), (4, 2)")
        let report = try store.importStore(Self.versions, steps(Self.versions))
        let there = try store.rows("SELECT count(*), count(bs) FROM A")
        #expect(there == [["2", "2"]])
        #expect(report.objects == 4)
        let taken = try #require(report.migration)
        #expect(taken.objects.map(\.entity) == ["A"] && taken.objects.map(\.ids) == [[2, 3]])
        #expect(
            taken.objects.first?.changes
                == ["keep one of several objects of A with the same k (twice)"])
        #expect(taken.links.map(\.relationship) == ["bs"] && taken.links.map(\.count) == [3])
        #expect(
            taken.losses == [
                "2: keep one of several links of A.bs (one is enough): 2 links",
                "2: keep one of several objects of A with the same k (twice): 2 objects",
            ])
        // The author of the model wanted it so.
        #expect(report.isComplete)
        #expect(report.text.contains("\n  deleted by '2': 2 A (2, 3)\n"))
        #expect(
            report.text.contains(
                " has 4 objects and version '2': all data was imported into '1', and "))
        #expect(!report.text.contains("all data was imported\n"))
    }

    @Test func `what takes nothing of a store is not told`() throws {
        let store = try store("(1, 1, 1, 7), (2, 1, 1, 8)", links: "(1, 1), (2, 1)")
        let report = try store.importStore(Self.versions, steps(Self.versions))
        #expect(report.version == "2" && report.objects == 4)
        #expect(report.migration?.losses == [])
        #expect(report.migration?.objects == [] && report.migration?.links == [])
        #expect(report.text.hasSuffix(" has 4 objects and version '2': all data was imported\n"))
    }

    @Test func `entities, objects by a condition and values that go are counted apart`() throws {
        let old = Entity(name: "C", attributes: [.optional("x", .string)])
        let versions = [
            Self.version(
                "1", isToMany: true, [old],
                attributes: [.optional("gone", .string), .optional("empty", .string)]),
            Self.version(
                "2", isToMany: true,
                migration: MigrationDeclaration(
                    from: "1",
                    drops: [
                        .init(
                            entity: "A",
                            condition: .comparison(
                                .keyPath(root: .subject, names: ["k"]), .equal, .literal(.null), []),
                            reason: "no number"),
                        .init(entity: "A", property: "gone", reason: "unused"),
                        .init(entity: "A", property: "empty", reason: "unused"),
                        .init(entity: "C", reason: "unused"),
                    ])),
        ]
        let store = try OldStore(
            entities: [(1, "A", 0, 4), (2, "B", 0, 2), (3, "C", 0, 2)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZK INTEGER,
                    ZGONE VARCHAR, ZEMPTY VARCHAR);
                CREATE TABLE ZB (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
                CREATE TABLE ZC (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX VARCHAR);
                CREATE TABLE Z_1BS (Z_1AS INTEGER, Z_2BS INTEGER, PRIMARY KEY (Z_1AS, Z_2BS));
                INSERT INTO ZA VALUES (1, 1, 1, 5, 'g', NULL), (2, 1, 1, NULL, NULL, NULL);
                INSERT INTO ZB VALUES (1, 2, 1);
                INSERT INTO ZC VALUES (1, 3, 1, 'x'), (2, 3, 1, 'y');
                INSERT INTO Z_1BS VALUES (1, 1), (2, 1);
                """)
        let report = try store.importStore(versions, steps(versions))
        #expect(report.objects == 2)
        let taken = try #require(report.migration)
        #expect(
            taken.losses.map { $0.split(separator: ": ").last ?? "" }
                == ["1 object", "1 value", "2 objects"])
        #expect(!taken.losses.contains { $0.contains("empty") })
        #expect(taken.objects.map { "\($0.entity) \($0.ids)" } == ["A [2]", "C [1, 2]"])
        #expect(taken.objects.last?.changes == ["drop C and its data (unused)"])
        #expect(taken.links.map { "\($0.relationship) \($0.count)" } == ["bs 1"])
    }

    @Test func `keys of rows that are gone, or never came, are told without a new one`() throws {
        let store = try store(
            "(1, 1, 1, 7), (2, 1, 1, 7), (3, 1, 1, 'x')", links: "(1, 1)")
        var told: [String] = []
        let report = try store.importStore(Self.versions, steps(Self.versions)) {
            $0.identities = { identity in
                told.append(
                    "\(identity.oldEntity) \(identity.oldKey) \(identity.newKey.map { "\($0)" } ?? "-")"
                )
            }
        }
        #expect(report.refusedRows.map(\.id) == [3])
        #expect(told.sorted() == ["A 1 1", "A 2 -", "A 3 -", "B 1 1", "B 2 2"])
    }
}
