import CambiumModel
import Foundation
import Testing

@Suite struct ExpressionCheckerTests {
    @Test(arguments: [
        ("prise < 3", 0, "'Product' has no property 'prise'", "did you mean 'price'?"),
        ("category.nam == 'x'", 9, "'Category' has no property 'nam'", "did you mean 'name'?"),
        ("title.name == 'x'", 6, "'title' is an attribute and has no properties", nil),
        ("title == 3", 9, "an integer where a string is wanted", nil),
        ("title < stock", 8, "a string cannot be compared with an integer", nil),
        ("stock CONTAINS 'x'", 15, "a string where an integer is wanted", nil),
        ("stock BEGINSWITH title", 0, "BEGINSWITH needs a string, not an integer", nil),
        (
            "ANY category.name == 'x'", 4,
            "ANY needs a path through a to-many relationship at its left", nil
        ),
        (
            "tags.word == 'x'", 0, "'tags' is a to-many relationship",
            "write ANY, ALL or NONE before the comparison, or an aggregate such as @count"
        ),
        (
            "tags.products.stock.@sum == 1", 5,
            "'products' is the second to-many relationship in one path",
            "use SUBQUERY for one of them"
        ),
        (
            "ANY tags.word + category.products.title == 'x'", 25,
            "'products' is the second to-many relationship in one path",
            "use SUBQUERY for one of them"
        ),
        (
            "home == 'x'", 0, "'home' has several parts and is not a single value",
            "name one of home.city, home.geo.lat, home.geo.long, or compare it with nil"
        ),
        (
            "home.geo > nil", 0, "'home.geo' has several parts and is not a single value",
            "name one of home.geo.lat, home.geo.long, or compare it with nil"
        ),
        (
            "ANY category.products.home IN {1}", 4,
            "'home' has several parts and is not a single value",
            "name one of category.products.home.city, category.products.home.geo.lat, "
                + "category.products.home.geo.long, or compare it with nil"
        ),
        ("home.citi == 'x'", 5, "'Address' has no attribute 'citi'", "did you mean 'city'?"),
        ("home.geo.x == 1", 9, "'Geo' has no attribute 'x'", "it has lat, long"),
        ("hom.city == 'x'", 0, "'Product' has no property 'hom'", "did you mean 'home'?"),
        (
            "home.city.x == 'x'", 10, "'home.city' is an attribute and has no properties",
            nil
        ),
        (
            "colour == 'red'", 10, "a string where a value of Colour is wanted",
            "it can only be compared with nil"
        ),
        ("colour == colour", 0, "a value of Colour can only be compared with nil", nil),
        (
            "amount == 'x'", 10, "a string where a decimal number is wanted",
            "at most 38 digits are exact"
        ),
        ("amount & 1 == 1", 7, "'&' does not apply to a decimal number and a decimal number", nil),
        (
            "3 IN stock", 5, "IN needs a list, a to-many path or a string at its right",
            "write {a, b}"
        ),
        (
            "SUBQUERY(tags, $t, TRUEPREDICATE).@max.wrd == 'x'", 39,
            "'wrd' is not an attribute of Tag",
            "did you mean 'word'?"
        ),
        (
            "SUBQUERY(category.products, $p, TRUEPREDICATE).category.name.@max == 'x'", 47,
            "'category.name' is not an attribute of Product",
            "only an attribute of the elements themselves can follow a SUBQUERY"
        ),
        ("kind == 'boko'", 8, "Kind has no case 'boko'", "did you mean 'book'?"),
        (
            "added > 'yesterday'", 8, "'yesterday' is not a date",
            "write '2001-12-31T23:59:59Z' or seconds since 2001-01-01 UTC"
        ),
        ("token == 'x'", 9, "'x' is not a UUID", nil),
        ("isNew < YES", 0, "a Boolean has no order and cannot be used with '<'", nil),
        ("category == 3", 12, "an integer where an object of Category is wanted", nil),
        (
            "category == SELF", 12,
            "an object of Category cannot be compared with an object of Product", nil
        ),
        ("price < $limt", 8, "there is no parameter $limt", "did you mean $limit?"),
        ("stock", 0, "an integer is not a condition", "compare it with something"),
        ("title MATCHES '['", 14, "'[' is not a regular expression", "a class has no ']'"),
        ("tags.word.@sum > 1", 10, "@sum does not apply to a string", nil),
        ("category.@count > 1", 0, "this is not a to-many relationship", nil),
        ("stock BETWEEN {1}", 14, "BETWEEN needs a list of two values", "write {1, 10}"),
        (
            "kind ==[c] 'book'", 0, "an option of a comparison needs a string, not a value of Kind",
            nil
        ),
        ("stock CONTAINS[c] 1", 0, "CONTAINS needs a string, not an integer", nil),
        ("stock.length == 1", 6, "'stock' is an attribute and has no properties", nil),
        ("scan.length == 1", 5, "'scan' is an attribute and has no properties", nil),
        ("title.length.x == 1", 6, "'title' is an attribute and has no properties", nil),
        ("{1, 'x'} CONTAINS stock", 4, "a string where an integer is wanted", nil),
        ("title + stock > 1", 6, "'+' does not apply to a string and an integer", nil),
        ("uppercase:(stock) == 'A'", 0, "'uppercase' does not apply to an integer", nil),
        (
            "price == 0.1234567890123456789", 9,
            "a floating-point number where a decimal number is wanted",
            "at most 18 places are exact"
        ),
    ])
    func `what has no meaning is told with its place`(
        _ text: String, _ offset: Int, _ message: String, _ hint: String?
    ) {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.condition(
                text, parameters: [FetchParameter(name: "limit", type: .decimal(scale: 2))])
        }
        #expect(
            error?.diagnostics == [
                ExpressionDiagnostic(offset: offset, message: message, hint: hint)
            ])
    }

    @Test func `all mistakes are told at once and none follows from another`() {
        let error = #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.condition("prise < 3 AND NOT (titel == 'x') OR stock == 1")
        }
        #expect(error?.diagnostics.map(\.offset) == [0, 19])
    }

    @Test(arguments: [
        ("price < 12.50", Value.decimal(Decimal(string: "12.5") ?? 0)),
        ("price < 3", .decimal(3)), ("stock == 3", .int(3)), ("stock < 1.5", .double(1.5)),
        ("weight == 3", .double(3)), ("height == 0.1", .double(Double(Float(0.1)))),
        ("kind == 'toy'", .string("TOY")), ("kind == 'TOY'", .string("TOY")),
        ("isNew == 1", .bool(true)), ("isNew == NO", .bool(false)),
        ("added > 86400", .date(Date(timeIntervalSinceReferenceDate: 86400))),
        ("added > '2001-01-02'", .date(Date(timeIntervalSinceReferenceDate: 86400))),
        ("added > '2001-01-02T00:00:01Z'", .date(Date(timeIntervalSinceReferenceDate: 86401))),
        (
            "token == '00000000-0000-0000-0000-000000000001'",
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
        ),
        ("title == nil", .null), ("stock == 0x1F", .int(31)),
    ])
    func `a constant takes the type of what it meets`(_ text: String, _ value: Value) throws {
        guard case .comparison(_, _, .literal(let found), _) = try ShopModel.condition(text) else {
            Issue.record("no comparison with a constant")
            return
        }
        #expect(found == value)
    }

    @Test(arguments: [
        "category.name == 'x' AND ANY tags.word BEGINSWITH[cd] 'a'", "SELF IN category.products",
        "category.products CONTAINS SELF", "tags.@count > 2", "category.products.@avg.price > 1",
        "SUBQUERY(tags, $t, $t.word == 'a' AND $t.products.@count > 1).@count > 0",
        "ALL category.products.price > 2 * stock", "TERNARY(isNew == YES, price, 0) > 1",
        "price BETWEEN {1, $limit}", "title IN {'a', nil}", "added < now() - 3600",
        "isNew", "NOT isNew AND TRUEPREDICATE", "length:(title) > 3", "title + 'x' == 'ax'",
        "ANY tags.products.title == 'x'", "home == nil OR home.geo != nil", "home.city == title",
        "amount > 3 AND amount < price AND amount + 1 == 2.5", "colour == nil",
        "'a' IN title", "SUBQUERY(tags, $t, $t.word != nil).@max.word == 'x'",
        "SUBQUERY(category.products, $p, $p.isNew).home.geo.lat.@sum > 1",
        "CAST(added, 'NSNumber') > 1", "CAST(stock, 'NSString') == '1'", "tags[SIZE] == 1",
        "CAST(weight, 'NSDate') < now()", "FUNCTION(title, 'lowercaseString') == 'a'",
        "title IN tags.products.title", "tags.products CONTAINS SELF",
        "(stock & 3) == 1", "category == nil", "NONE tags.word == nil",
        "stock ==[c] 34", "stock <[cd] 34", "added >=[c] now()", "isNew ==[c] YES",
        "category ==[c] nil", "stock IN[c] {1, 2}", "title <[c] 'b'", "'b' >=[cd] title",
        "{'John', 'Mary'} CONTAINS title", "{1, stock} CONTAINS 2 * stock",
        "{1, $limit} CONTAINS price", "title.length == 4", "image.length > 1",
        "ANY tags.products.title.length > 3", "home.city.length == 2",
    ])
    func `what has a meaning is accepted, also when code builds it`(_ text: String) throws {
        let parameter = FetchParameter(name: "limit", type: .decimal(scale: 2))
        let condition = try ShopModel.condition(text, parameters: [parameter])
        _ = try ExpressionEvaluator(
            condition: condition, entity: ShopModel.product, model: ShopModel.model,
            parameters: ["limit": .int(5)])
    }

    @Test func `a parameter without a value is an error`() throws {
        let condition = try ShopModel.condition(
            "price < $limit", parameters: [FetchParameter(name: "limit", type: .double)])
        #expect(throws: ExpressionDiagnostics.self) {
            try ExpressionEvaluator(
                condition: condition, entity: ShopModel.product, model: ShopModel.model)
        }
    }

    @Test(arguments: [
        ("1.234", AttributeType.decimal(scale: 2)), ("70000", .int16), ("'x'", .int32),
        ("title", .date), ("stock", .string), ("1.5", .int32),
        ("price * price", .decimal(scale: 2)),
        ("'x'", .enumeration("Kind")),
    ])
    func `a value that does not fit the attribute is an error`(
        _ text: String, _ type: AttributeType
    ) {
        #expect(throws: ExpressionDiagnostics.self) { try ShopModel.value(text, as: type) }
    }

    @Test(arguments: [
        ("'book'", AttributeType.enumeration("Kind"), Value.string("book")),
        ("12.5", .decimal(scale: 2), .decimal(Decimal(string: "12.5") ?? 0)),
        ("3", .double, .double(3)), ("nil", .string, .null), ("YES", .bool, .bool(true)),
    ])
    func `a constant value has the attribute's type`(
        _ text: String, _ type: AttributeType, _ value: Value
    ) throws {
        #expect(try ShopModel.value(text, as: type) == .literal(value))
    }

    @Test func `arguments are values of any type`() throws {
        let condition = try ShopModel.condition(
            "%K IN %@ AND category.%K ==[c] %@",
            arguments: [
                .value(.string("stock")), .list([.int(1), .int(2)]), .value(.string("name")),
                .value(.string("x")),
            ])
        #expect(
            condition
                == .and([
                    .comparison(
                        .keyPath(root: .subject, names: ["stock"]), .in,
                        .list([.literal(.int(1)), .literal(.int(2))]), []),
                    .comparison(
                        .keyPath(root: .subject, names: ["category", "name"]), .equal,
                        .literal(.string("x")), .caseInsensitive),
                ]))
    }

    @Test func `constants of a choice are those of the wanted type, in each of its branches`()
        throws
    {
        let text = "TERNARY(stock > 1, 'toy', TERNARY(title == 'book', nil, 'book'))"
        let choice = try ShopModel.value(text, as: .enumeration("Kind"))
        guard
            case .conditional(_, .literal(let first), .conditional(let test, let none, _)) = choice
        else {
            Issue.record("\(choice)")
            return
        }
        #expect(first == .string("TOY"))
        #expect(none == .literal(.null))
        // What a condition compares is no constant of that type.
        #expect(test.description.contains("'book'"))
        #expect(throws: Never.self) {
            _ = try ShopModel.value("TERNARY(isNew, '2001-01-01', '2002-01-01')", as: .date)
        }
        #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.value("TERNARY(isNew, 'car', 'toy')", as: .enumeration("Kind"))
        }
    }
}
