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

    @Test(arguments: ["scan == 0x01", "length:(scan) > 1", "scan == scan", "scan IN {0x01}"])
    func `a value that may lie in a file can only be compared with nil`(_ text: String) {
        let error = #expect(throws: ExpressionDiagnostics.self) { try ShopModel.condition(text) }
        #expect(
            error?.diagnostics.first?.message
                == "'scan' may lie in a file beside the store, so it can only be compared with nil")
        #expect(throws: Never.self) { try ShopModel.condition("scan == nil OR scan != nil") }
    }

    @Test(arguments: [
        ("isSelected", AttributeType.bool, "'isSelected' is transient: it is not in the store"),
        ("tags.word", .string, "'tags' leads to many objects"),
        ("$x", .string, "there is no parameter $x"),
        ("title", .int64, "a string where a whole number is wanted"),
        ("price", .int64, "a decimal number where a whole number is wanted"),
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
        ("added < now()", 8, "'now()' has another value whenever it is asked"),
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
