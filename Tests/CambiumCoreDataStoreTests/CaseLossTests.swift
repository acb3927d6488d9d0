import CambiumMigration
import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// How much a step takes of values that are cases of an enumeration: a case that is gone is taken
/// from each object that had it, once.
struct CaseLossTests {
    /// A version with one entity, whose optional attribute is of an enumeration.
    private struct Version {
        let enumeration: Enumeration
        let entity: Entity

        init(_ name: String, _ type: AttributeType, _ cases: [(String, Value)]) {
            enumeration = Enumeration(
                name: name, rawType: type,
                cases: cases.map { EnumerationCase(name: $0, rawValue: $1) })
            entity = Entity(name: "E", attributes: [.optional("k", .enumeration(name))])
        }

        func model(_ version: String, _ migration: MigrationDeclaration? = nil) -> Model {
            Model(
                name: "M", version: version, entities: [entity], enumerations: [enumeration],
                migration: migration)
        }
    }

    /// Imports a store with the values, as the first of two versions, and goes on to the second.
    private func importStore(
        _ old: Version, _ new: Version, _ migration: MigrationDeclaration, _ values: [String]
    ) throws -> CoreDataImportReport {
        let versions = [old.model("1"), new.model("2", migration)]
        let rows = values.enumerated().map { "(\($0 + 1), 1, 1, \($1))" }.joined(separator: ", ")
        let store = try OldStore(
            entities: [(1, "E", 0, 9)],
            sql: """
                CREATE TABLE ZE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZK);
                INSERT INTO ZE VALUES \(rows)
                """)
        let report = try store.importStore(
            versions, [Migration(from: versions[0], to: versions[1])]
        ) {
            $0.writtenBy = "1"
        }
        #expect(report.version == "2" && report.migration?.stoppedAt == nil)
        return report
    }

    private static func numbered(_ cases: [String]) -> Version {
        Version("K", .int16, cases.enumerated().map { ($1, .int(Int64($0 + 1))) })
    }

    @Test func `cases that are replaced are told where the enumeration has another name`() throws {
        func version(_ name: String, _ cases: [String]) -> Version {
            Version(name, .string, cases.map { ($0, .string($0)) })
        }
        let report = try importStore(
            version("Kind", ["a", "b", "c"]), version("Sort", ["a", "b"]),
            MigrationDeclaration(
                from: "1",
                replacements: [.init(enumeration: "Sort", case: "c", with: "a", reason: "r")]),
            ["'a'", "'c'", "'c'"])
        #expect(
            report.migration?.losses == [
                "2: drop the case c of Sort, and give its objects another or none (r): 2 values"
            ])
        #expect(report.text.contains("the later versions dropped some of it"))
    }

    /// - Parameters:
    ///   - other: What takes the place of the case `c`, which two objects have.
    ///   - from: What the fill makes a value of where it is this; it leaves all others.
    ///   - filled: How many of those that had `a` or `b` have another case then.
    @Test(arguments: [
        ("b", "a", "a", 0), (nil, "a", "b", 1), (nil, nil, "a", 0), ("b", "b", "a", 1),
    ])
    func `a case that is replaced is told once, whatever a fill makes of it`(
        other: String?, from: String?, to: String, filled: Int
    ) throws {
        func literal(_ name: String?) -> ModelExpression {
            .literal(name.map { .int($0 == "a" ? 1 : 2) } ?? .null)
        }
        let value = ModelExpression.keyPath(root: .subject, names: ["k"])
        let fill = ModelExpression.conditional(
            .comparison(value, .equal, literal(from), []), then: literal(to), otherwise: value)
        let report = try importStore(
            Self.numbered(["a", "b", "c"]), Self.numbered(["a", "b"]),
            MigrationDeclaration(
                from: "1", fills: [.init(entity: "E", attribute: "k", value: fill)],
                replacements: [.init(enumeration: "K", case: "c", with: other, reason: "r")]),
            ["1", "2", "3", "3", "NULL"])
        let losses = Set(report.migration?.losses ?? [])
        var expected: Set = [
            "2: drop the case c of K, and give its objects another or none (r): 2 values"
        ]
        if filled > 0 { expected.insert("2: compute E.k again from its old value: 1 value") }
        #expect(losses == expected)
    }
}
