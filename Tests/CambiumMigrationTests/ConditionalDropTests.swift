import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Testing

/// Objects that go by a condition, while their entity stays.
@Suite struct ConditionalDropTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, limits: Limits = Limits(), requiresLink: Bool = false,
        requiresSelf: Bool = false, givenUp: [(String, ModelExpression)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Product",
                    attributes: [Attribute(name: "stock", type: .int64, limits: limits)],
                    relationships: [
                        Relationship(
                            name: "tags", destination: "Tag", inverse: "products", isToMany: true),
                        Relationship(
                            name: "orders", destination: "Order", inverse: "product",
                            isToMany: true),
                        Relationship(
                            name: "like", destination: "Product", isOptional: !requiresSelf),
                    ]),
                Entity(
                    name: "Tag",
                    relationships: [
                        Relationship(
                            name: "products", destination: "Product", inverse: "tags",
                            isToMany: true)
                    ]),
                Entity(
                    name: "Order",
                    relationships: [
                        Relationship(
                            name: "product", destination: "Product", inverse: "orders",
                            isOptional: !requiresLink)
                    ]),
            ], givenUp: givenUp)
    }

    private let isNegative = ModelExpression.comparison(
        .keyPath(root: .subject, names: ["stock"]), .less, .literal(.int(0)), [])

    private let rows = """
        INSERT INTO Product (_id, stock, "like") VALUES (1, 5, 2), (2, -1, 2), (3, 0, 1);
        INSERT INTO Tag (_id) VALUES (1);
        INSERT INTO Product_tags (_source, _destination) VALUES (1, 1), (2, 1);
        INSERT INTO "Order" (_id, product) VALUES (1, 1), (2, 2);
        """

    @Test func `objects that do not fit go, with the links to them, and the others stay`() throws {
        let old = model("1")
        let new = model(
            "2", limits: Limits(minimum: .int(0)), givenUp: [("Product", isNegative)])
        let found = try Store.migrate(
            old, new, rows: rows,
            query: """
                SELECT 'p', _id, stock, "like" FROM Product
                UNION ALL SELECT 't', _source, _destination, 0 FROM Product_tags
                UNION ALL SELECT 'o', _id, product, 0 FROM "Order" ORDER BY 1, 2
                """)
        #expect(
            found == [
                ["o", "1", "1", "0"], ["o", "2", "nil", "0"], ["p", "1", "5", "nil"],
                ["p", "3", "0", "1"], ["t", "1", "1", "0"],
            ])
    }

    @Test func `the migration is lossy, so that a copy is made first`() throws {
        let migration = try Migration(
            from: model("1"), to: model("2", givenUp: [("Product", isNegative)]))
        #expect(migration.kind == .lossy)
        #expect(migration.losesData)
        #expect(
            migration.steps.first?.summary == "Drop the objects of Product where stock < 0 (a test)"
        )
    }

    @Test func `an object that another one requires is not taken away from it`() throws {
        let old = model("1", requiresLink: true)
        let new = model("2", requiresLink: true, givenUp: [("Product", isNegative)])
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(
            "INSERT INTO Product (_id, stock) VALUES (1, -1);"
                + "INSERT INTO \"Order\" (_id, product) VALUES (1, 1)")
        #expect {
            _ = try MigrationRunner(model: new, migrations: [migration]).open(connection)
        } throws: { error in
            if case MigrationError.refused = error { true } else { false }
        }
        let count = try connection.rows("SELECT count(*) FROM Product")
        #expect(count == [[.integer(1)]])
    }

    @Test func `objects that require each other go together`() throws {
        let old = model("1", requiresSelf: true)
        let new = model("2", requiresSelf: true, givenUp: [("Product", isNegative)])
        let rows = "INSERT INTO Product (_id, stock, \"like\") VALUES (1, -1, 2), (2, -2, 1)"
        #expect(
            try Store.migrate(old, new, rows: rows, query: "SELECT count(*) FROM Product")
                == [["0"]])
    }

    private func isNil(_ names: String...) -> ModelExpression {
        .comparison(.keyPath(root: .subject, names: names), .equal, .literal(.null), [])
    }

    @Test(arguments: [false, true])
    func `every condition is about the store as it was`(isReversed: Bool) throws {
        let old = model("1")
        let drops = [("Product", isNegative), ("Order", isNil("product"))]
        let new = model("2", givenUp: isReversed ? drops.reversed() : drops)
        let found = try Store.migrate(
            old, new,
            rows: """
                INSERT INTO Product (_id, stock) VALUES (1, -1);
                INSERT INTO "Order" (_id, product) VALUES (1, 1), (2, NULL);
                """,
            query: "SELECT _id, product FROM \"Order\"")
        // The order of a product that goes had one.
        #expect(found == [["1", "nil"]])
    }

    @Test(arguments: [false, true])
    func `objects go with what they require where a drop names them`(isReversed: Bool) throws {
        let old = model("1", requiresLink: true)
        let isOfNegative = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["product", "stock"]), .less, .literal(.int(0)), [])
        let drops = [("Product", isNegative), ("Order", isOfNegative)]
        let new = model(
            "2", requiresLink: true, givenUp: isReversed ? drops.reversed() : drops)
        let found = try Store.migrate(
            old, new,
            rows: """
                INSERT INTO Product (_id, stock) VALUES (1, -1), (2, 1);
                INSERT INTO "Order" (_id, product) VALUES (1, 1), (2, 2);
                """,
            query: "SELECT _id, product FROM \"Order\"")
        #expect(found == [["2", "2"]])
    }

    @Test func `an object that two drops take goes once`() throws {
        let isRare = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["stock"]), .less, .literal(.int(3)), [])
        let new = model("2", givenUp: [("Product", isNegative), ("Product", isRare)])
        let found = try Store.migrate(
            model("1"), new, rows: rows, query: "SELECT _id FROM Product")
        #expect(found == [["1"]])
    }

    @Test func `what requires objects that go is known`() {
        let drops = [("Product", isNegative)]
        let further = ModelDifference(
            from: model("1", requiresLink: true),
            to: model("2", requiresLink: true, givenUp: drops)
        ).furtherDrops
        #expect(further.map(\.entity) == ["Order"])
        #expect(further.map { "\($0.condition)" } == ["product.stock < 0"])
        let all = further.map { ($0.entity, $0.condition) } + drops
        #expect(
            ModelDifference(
                from: model("1", requiresLink: true),
                to: model("2", requiresLink: true, givenUp: all)
            ).furtherDrops.isEmpty)
        // What an object may be without, and what requires itself, has none.
        for requiresSelf in [false, true] {
            #expect(
                ModelDifference(
                    from: model("1", requiresSelf: requiresSelf),
                    to: model("2", requiresSelf: requiresSelf, givenUp: drops)
                ).furtherDrops.isEmpty)
        }
    }

    @Test func `what the store cannot compute is a problem`() {
        let unknown = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["stok"]), .less, .literal(.int(0)), [])
        let difference = ModelDifference(
            from: model("1"), to: model("2", givenUp: [("Product", unknown)]))
        #expect(difference.problems.count == 1)
    }

    @Test func `an entity that loses all objects may require anything`() throws {
        let old = model("1")
        let everything = ModelExpression.literal(.bool(true))
        let new = Store.model(
            "2",
            old.entities.map { entity in
                guard entity.name == "Tag" else { return entity }
                return Entity(
                    name: "Tag", attributes: [Store.string("word")],
                    relationships: entity.relationships + [
                        Relationship(name: "first", destination: "Product", isOptional: false)
                    ])
            }, givenUp: [("Tag", everything)])
        let migration = try Migration(from: old, to: new)
        #expect(migration.kind == .needsData)
        #expect(
            try Store.migrate(old, new, rows: rows, query: "SELECT count(*) FROM Tag") == [["0"]])
    }

    @Test func `a drop by condition is about the entity itself, as one without is`() throws {
        func version(_ number: String, _ givenUp: [String] = []) -> Model {
            Store.model(
                number,
                [
                    Entity(name: "Base", isAbstract: true, attributes: [Store.string("name")]),
                    Entity(name: "Book", parent: "Base"), Entity(name: "Atlas", parent: "Book"),
                ],
                givenUp: givenUp.map {
                    (
                        $0,
                        .comparison(
                            .keyPath(root: .subject, names: ["name"]), .equal,
                            .literal(.string("x")), [])
                    )
                })
        }
        let rows = try Store.migrate(
            version("1"), version("2", ["Book"]),
            rows: """
                INSERT INTO Base (_id, _entity, name)
                VALUES (1, 'Book', 'x'), (2, 'Book', 'y'), (3, 'Atlas', 'x');
                """,
            query: "SELECT _id FROM Base ORDER BY _id")
        #expect(rows == [["2"], ["3"]])
        let problem = try #require(
            ModelDifference(from: version("1"), to: version("2", ["Base"])).problems.first)
        #expect(problem.message.contains("name the entities below it (Book, Atlas)"))
    }
}
