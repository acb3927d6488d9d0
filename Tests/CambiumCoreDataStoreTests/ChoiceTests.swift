import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// Which of several versions that fit alike is taken.
struct ChoiceTests {
    private static func version(_ name: String, isOptional: Bool, identifier: String? = nil)
        -> Model
    {
        Model(
            name: "M", version: name,
            entities: [
                Entity(
                    name: "A",
                    attributes: [Attribute(name: "x", type: .string, isOptional: isOptional)])
            ], identifier: identifier)
    }

    private func store(identifiers: [String] = [], _ values: String) throws -> OldStore {
        try OldStore(
            entities: [(1, "A", 0, 2)], identifiers: identifiers,
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX VARCHAR);
                INSERT INTO ZA VALUES \(values);
                """)
    }

    private let versions = [
        Self.version("1", isOptional: false), Self.version("2", isOptional: true),
        Self.version("3", isOptional: true),
    ]

    private func migrations() throws -> [Migration] {
        try zip(versions, versions.dropFirst()).map { try Migration(from: $0, to: $1) }
    }

    @Test func `of versions that fit alike the earliest that loses nothing is taken`() throws {
        let whole = try store("(1, 1, 1, 'a'), (2, 1, 1, 'b')")
        #expect(try whole.importStore(versions, migrations()).writtenBy == "1")
        let store = try store("(1, 1, 1, 'a'), (2, 1, 1, NULL)")
        var keys: [Int64] = []
        var fractions: [Double] = []
        let report = try store.importStore(versions, migrations()) {
            $0.target = "2"
            $0.identities = { keys.append($0.oldKey) }
            $0.progress = { fractions.append($0.fraction) }
        }
        #expect(report.writtenBy == "2" && report.isComplete)
        #expect(report.alsoFits == ["3", "1"])
        #expect(report.text.contains("(--version takes one)"))
        #expect(try store.rows("SELECT _id, x FROM A ORDER BY 1") == [["1", "a"], ["2", "nil"]])
        #expect(keys == [1, 2])
        #expect(fractions == fractions.sorted())
        #expect(store.files == ["Old.sqlite", "new.sqlite"])
    }

    @Test func `where each version loses something, the one that loses least is taken`() throws {
        let store = try store("(1, 1, 1, NULL), (2, NULL, 1, NULL)")
        let report = try store.importStore(versions, migrations())
        #expect(report.writtenBy == "2")
        #expect(report.refusedRows.map(\.id) == [2])
        #expect(try store.rows("SELECT _id FROM A") == [["1"]])
    }

    @Test func `an identifier says more than what would be lost`() throws {
        let store = try store(identifiers: ["one"], "(1, 1, 1, NULL)")
        let named = [Self.version("1", isOptional: false, identifier: "one"), versions[1]]
        let report = try store.importStore(named)
        #expect(report.writtenBy == "1" && report.refusedRows.map(\.id) == [1])
        #expect(report.alsoFits == ["2"])
    }

    @Test func `a version that comes after the one to go to is not taken for that`() throws {
        let store = try store("(1, 1, 1, NULL)")
        let report = try store.importStore(versions) { $0.target = "1" }
        #expect(report.writtenBy == "1" && report.refusedRows.map(\.id) == [1])
    }
}

extension ChoiceTests {
    private static func version(_ name: String, isExternal: Bool) -> Model {
        Model(
            name: "M", version: name,
            entities: [
                Entity(
                    name: "A",
                    attributes: [
                        Attribute(name: "x", type: .data, isOptional: true, isExternal: isExternal)
                    ])
            ])
    }

    @Test(arguments: [true, false], [true, false])
    func `bytes tell whether they may lie in files, where versions differ in that`(
        hasForm: Bool, isExternalFirst: Bool
    ) throws {
        let store = try OldStore(
            entities: [(1, "A", 0, 3)],
            sql: """
                CREATE TABLE ZA (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZX BLOB);
                INSERT INTO ZA VALUES (1, 1, 1, x'01aabb'), (2, 1, 1, NULL),
                    (3, 1, 1, x'\(hasForm ? "01" : "7f")');
                """)
        let versions = [
            Self.version("1", isExternal: isExternalFirst),
            Self.version("2", isExternal: !isExternalFirst),
        ]
        let report = try store.importStore(versions) { $0.migrates = false }
        #expect(report.writtenBy == (hasForm == isExternalFirst ? "1" : "2"))
        #expect(report.alsoFits.count == 1)
        #expect(try store.rows("SELECT x FROM A WHERE _id = 1") == [["1 aa bb"]])
    }

    @Test func `of versions that fit alike that is taken whose migrations change least`() throws {
        let x = ModelExpression.keyPath(root: .subject, names: ["x"])
        let changing = Model(
            name: "M", version: "2", entities: Self.version("2", isOptional: true).entities,
            migration: MigrationDeclaration(
                from: "1",
                drops: [
                    .init(
                        entity: "A", condition: .comparison(x, .equal, .literal(.null), []),
                        reason: "nobody needs them")
                ]))
        let versions = [
            Self.version("1", isOptional: true), changing, Self.version("3", isOptional: true),
        ]
        let migrations = try zip(versions, versions.dropFirst())
            .map { try Migration(from: $0, to: $1) }
        let store = try store("(1, 1, 1, 'a'), (2, 1, 1, NULL)")
        let report = try store.importStore(versions, migrations)
        #expect(report.writtenBy == "2" && report.objects == 2)
        #expect(report.choice?.contains("'1'") == true)
        #expect(report.text.contains("It is imported as '2': the migrations from '1'"))
        // A program knows the steps, and of the versions what they are.
        let opened = try self.store("(1, 1, 1, 'a'), (2, 1, 1, NULL)")
        let plain = [versions[0], Self.version("2", isOptional: true), versions[2]]
        #expect(try opened.importStore(plain, migrations) { $0.migrates = false }.writtenBy == "2")
        // A version from which no way leads on is the last choice.
        let other = try self.store("(1, 1, 1, 'a')")
        let blocked = try other.importStore(versions, [migrations[1]])
        #expect(blocked.writtenBy == "2")
        #expect(blocked.choice == "no migration starts from '1', which fits as well")
    }
}
