import CambiumModel
import Testing

/// Derived attributes and indexes use less than queries do.
@Suite struct ExpressionPurposeTests {
    @Test(arguments: [
        ("canonical:(title)", AttributeType.string), ("uppercase:(title)", .string),
        ("now()", .date), ("tags.@count", .int64), ("tags.@count", .int16),
        ("category.products.stock.@sum", .int64), ("category.products.price.@sum", .double),
        ("category.name", .string), ("price * stock", .decimal(scale: 2)), ("home.city", .string),
        ("category.products.amount.@sum", .anyDecimal), ("price", .anyDecimal), ("price", .float),
        ("stock > 3", .bool), ("CAST(stock, 'NSString')", .string), ("now()", .double),
        ("added", .float), ("total + 1", .int64),
    ])
    func `a derivation reads what is stored`(_ text: String, _ type: AttributeType) {
        #expect(throws: Never.self) {
            try ExpressionCompiler.derivation(
                text, as: type, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
    }

    private func fill(
        _ text: String, _ type: AttributeType, former: Entity?
    ) -> Result<ModelExpression, ExpressionDiagnostics> {
        ExpressionCompiler.fill(
            text, as: type, entity: ShopModel.product, model: ShopModel.model, former: former)
    }

    @Test func `only a fill gives each row another value`() throws {
        #expect(try fill("uuid()", .uuid, former: nil).get() == .function(.uuid, []))
        #expect("\(try fill("uuid()", .uuid, former: nil).get())" == "uuid()")
        #expect(throws: ExpressionDiagnostics.self) { try ShopModel.condition("uuid() == nil") }
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionCompiler.value(
                "uuid()", as: .uuid, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
        #expect(error?.diagnostics.first?.message == "'uuid()' has another value for each row")
        #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionCompiler.derivation(
                "uuid()", as: .uuid, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
    }

    @Test func `a fill reads what an object was by its old names`() throws {
        let old = Model(
            name: "Shop", version: "0",
            entities: [
                Entity(
                    name: "Ware",
                    attributes: [
                        Attribute(name: "first", type: .string),
                        Attribute(name: "kind", type: .enumeration("Old")),
                        Attribute(name: "shown", type: .bool, isTransient: true),
                    ],
                    relationships: [Relationship(name: "maker", destination: "Ware")])
            ],
            enumerations: [
                Enumeration(
                    name: "Old", rawType: .string,
                    cases: [EnumerationCase(name: "a", rawValue: .string("a"))])
            ])
        let ware = try #require(old.entity(named: "Ware"))
        let former = old.formerRow(of: ware, in: ShopModel.model)
        for text in ["$old.first + title", "$old.kind", "TERNARY($old.kind == 'a', title, 'x')"] {
            #expect(throws: Never.self) { try fill(text, .string, former: former).get() }
        }
        for (text, message) in [
            ("$old.frist", "'Ware of version 0' has no property 'frist'"),
            ("$old.maker", "'Ware of version 0' has no property 'maker'"),
            ("$old.shown", "'Ware of version 0' has no property 'shown'"),
        ] {
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try fill(text, .string, former: former).get()
            }
            #expect(error?.diagnostics.first?.message == message)
        }
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try fill("$old.first", .string, former: nil).get()
        }
        #expect(
            error?.diagnostics.first?.message
                == "no object of 'Product' existed in the version before")
    }

    @Test(arguments: ["scan == 0x01", "length:(scan) > 1", "scan == scan", "scan IN {0x01}"])
    func `a value that may lie in a file can only be compared with nil`(_ text: String) {
        let error = #expect(throws: ExpressionDiagnostics.self) { try ShopModel.condition(text) }
        #expect(
            error?.diagnostics.first?.message
                == "'scan' may be stored in a file beside the store, so it can only be compared with nil"
        )
        #expect(throws: Never.self) { try ShopModel.condition("scan == nil OR scan != nil") }
    }

    @Test(arguments: [
        ("isSelected", AttributeType.bool, "'isSelected' is transient: it is not in the store"),
        ("tags.word", .string, "'tags' is a to-many relationship"),
        ("$x", .string, "there is no parameter $x"),
        ("title", .int64, "a string where an integer is wanted"),
        ("price", .int64, "a decimal number where an integer is wanted"),
        ("price", .decimal(scale: 1), "a decimal number of scale 2 where one of scale 1 is wanted"),
        ("category", .string, "an object of Category where a string is wanted"),
    ])
    func `a derivation reads nothing else`(
        _ text: String, _ type: AttributeType, _ message: String
    ) {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionCompiler.derivation(
                text, as: type, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
        #expect(error?.diagnostics.first?.message == message)
    }

    @Test(arguments: [
        "stock > 3 AND title == nil", "title LIKE 'a*'", "home.city BEGINSWITH 'a'",
        "stock % 2 == 1".replacing("% 2", with: "- 2"), "price * 2 < weight", "category != nil",
        "amount > 3.5", "home == nil", "length:(title) > 3 AND kind == 'toy'",
    ])
    func `the condition of an index reads its row`(_ text: String) {
        #expect(throws: Never.self) {
            try ExpressionCompiler.indexCondition(
                text, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
    }

    @Test(arguments: [
        (
            "stock > 3 AND category.name == 'a'", 14,
            "an index can only use properties of its own entity"
        ),
        ("tags.@count > 1", 0, "an index can only use properties of its own entity"),
        (
            "canonical:(title) == 'a'", 0,
            "SQLite has no canonical() of its own for this, so an index cannot use it"
        ),
        (
            "string:(title) == 1", 0,
            "SQLite has no string() of its own for this, so an index cannot use it"
        ),
        (
            "left(title, 1) == 'a'", 0,
            "SQLite has no left() of its own for this, so an index cannot use it"
        ),
        ("added < now()", 8, "'now()' has another value each time"),
        (
            "title MATCHES 'a'", 6,
            "SQLite has no regular expressions of its own, so an index cannot use MATCHES"
        ),
        (
            "title ==[c] 'a'", 6,
            "SQLite does not know upper and lower case or accents beyond ASCII, so an index "
                + "cannot use [c] or [d]"
        ),
        ("amount + 1 > 2", 7, "SQLite cannot compute this by itself, so an index cannot use it"),
        ("weight ** 2 > 1", 7, "SQLite cannot compute this by itself, so an index cannot use it"),
        ("isSelected == YES", 0, "'isSelected' is transient: it is not in the store"),
    ])
    func `the condition of an index uses nothing else`(
        _ text: String, _ offset: Int, _ message: String
    ) {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionCompiler.indexCondition(
                text, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
        #expect(error?.diagnostics.first?.offset == offset)
        #expect(error?.diagnostics.first?.message == message)
    }

    @Test func `an index is sorted by a value of its row`() throws {
        func element(_ text: String) throws -> ModelExpression {
            try ExpressionCompiler.indexElement(
                text, entity: ShopModel.product, model: ShopModel.model
            ).get()
        }
        #expect(try element("price * stock").description == "price * stock")
        #expect(throws: ExpressionDiagnostics.self) { try element("3") }
        #expect(throws: ExpressionDiagnostics.self) { try element("category.name") }
        #expect(throws: ExpressionDiagnostics.self) { try element("lowercase:(title)") }
    }
}
