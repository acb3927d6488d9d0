import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct CompositeMigrationTests {
    private typealias Store = TestStore

    private static func place(_ leaves: [Attribute]) -> Composite {
        Composite(name: "Place", attributes: leaves)
    }

    private static let leaves = [
        Store.string("street"), Store.string("city", optional: true),
    ]

    private func model(
        _ version: String, _ composites: [CompositeAttribute] = [],
        leaves: [Attribute] = Self.leaves, fills: [MigrationDeclaration.Fill] = [],
        drops: [MigrationDeclaration.Drop] = []
    ) -> Model {
        let parts = composites.flatMap { composite in
            leaves.map {
                Attribute(
                    name: "\(composite.name).\($0.name)", type: $0.type,
                    isOptional: $0.isOptional || composite.isOptional, renamedFrom: $0.renamedFrom)
            }
        }
        return Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product", attributes: [Store.string("name")] + parts,
                    compositeAttributes: composites)
            ],
            composites: [Self.place(leaves)],
            migration: version == "1"
                ? nil : MigrationDeclaration(from: "1", fills: fills, drops: drops))
    }

    private func address(
        _ name: String = "address", optional: Bool = true, from renamedFrom: String? = nil
    ) -> CompositeAttribute {
        CompositeAttribute(
            name: name, composite: "Place", isOptional: optional, renamedFrom: renamedFrom)
    }

    private let one = """
        INSERT INTO Product (_id, _version, name, address_street, address_city)
        VALUES (1, 1, 'a', 's', 'c');
        """

    private func problem(_ old: Model, _ new: Model) -> MigrationProblem? {
        let problems = ModelDifference(from: old, to: new).problems
        #expect(problems.count == 1)
        return problems.first
    }

    @Test func `an optional composite value is added and is nil`() throws {
        let rows = try Store.migrate(
            model("1"), model("2", [address()]),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'a')",
            query: "SELECT name, address_street, address_city FROM Product")
        #expect(rows == [["a", "nil", "nil"]])
    }

    @Test func `a required composite value asks for its parts in one problem`() throws {
        let found = problem(model("1"), model("2", [address(optional: false)]))
        #expect(found?.property == "address")
        #expect(found?.message.contains("address.street") == true)
        #expect(found?.message.contains("address.city") == false)
    }

    @Test func `a required composite value is added with fills of its parts`() throws {
        let fill = MigrationDeclaration.Fill(
            entity: "Product", attribute: "address.street",
            value: .keyPath(root: .subject, names: ["name"]))
        let rows = try Store.migrate(
            model("1"), model("2", [address(optional: false)], fills: [fill]),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'a')",
            query: "SELECT address_street, address_city FROM Product")
        #expect(rows == [["a", "nil"]])
    }

    @Test func `a fill of the value as a whole is a problem that names the parts`() throws {
        let fill = MigrationDeclaration.Fill(
            entity: "Product", attribute: "address", value: .literal(.string("x")))
        let found = problem(model("1"), model("2", [address()], fills: [fill]))
        #expect(found?.message.contains("address.street") == true)
    }

    @Test func `a composite value keeps its parts under another name`() throws {
        let old = model("1", [address()])
        let new = model("2", [address("home", from: "address")])
        #expect(
            ModelDifference(from: old, to: new).changes
                == [.attributeRenamed(entity: "Product", "home", from: "address")])
        let rows = try Store.migrate(
            old, new, rows: one, query: "SELECT home_street, home_city FROM Product")
        #expect(rows == [["s", "c"]])
    }

    @Test func `a composite value that is gone is one problem, and one drop solves it`() throws {
        let old = model("1", [address()])
        let found = problem(old, model("2"))
        #expect(found?.property == "address")
        #expect(
            found?.fixes.contains { $0 == .drop(entity: "Product", property: "address") } == true)
        let drop = MigrationDeclaration.Drop(
            entity: "Product", property: "address", reason: "a test")
        let rows = try Store.migrate(
            old, model("2", drops: [drop]), rows: one, query: "SELECT * FROM Product")
        #expect(rows == [["1", "1", "a"]])
    }

    @Test func `a part keeps its values under another name`() throws {
        let leaves = [Store.string("road", from: "street"), Store.string("city", optional: true)]
        let rows = try Store.migrate(
            model("1", [address()]), model("2", [address()], leaves: leaves), rows: one,
            query: "SELECT address_road, address_city FROM Product")
        #expect(rows == [["s", "c"]])
    }

    @Test func `a part that becomes required refuses a store whose values lack it`() throws {
        let leaves = [Store.string("street"), Store.string("city")]
        let (old, new) = (model("1", [address()]), model("2", [address()], leaves: leaves))
        let migration = try Migration(from: old, to: new)
        #expect(migration.kind == .needsData)
        try MigrationProver.prove(from: old, to: new, migration: migration)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(
            "INSERT INTO Product (_id, name, address_street) VALUES (1, 'a', 's')")
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        guard case .refused(let refusal) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(refusal.constraint == "Product.address.presence" && refusal.objects == [1])
    }
}
