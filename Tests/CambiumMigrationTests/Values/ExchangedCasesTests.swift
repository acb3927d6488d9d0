import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Cases that have raw values which others had: objects keep their cases, or the author says what
/// they get.
@Suite struct ExchangedCasesTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, _ type: AttributeType, _ cases: KeyValuePairs<String, Int64>,
        named name: String = "K", replacing: KeyValuePairs<String, String> = [:]
    ) -> Model {
        let items = cases.map { name, raw in
            EnumerationCase(name: name, rawValue: type == .string ? .string("\(raw)") : .int(raw))
        }
        return Model(
            name: "Shop", version: version,
            entities: [
                Entity(name: "A", attributes: [Attribute(name: "k", type: .enumeration(name))])
            ], enumerations: [Enumeration(name: name, rawType: type, cases: items)],
            migration: replacing.isEmpty
                ? nil
                : MigrationDeclaration(
                    from: "1",
                    replacements: replacing.map {
                        .init(enumeration: name, case: $0.key, with: $0.value, reason: "a test")
                    }))
    }

    private func fixes(_ old: Model, _ new: Model) -> [String] {
        ModelDifference(from: old, to: new).problems.flatMap(\.fixes)
            .compactMap { $0.migrationXML ?? $0.xml(from: "1") }
    }

    private func migrate(_ old: Model, _ new: Model, rows: String) throws -> [[String]] {
        try Store.migrate(
            old, new, rows: "INSERT INTO A (_id, k) VALUES \(rows)",
            query: "SELECT k FROM A ORDER BY _id")
    }

    @Test func `where a new case has the value of one that has another, replacements say it`()
        throws
    {
        let old = model("1", .int16, ["a": 1, "b": 2])
        let asked = fixes(old, model("2", .int16, ["a": 2, "c": 1]))
        #expect(
            asked == [
                #"<replace enum="K" case="b" with="…" reason="…"/>"#,
                #"<replace enum="K" case="a" with="a" reason="…"/>"#,
            ])
        // One of both is not enough.
        let half = model("2", .int16, ["a": 2, "c": 1], replacing: ["b": "c"])
        #expect(fixes(old, half) == [#"<replace enum="K" case="a" with="a" reason="…"/>"#])
        let whole = model("2", .int16, ["a": 2, "c": 1], replacing: ["a": "a", "b": "c"])
        #expect(try migrate(old, whole, rows: "(1, 1), (2, 2)") == [["2"], ["1"]])
    }

    @Test func `a case in the middle takes no value in silence`() throws {
        let old = model("1", .int16, ["a": 0, "b": 1])
        #expect(
            fixes(old, model("2", .int16, ["a": 0, "x": 1, "b": 2]))
                == [#"<replace enum="K" case="b" with="b" reason="…"/>"#])
        let new = model("2", .int16, ["a": 0, "x": 1, "b": 2], replacing: ["b": "b"])
        #expect(try migrate(old, new, rows: "(1, 0), (2, 1)") == [["0"], ["2"]])
    }

    @Test(arguments: [AttributeType.string, .int16], ["K", "L"])
    func `values that are exchanged with another type follow their replacements`(
        type: AttributeType, name: String
    ) throws {
        let old = model("1", type, ["a": 1, "b": 2])
        let new = model(
            "2", .int64, ["a": 2, "b": 1], named: name, replacing: ["a": "a", "b": "b"])
        let rows = type == .string ? "(1, '1'), (2, '2')" : "(1, 1), (2, 2)"
        #expect(try migrate(old, new, rows: rows) == [["2"], ["1"]])
    }

    @Test func `a fill that looks at the value answers for cases that are exchanged`() throws {
        let old = model("1", .int16, ["a": 1, "b": 2])
        let plain = model("2", .int16, ["a": 2, "b": 1])
        let kind = ModelExpression.keyPath(root: .subject, names: ["k"])
        let fill = ModelExpression.conditional(
            .comparison(kind, .equal, .literal(.int(2)), []), then: .literal(.int(1)),
            otherwise: .literal(.int(2)))
        let new = Model(
            name: plain.name, version: "2", entities: plain.entities,
            enumerations: plain.enumerations,
            migration: MigrationDeclaration(
                from: "1", fills: [.init(entity: "A", attribute: "k", value: fill)]))
        #expect(!fixes(old, plain).isEmpty)
        #expect(try migrate(old, new, rows: "(1, 1), (2, 2)") == [["2"], ["1"]])
    }

    @Test func `a raw value that the new type does not hold is not offered`() throws {
        let old = model("1", .int32, ["a": 1, "b": 100_000])
        #expect(
            fixes(old, model("2", .int16, ["a": 1, "c": 2]))
                == [#"<replace enum="K" case="b" with="…" reason="…"/>"#])
        let new = model("2", .int16, ["a": 1, "c": 2], replacing: ["b": "c"])
        #expect(try migrate(old, new, rows: "(1, 1), (2, 100000)") == [["1"], ["2"]])
    }
}
