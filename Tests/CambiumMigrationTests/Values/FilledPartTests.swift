import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Fills of parts of optional composite values: an object without a value has none afterwards.
@Suite struct FilledPartTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, required: Set<String>, name: String = "place",
        from former: String? = nil, parts: [Attribute] = [],
        fills: [(String, ModelExpression)] = [], drops: [(String, String?)] = []
    ) -> Model {
        let leaves =
            ["street", "city"].map { Store.string($0, optional: !required.contains($0)) } + parts
        let declared = MigrationDeclaration(
            from: "1",
            fills: fills.map { .init(entity: "Shop", attribute: $0.0, value: $0.1) },
            drops: drops.map { .init(entity: $0.0, property: $0.1, reason: "a test") })
        return Model(
            name: "Shops", version: version,
            entities: [
                Entity(
                    name: "Shop",
                    attributes: leaves.map { leaf in
                        Attribute(
                            name: "\(name).\(leaf.name)", type: leaf.type, isOptional: true,
                            renamedFrom: former.map { "\($0).\(leaf.name)" })
                    },
                    compositeAttributes: [
                        CompositeAttribute(
                            name: name, composite: "Place", isOptional: true, renamedFrom: former)
                    ])
            ], composites: [Composite(name: "Place", attributes: leaves)],
            migration: version == "1" ? nil : declared)
    }

    private let text = ModelExpression.literal(.string("x"))
    private let rows = """
        INSERT INTO Shop (_id, place_street, place_city)
        VALUES (1, 'a', 'b'), (2, 'a', NULL), (3, NULL, NULL);
        """
    private let places = "SELECT place_street, place_city FROM Shop ORDER BY _id"

    @Test func `a part that becomes required is filled where there is a value`() throws {
        let old = model("1", required: ["street"])
        let new = model("2", required: ["street", "city"], fills: [("place.city", text)])
        #expect(ModelDifference(from: old, to: new).rowRisks.isEmpty)
        let found = try Store.migrate(old, new, rows: rows, query: places)
        #expect(found == [["a", "b"], ["a", "x"], ["nil", "nil"]])
    }

    @Test func `so is one whose fill looks at what it was`() throws {
        let city = ModelExpression.keyPath(root: .subject, names: ["place", "city"])
        let fill = ModelExpression.conditional(
            .comparison(city, .equal, .literal(.null), []), then: text, otherwise: city)
        let found = try Store.migrate(
            model("1", required: ["street"]),
            model("2", required: ["street", "city"], fills: [("place.city", fill)]), rows: rows,
            query: places)
        #expect(found == [["a", "b"], ["a", "x"], ["nil", "nil"]])
    }

    @Test(arguments: [["street"], ["street", "city"]])
    func `fills of all that a value did not need before spare what is not there`(
        required: Set<String>
    ) throws {
        let old = model("1", required: [])
        let fills = required.map { ("place.\($0)", text) }
        let new = model("2", required: required, fills: fills)
        #expect(ModelDifference(from: old, to: new).rowRisks.isEmpty)
        let found = try Store.migrate(
            old, new,
            rows: rows + "INSERT INTO Shop (_id, place_city) VALUES (4, 'b');", query: places)
        let city = required.contains("city") ? "x" : "nil"
        #expect(found == [["a", "b"], ["a", city], ["nil", "nil"], ["x", "b"]])
    }

    @Test func `fills of all that a value needs make one of none`() throws {
        let old = model("1", required: ["street"])
        let new = model(
            "2", required: ["street", "city"],
            fills: [("place.city", text), ("place.street", text)])
        let found = try Store.migrate(old, new, rows: rows, query: places)
        #expect(found == [["a", "b"], ["a", "x"], ["x", "x"]])
    }

    @Test func `a value that needs no part is filled where it is, and none is made`() throws {
        let found = try Store.migrate(
            model("1", required: []), model("2", required: [], fills: [("place.city", text)]),
            rows: rows, query: places)
        #expect(found == [["a", "b"], ["a", "x"], ["nil", "nil"]])
        let whole = try Store.migrate(
            model("1", required: []),
            model("2", required: [], fills: [("place.city", text), ("place.street", text)]),
            rows: rows, query: places)
        #expect(whole == [["a", "b"], ["a", "x"], ["nil", "nil"]])
    }

    @Test func `a new value that needs no part is made by the fill of one`() throws {
        let old = Model(name: "Shops", version: "1", entities: [Entity(name: "Shop")])
        let found = try Store.migrate(
            old, model("2", required: [], fills: [("place.city", text)]),
            rows: "INSERT INTO Shop (_id) VALUES (1);", query: places)
        #expect(found == [["nil", "x"]])
    }

    @Test func `a part without a fill is still told of`() {
        let old = model("1", required: [])
        let new = model("2", required: ["street", "city"], fills: [("place.city", text)])
        let risks = ModelDifference(from: old, to: new).rowRisks
        #expect(risks.map(\.kind) == [.presence(of: ["place.street"])])
    }

    @Test func `a value that no object has is filled as a whole, or not at all`() throws {
        let old = Store.model("1", [Entity(name: "Shop")])
        let new = model("2", required: ["street", "city"], fills: [("place.city", text)])
        let problem = try #require(
            ModelDifference(
                from: Model(name: "Shops", version: "1", entities: old.entities), to: new
            ).problems.first)
        #expect(problem.fixes == [.fill(["place.street"], of: "Shop")])
    }

    @Test func `a part that has another name is no other part`() {
        let old = model("1", required: ["street"])
        let new = model("2", required: ["street"], name: "home", from: "place")
        #expect(
            ModelDifference(from: old, to: new).changes
                == [.attributeRenamed(entity: "Shop", "home", from: "place")])
    }

    @Test func `a part of a renamed value is dropped by itself, and the rest lives on`() throws {
        let (old, new) = (
            model("1", required: ["street"]),
            model(
                "2", required: ["street"], name: "home", from: "place",
                drops: [("Shop", "place.city")])
        )
        let found = try Store.migrate(
            old, new, rows: rows, query: "SELECT home_street, home_city FROM Shop ORDER BY _id")
        #expect(found == [["a", "nil"], ["a", "nil"], ["nil", "nil"]])
        #expect(try Migration(from: old, to: new).losesData)
    }
}
