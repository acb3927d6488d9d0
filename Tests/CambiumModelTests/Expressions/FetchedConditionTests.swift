import CambiumModel
import Testing

/// The condition of a fetched property of products that finds products.
@Suite struct FetchedConditionTests {
    private func condition(_ text: String) throws -> ModelExpression {
        try ExpressionCompiler.fetchedCondition(
            text, property: "rivals", userInfo: ["brand": "Acme"], source: ShopModel.product,
            destination: ShopModel.product, model: ShopModel.model
        ).get()
    }

    private let source: PlainObject = {
        let source = PlainObject(
            7, ["title": .string("it's"), "stock": .int(3), "home.city": .string("Rome")])
        let category = PlainObject(9, ["name": .string("Books")])
        source.toOnes["category"] = category
        source.toManys["tags"] = [
            PlainObject(1, ["word": .string("a")]), PlainObject(2, ["word": .null]),
        ]
        category.toManys["products"] = [source]
        return source
    }()

    @Test(arguments: [
        ("title == $source.title", "title == 'it\\'s'"),
        ("title == $FETCH_SOURCE.title", "title == 'it\\'s'"),
        ("title == $fetch_source.title", "title == 'it\\'s'"),
        ("SELF != $source", "SELF != 7"), ("category == $source.category", "category == 9"),
        ("title == $source.category.name", "title == 'Books'"),
        ("stock > $source.stock + 1", "stock > 4"), ("price > $source.price", "price > nil"),
        ("home.city == $source.home.city", "home.city == 'Rome'"),
        ("title == $FETCHED_PROPERTY.name", "title == 'rivals'"),
        ("title == $FETCHED_PROPERTY.userInfo.brand", "title == 'Acme'"),
        ("title IN $source.tags.word", "title IN {'a', nil}"),
        ("SELF IN $source.category.products", "SELF IN {7}"),
        ("$source.category.products CONTAINS SELF", "SELF IN {7}"),
        ("ANY $source.tags.word == title", "'a' == title OR nil == title"),
        ("ALL $source.tags.word == title", "'a' == title AND nil == title"),
        ("NONE $source.tags.word == title", "NOT ('a' == title OR nil == title)"),
        ("stock > $source.tags.@count", "stock > 2"),
        (
            "SUBQUERY($source.tags, $t, $t.word == title).@count > 1",
            "TERNARY('a' == title, 1, 0) + TERNARY(nil == title, 1, 0) > 1"
        ),
        ("SUBQUERY($source.tags, $t, $t.word == nil).@count == stock", "1 == stock"),
        ("ANY tags.word == $source.title", "ANY tags.word == 'it\\'s'"),
        (
            "SUBQUERY(tags, $t, $t.word == $source.title).@count > 0",
            "SUBQUERY(tags, $t, $t.word == 'it\\'s').@count > 0"
        ),
        ("$source.isNew == nil AND isNew", "true AND isNew == true"),
        ("stock < 3", "stock < 3"),
    ])
    func `values of the source take its place`(_ text: String, _ expected: String) throws {
        let bound = try condition(text).binding(
            source: source, entity: ShopModel.product, model: ShopModel.model)
        #expect(bound.description == expected)
        // What is left is a condition like any other.
        _ = try ExpressionEvaluator(
            condition: bound, entity: ShopModel.product, model: ShopModel.model)
    }

    @Test(arguments: [
        (
            "title == $source.titel", 17, "'Product' has no property 'titel'",
            "did you mean 'title'?"
        ),
        ("stock == $source.title", 9, "an integer cannot be compared with a string", nil),
        ("title == $sorce.title", 9, "there is no variable $sorce", "did you mean $source?"),
        (
            "title == $source.tags.word", 17, "'tags' is a to-many relationship",
            "write ANY, ALL or NONE before the comparison, or an aggregate such as @count"
        ),
        (
            "title == $FETCHED_PROPERTY.nam", 27,
            "of the fetched property itself only name and userInfo can be used",
            "write $FETCHED_PROPERTY.name or $FETCHED_PROPERTY.userInfo.key"
        ),
        (
            "title == $FETCHED_PROPERTY.userInfo.brnd", 36,
            "the property's user info has no key 'brnd'", "did you mean 'brand'?"
        ),
        (
            "SUBQUERY(tags, $source, $source.word == 'a').@count > 0", 0,
            "$source is the object that has the property", nil
        ),
    ])
    func `what has no meaning is told with its place`(
        _ text: String, _ offset: Int, _ message: String, _ hint: String?
    ) {
        let error = #expect(throws: ExpressionDiagnostics.self) { try condition(text) }
        #expect(
            error?.diagnostics == [
                ExpressionDiagnostic(offset: offset, message: message, hint: hint)
            ])
    }

    @Test func `an aggregate of the source's objects cannot depend on what is found`() throws {
        let condition = try condition(
            "SUBQUERY($source.tags, $t, $t.word == title).@max.word == title")
        #expect(throws: ExpressionDiagnostics.self) {
            try condition.binding(
                source: source, entity: ShopModel.product, model: ShopModel.model)
        }
    }
}
