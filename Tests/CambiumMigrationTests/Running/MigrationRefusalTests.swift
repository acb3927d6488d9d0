import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// What a person learns where a store's data does not fit.
struct MigrationRefusalTests {
    private typealias Store = TestStore

    private func product(
        _ version: String, name limits: Limits = Limits(), stock: AttributeType = .string,
        renamed: Bool = false, optional: Bool = false, unique: [String] = [], rules: [Rule] = [],
        required: [(String, String)] = [], givenUp: [(String, ModelExpression)] = []
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "Product",
                    attributes: [
                        Store.string("name", optional: optional, limits: limits),
                        Attribute(name: "stock", type: stock, isOptional: true),
                        Attribute(
                            name: renamed ? "order" : "rank", type: .int64, isOptional: true,
                            renamedFrom: renamed ? "rank" : nil),
                    ],
                    uniqueConstraints: unique.isEmpty
                        ? [] : [UniqueConstraint(properties: unique)], rules: rules)
            ], required: required, givenUp: givenUp)
    }

    private func refusal(
        _ old: Model, _ new: Model, rows: String
    ) throws -> (refusal: MigrationRefusal, text: String, withValue: String) {
        let migration = try Migration(from: old, to: new)
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        let before = try Store.dump(connection)
        let error = #expect(throws: MigrationError.self) {
            try MigrationRunner(model: new, migrations: [migration]).open(connection)
        }
        #expect(try Store.dump(connection) == before)
        let failure = try #require(error)
        guard case .refused(let refusal) = failure else { throw failure }
        let message = StoreFailure(failure, storeAt: "shop.sqlite")?.message
        return (refusal, "\(failure)", message ?? "")
    }

    private let rows = """
        INSERT INTO Product (_id, name, stock, "rank")
        VALUES (3, 'a', '1', 1), (5, 'secret name', 'secret', 2), (8, 'secret name', '3', 3)
        """

    @Test(arguments: [false, true])
    func `a limit names the object and not the check`(isRebuilt: Bool) throws {
        let (refusal, text, withValue) = try refusal(
            product("1"), product("2", name: Limits(maximumLength: 4), renamed: isRebuilt),
            rows: rows)
        #expect(refusal.constraint == "Product.name.maxLength")
        #expect(refusal.entity == "Product" && refusal.objects == [5])
        #expect(refusal.value == "'secret name'")
        #expect(
            text.contains("Product.name is longer than it may be [object 5 of Product]. The"))
        #expect(text.contains("change the limits of Product.name: length at most 4"))
        // A value is a user's: only whoever has the store at hand is shown it.
        #expect(!text.contains("secret") && !text.contains("maxLength"))
        #expect(withValue.contains("[object 5 of Product, the value is 'secret name']"))
    }

    @Test(arguments: [false, true])
    func `a text that ends too early for a limit is named, with what a terminal would not show`(
        isRebuilt: Bool
    ) throws {
        let (refusal, text, withValue) = try refusal(
            product("1"),
            product("2", name: Limits(minimumLength: 1, maximumLength: 4), renamed: isRebuilt),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'a'), (2, 'b' || char(0) || 'long')")
        #expect(refusal.entity == "Product" && refusal.objects == [2])
        #expect(
            text.contains(
                "Product.name contains a NUL character, which a string cannot contain [object 2 of Product]"
            ))
        #expect(withValue.contains("the value is 'b\\u{0}long'"))
    }

    @Test func `a type names the value that does not fit`() throws {
        let (refusal, text, withValue) = try refusal(
            product("1"), product("2", stock: .int16), rows: rows)
        #expect(refusal.objects == [5] && refusal.value == "'secret'")
        #expect(refusal.constraint == nil)
        #expect(text.contains("a value of Product.stock does not fit its new type, int16"))
        #expect(!text.contains("secret") && withValue.contains("the value is 'secret'"))
    }

    @Test func `uniqueness names two objects that are equal`() throws {
        let (refusal, text, _) = try refusal(
            product("1"), product("2", unique: ["name"]), rows: rows)
        #expect(refusal.objects == [5, 8])
        #expect(text.contains("two objects of Product have the same name [objects 5 and 8 of"))
    }

    @Test(arguments: [false, true])
    func `a rule is told by its name and condition`(isRebuilt: Bool) throws {
        let rule = Rule(
            name: "few",
            condition: .comparison(
                .keyPath(root: .subject, names: ["name"]), .equal, .literal(.string("a")), []))
        let (refusal, text, _) = try refusal(
            product("1"), product("2", renamed: isRebuilt, rules: [rule]), rows: rows)
        #expect(refusal.constraint == "Product.rule.few" && refusal.objects == [5])
        #expect(text.contains("the rule few of Product is not met [object 5 of Product]"))
        #expect(text.contains("add the rule few of Product: name == 'a'"), "\(text)")
        #expect(!text.contains("Product.rule.few"))
    }

    @Test func `a value is told as the model language writes it`() throws {
        func model(
            _ version: String, scale: Int = 2, limits: [String: Limits] = [:]
        ) -> Model {
            func attribute(_ name: String, _ type: AttributeType) -> Attribute {
                Attribute(
                    name: name, type: type, isOptional: true, limits: limits[name] ?? Limits())
            }
            return Store.model(
                version,
                [
                    Entity(
                        name: "Sale",
                        attributes: [
                            attribute("price", .decimal(scale: scale)), attribute("day", .date),
                        ])
                ])
        }
        let rows = "INSERT INTO Sale (_id, price, day) VALUES (1, 1234, 700000000)"
        let later = Value.date(Date(timeIntervalSinceReferenceDate: 9e8))
        for (new, value) in [
            (model("2", limits: ["price": Limits(maximum: .decimal(10))]), "12.34"),
            (model("2", scale: 1), "12.34"),
            (model("2", limits: ["day": Limits(minimum: later)]), "2023-03-08T20:26:40Z"),
        ] {
            let (refusal, text, withValue) = try refusal(model("1"), new, rows: rows)
            #expect(refusal.value == value && refusal.objects == [1])
            #expect(!text.contains(value) && withValue.contains("the value is \(value)]"))
        }
    }

    @Test func `an object that loses what it requires is named`() throws {
        func model(_ version: String, givenUp: [(String, ModelExpression)] = []) -> Model {
            Store.model(
                version,
                [
                    Entity(
                        name: "P", attributes: [Store.string("name")],
                        relationships: [
                            Relationship(
                                name: "c", destination: "C", inverse: "ps", isOptional: false)
                        ]),
                    Entity(
                        name: "C", attributes: [Store.string("t")],
                        relationships: [
                            Relationship(
                                name: "ps", destination: "P", inverse: "c", isToMany: true)
                        ]),
                ], givenUp: givenUp)
        }
        let condition = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["t"]), .equal, .literal(.string("y")), [])
        let (refusal, text, _) = try refusal(
            model("1"), model("2", givenUp: [("C", condition)]),
            rows: """
                INSERT INTO C (_id, t) VALUES (1, 'x'), (2, 'y');
                INSERT INTO P (_id, name, c) VALUES (1, 'a', 1), (6, 'b WHERE (', 2), (7, 'c', 2)
                """)
        #expect(refusal.entity == "P" && refusal.objects == [6])
        #expect(text.contains("P.c has no value, and is required [object 6 of P]"))
    }

    @Test func `what is required names the object and the author's reason`() throws {
        let (refusal, text, _) = try refusal(
            product("1", optional: true), product("2", required: [("Product", "name")]),
            rows: "INSERT INTO Product (_id, name) VALUES (1, 'a'), (4, NULL)")
        #expect(refusal.objects == [4] && refusal.value == nil)
        #expect(text.contains("Product.name has no value, and is required [object 4 of Product]"))
        #expect(text.contains("require Product.name (a test)"))
    }

    @Test func `a step that drops objects says which, and why`() throws {
        let condition = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["rank"]), .equal, .literal(.int(0)), [])
        let plan = try MigrationPlan(
            from: product("1"), to: product("2", givenUp: [("Product", condition)]))
        #expect(
            plan.steps.first?.summary
                == "Drop the objects of Product where rank == 0 (a test)")
    }
}
