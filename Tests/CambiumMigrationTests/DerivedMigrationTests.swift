import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

@Suite struct DerivedMigrationTests {
    private typealias Store = TestStore

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private func model(
        _ version: String, of product: [Attribute] = [], of category: [Attribute] = [],
        plain: [Attribute] = [Store.string("name")], fills: [MigrationDeclaration.Fill] = [],
        drops: [MigrationDeclaration.Drop] = []
    ) -> Model {
        Model(
            name: "Shop", version: version,
            entities: [
                Entity(
                    name: "Product", attributes: plain + product,
                    relationships: [
                        Relationship(
                            name: "category", destination: "Category", inverse: "products")
                    ]),
                Entity(
                    name: "Category", attributes: category,
                    relationships: [
                        Relationship(
                            name: "products", destination: "Product", inverse: "category",
                            isToMany: true)
                    ]),
            ],
            migration: version == "1"
                ? nil : MigrationDeclaration(from: "1", fills: fills, drops: drops))
    }

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: ModelExpression
    ) -> Attribute {
        Attribute(name: name, type: type, isOptional: true, derivation: expression)
    }

    private static let length = derived("size", .int64, .function(.length, [path("name")]))
    private static let upper = derived("upper", .string, .function(.uppercase, [path("name")]))
    private static let count = derived(
        "count", .int64, .aggregate(.count, path("products")))
    private static let most = derived(
        "most", .int64, .aggregate(.maximum, path("products", "size")))

    private let rows = """
        INSERT INTO Category (_id) VALUES (1);
        INSERT INTO Product (_id, name, category) VALUES (1, 'ab', 1);
        INSERT INTO Product (_id, name, category) VALUES (2, 'abc', 1);
        """

    @Test func `SQLite computes what the row alone says, and ALTER TABLE adds it`() throws {
        func model(_ version: String, _ derived: [Attribute]) -> Model {
            Store.model(
                version,
                [Entity(name: "Product", attributes: [Store.string("name")] + derived)])
        }
        let (old, new) = (model("1", []), model("2", [Self.length]))
        let statements = try MigrationPlan(from: old, to: new).steps.flatMap(\.sql)
        #expect(
            statements == [
                #"ALTER TABLE "Product" ADD COLUMN "size" INTEGER"# + "\n        "
                    + #"GENERATED ALWAYS AS (length("name")) VIRTUAL"#
            ])
        let found = try Store.migrate(
            old, new, rows: "INSERT INTO Product (_id, name) VALUES (1, 'ab')",
            query: "SELECT size FROM Product")
        #expect(found == [["2"]])
    }

    @Test func `other values are computed for all rows when the attribute comes`() throws {
        let new = model("2", of: [Self.length, Self.upper], of: [Self.count, Self.most])
        let found = try Store.migrate(
            model("1"), new, rows: rows,
            query: "SELECT upper, count, most FROM Product JOIN Category ON category = Category._id"
        )
        #expect(found == [["AB", "2", "3"], ["ABC", "2", "3"]])
    }

    @Test func `another expression computes anew`() throws {
        let lower = Self.derived("upper", .string, .function(.lowercase, [Self.path("name")]))
        let found = try Store.migrate(
            model("1", of: [Self.upper]), model("2", of: [lower]),
            rows: "INSERT INTO Product (_id, name, upper) VALUES (1, 'Ab', 'AB')",
            query: "SELECT upper FROM Product")
        #expect(found == [["ab"]])
    }

    @Test func `a change of what they are computed from computes anew`() throws {
        let (old, new) = (
            model(
                "1",
                of: [Self.derived("upper", .string, .function(.uppercase, [Self.path("name")]))],
                plain: [Store.string("name", optional: true)]),
            model(
                "2",
                of: [Self.derived("upper", .string, .function(.uppercase, [Self.path("name")]))],
                plain: [Store.string("name")],
                fills: [
                    .init(entity: "Product", attribute: "name", value: .literal(.string("none")))
                ])
        )
        let found = try Store.migrate(
            old, new, rows: "INSERT INTO Product (_id) VALUES (1)",
            query: "SELECT name, upper FROM Product")
        #expect(found == [["none", "NONE"]])
    }

    @Test func `a derived attribute goes without a drop`() throws {
        let old = model("1", of: [Self.length, Self.upper], of: [Self.count])
        let found = try Store.migrate(
            old, model("2"),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'a')",
            query: "SELECT * FROM Product")
        #expect(found == [["1", "1", "a", "nil"]])
    }

    @Test func `what becomes derived loses its values, which must be said`() throws {
        let old = model("1", of: [Store.string("upper", optional: true)])
        let problems = ModelDifference(from: old, to: model("2", of: [Self.upper])).problems
        #expect(problems.map(\.property) == ["upper"])
        let drop = MigrationDeclaration.Drop(entity: "Product", property: "upper", reason: "test")
        let found = try Store.migrate(
            old, model("2", of: [Self.upper], drops: [drop]),
            rows: "INSERT INTO Product (_id, name, upper) VALUES (1, 'a', 'x')",
            query: "SELECT upper FROM Product")
        #expect(found == [["A"]])
    }

    @Test func `what was derived keeps its values as a plain attribute`() throws {
        let plain = Attribute(name: "size", type: .int64, isOptional: true)
        let found = try Store.migrate(
            model("1", of: [Self.length]), model("2", of: [plain]),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'abc')",
            query: "SELECT size FROM Product")
        #expect(found == [["3"]])
    }

    /// A value that cannot be computed is absent, of an attribute that is required too.
    @Test func `what was derived and required may be absent, and is asked about like that`() throws
    {
        let derived = Attribute(
            name: "upper", type: .string, derivation: .function(.uppercase, [Self.path("name")]))
        let rows = "INSERT INTO Product (_id, name, upper) VALUES (1, 'a', 'A'), (2, 'b', NULL)"
        let old = TestStore.model(
            "1", [Entity(name: "Product", attributes: [Store.string("name"), derived])])
        func plain(
            _ value: Value? = nil, fills: [MigrationDeclaration.Fill] = [], isRequired: Bool = false
        ) -> Model {
            TestStore.model(
                "2",
                [
                    Entity(
                        name: "Product",
                        attributes: [
                            Store.string("name"),
                            Attribute(
                                name: "upper", type: .string,
                                defaultValue: value.map { .constant($0) }),
                        ])
                ], fills: fills, required: isRequired ? [("Product", "upper")] : [])
        }
        func found(_ new: Model) throws -> [[String]] {
            try Store.migrate(old, new, rows: rows, query: "SELECT upper FROM Product ORDER BY _id")
        }
        #expect(
            ModelDifference(from: old, to: plain()).problems.first?.message
                .contains("may have no value") == true)
        let fill = MigrationDeclaration.Fill(
            entity: "Product", attribute: "upper", value: Self.path("name"))
        #expect(ModelDifference(from: old, to: plain(fills: [fill])).idleFills.isEmpty)
        #expect(try found(plain(fills: [fill])) == [["A"], ["b"]])
        #expect(try found(plain(.string("?"))) == [["A"], ["?"]])
        #expect(throws: MigrationError.self) { _ = try found(plain(isRequired: true)) }
    }

    @Test func `a fill of a derived attribute is a problem`() throws {
        let fill = MigrationDeclaration.Fill(
            entity: "Product", attribute: "size", value: .literal(.int(1)))
        let problems = ModelDifference(
            from: model("1"), to: model("2", of: [Self.length], fills: [fill])
        ).problems
        #expect(problems.first?.message.contains("derived") == true)
    }
}
