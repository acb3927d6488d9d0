@testable import CambiumModel
import Foundation
import Testing

@Suite struct ExpressionEvaluatorTests {
    private func isTrue(_ text: String, _ object: PlainObject) throws -> Bool {
        try ExpressionEvaluator(
            condition: ShopModel.condition(text), entity: ShopModel.product,
            model: ShopModel.model
        ).isTrue(object)
    }

    private func value(_ text: String, _ type: AttributeType, _ object: PlainObject) throws -> Value
    {
        try ExpressionEvaluator(
            value: ShopModel.value(text, as: type), as: type, entity: ShopModel.product,
            model: ShopModel.model
        ).evaluate(object)
    }

    @Test(arguments: [
        // relation, 1 against 2, 2 against 2, nil against 2, nil against nil
        ("==", false, true, false, true), ("!=", true, false, true, false),
        ("<", true, false, false, false), ("<=", true, true, false, false),
        (">", false, false, false, false), (">=", false, true, false, false),
    ])
    func `a comparison is true or false, with nil too`(
        _ relation: String, _ less: Bool, _ equal: Bool, _ oneNil: Bool, _ bothNil: Bool
    ) throws {
        let object = PlainObject(1, ["stock": .int(1)])
        #expect(try isTrue("stock \(relation) 2", object) == less)
        #expect(try isTrue("NOT stock \(relation) 2", object) == !less)
        object.values["stock"] = .int(2)
        #expect(try isTrue("stock \(relation) 2", object) == equal)
        object.values["stock"] = .null
        #expect(try isTrue("stock \(relation) 2", object) == oneNil)
        #expect(try isTrue("NOT stock \(relation) 2", object) == !oneNil)
        #expect(try isTrue("stock \(relation) nil", object) == bothNil)
        #expect(try isTrue("NOT stock \(relation) nil", object) == !bothNil)
    }

    @Test(arguments: [
        ("title == 'Éa'", true), ("title == 'E\u{301}a'", false), ("title ==[d] 'Ea'", true),
        ("title ==[cd] 'ea'", true), ("title ==[c] 'éa'", true), ("title BEGINSWITH 'É'", true),
        ("title BEGINSWITH[cd] 'e'", true), ("title ENDSWITH 'a'", true),
        ("title CONTAINS 'x'", false), ("title LIKE '?a'", true), ("title LIKE '*b*'", false),
        ("title LIKE[c] 'é*'", true), ("title MATCHES '.a'", true), ("title MATCHES 'a'", false),
        ("title MATCHES[c] 'éA'", true), ("title LIKE '\\*'", false), ("title IN {'Éa'}", true),
        ("title > 'Z'", true), ("title CONTAINS ''", true), ("title ENDSWITH ''", true),
        ("title <[c] 'ÉB'", true), ("title <[c] 'z'", false), ("title <[cd] 'EB'", true),
        ("title >[cd] 'DZ'", true), ("title >[d] 'Eb'", false), ("title <=[cd] 'EA'", true),
        ("title >=[cd] 'ea'", true), ("title <[cd] 'ea'", false), ("title >[cd] 'ea'", false),
        ("title BETWEEN {'A', 'z'}", false), ("title.length == 2", true),
        ("{'a', 'Éa'} CONTAINS title", true), ("{'a', 'éa'} CONTAINS title", false),
        ("{'a', 'éa'} CONTAINS[c] title", true), ("{} CONTAINS title", false),
    ])
    func `strings are compared by bytes or as the options say`(
        _ text: String, _ expected: Bool
    ) throws {
        #expect(try isTrue(text, PlainObject(1, ["title": .string("Éa")])) == expected)
        #expect(try isTrue("NOT (\(text))", PlainObject(1)) == true)
    }

    @Test(arguments: [
        ("stock + 1", AttributeType.int64, Value.int(8)), ("stock / 2", .int64, .int(3)),
        ("stock / 0", .int64, .null), ("stock + 9223372036854775807", .int64, .null),
        ("-stock", .int64, .int(-7)), ("stock / 2.0", .double, .double(3.5)),
        ("price * 2", .decimal(scale: 2), .decimal(Decimal(string: "25") ?? 0)),
        ("price / 2", .double, .double(6.25)), ("weight / 0", .double, .null),
        ("modulus:by:(stock, 4)", .int64, .int(3)), ("stock ** 2", .double, .double(49)),
        ("added + 60", .date, .date(Date(timeIntervalSinceReferenceDate: 60))),
        ("added - added", .double, .double(0)), ("title + '!'", .string, .string("straße!")),
        ("uppercase:(title)", .string, .string("STRASSE")), ("length:(title)", .int64, .int(6)),
        ("canonical:('ÀÉ')", .string, .string("ae")), ("abs:(0 - stock)", .int64, .int(7)),
        ("floor:(price)", .double, .double(12)), ("sqrt:(0 - weight)", .double, .null),
        ("string:(stock)", .string, .string("7")),
        ("TERNARY(stock > 1, 'a', 'b')", .string, .string("a")),
        ("stock > 3", .bool, .bool(true)), ("stock & 3", .int64, .int(3)),
        ("title.length", .int64, .int(6)),
        ("substring(title, 1, 3)", .string, .string("tra")),
        ("substring(title, -2, 5)", .string, .string("str")),
        ("substring(title, 4, 9223372036854775807)", .string, .string("ße")),
        ("substring(title, 2, -1)", .string, .string("")),
        ("substring(title, 6, 1)", .string, .string("")),
        ("left(title, 2)", .string, .string("st")), ("left(title, -1)", .string, .string("")),
        ("right(title, 2)", .string, .string("ße")),
        ("right(title, 99)", .string, .string("straße")),
        ("indexOf(title, 'a')", .int64, .int(3)), ("indexOf(title, 'A')", .int64, .null),
        ("indexOf(title, '')", .int64, .int(0)),
        ("replace(title, 'ß', 'ss')", .string, .string("strasse")),
        ("replace('aaa', 'aa', 'b')", .string, .string("ba")),
        ("replace(title, '', 'x')", .string, .string("straße")),
        ("trim(' \u{2003}a b\t')", .string, .string("a b")), ("trim('  ')", .string, .string("")),
        // Characters are scalars: an accent of its own is one.
        ("left('e\u{301}a', 1)", .string, .string("e")),
        ("indexOf('e\u{301}a', 'e')", .int64, .int(0)),
        ("SUBSTRING:(title, 0, 1)", .string, .string("s")),
    ])
    func `values are computed, and what has no result is nil`(
        _ text: String, _ type: AttributeType, _ expected: Value
    ) throws {
        let object = PlainObject(
            1,
            [
                "stock": .int(7), "price": .decimal(Decimal(string: "12.5") ?? 0),
                "weight": .double(2), "added": .date(Date(timeIntervalSinceReferenceDate: 0)),
                "title": .string("straße"),
            ])
        #expect(try value(text, type, object) == expected)
    }

    @Test(arguments: [
        ("kind == TERNARY(stock > 1, 'toy', 'book')", true),
        ("TERNARY(stock > 9, 'toy', TERNARY(isNew, nil, 'book')) != kind", true),
        ("TERNARY(TERNARY(stock > 1, 'toy', 'book') == kind, 1, 0) == 1", true),
        ("added < TERNARY(stock > 1, '2001-01-02T00:00:00Z', nil)", true),
    ])
    func `constants that are chosen are those of what they are compared with`(
        _ text: String, _ expected: Bool
    ) throws {
        let object = PlainObject(
            1,
            [
                "stock": .int(7), "kind": .string("TOY"), "isNew": .bool(false),
                "added": .date(Date(timeIntervalSinceReferenceDate: 0)),
            ])
        #expect(try isTrue(text, object) == expected)
        #expect(throws: ExpressionDiagnostics.self) {
            try isTrue("kind == TERNARY(stock > 1, 'car', 'book')", object)
        }
    }

    @Test(arguments: [
        // text, for no tags, for {a}, for {a, b}, for {nil}
        ("ANY tags.word == 'a'", [false, true, true, false]),
        ("ALL tags.word == 'a'", [true, true, false, false]),
        ("NONE tags.word == 'a'", [true, false, false, true]),
        ("NOT ANY tags.word == 'a'", [true, false, false, true]),
        ("ANY tags.word == nil", [false, false, false, true]),
        ("ANY tags.word != 'a'", [false, false, true, true]),
        ("tags.@count == 1", [false, true, false, true]),
        ("tags.word.@count == 1", [false, true, false, false]),
        ("tags.word CONTAINS 'b'", [false, false, true, false]),
        ("'b' IN tags.word", [false, false, true, false]),
        ("SUBQUERY(tags, $t, $t.word > 'a').@count > 0", [false, false, true, false]),
        ("tags.word.@max == 'b'", [false, false, true, false]),
        ("tags.word.@max == nil", [true, false, false, true]),
        ("SUBQUERY(tags, $t, $t.word > 'a').@min.word == 'b'", [false, false, true, false]),
        ("SUBQUERY(tags, $t, $t.word != nil).word.@count == 2", [false, false, true, false]),
        ("tags[SIZE] == 2", [false, false, true, false]),
    ])
    func `many objects are spoken of by quantifiers and aggregates`(
        _ text: String, _ expected: [Bool]
    ) throws {
        let words: [[Value]] = [[], [.string("a")], [.string("a"), .string("b")], [.null]]
        for (tags, expected) in zip(words, expected) {
            let object = PlainObject()
            object.toManys["tags"] = tags.enumerated().map { index, word in
                PlainObject(Int64(index + 1), ["word": word])
            }
            #expect(try isTrue(text, object) == expected, "\(tags)")
        }
    }

    @Test func `sums are exact, and nil where 64 bits do not hold them`() throws {
        let category = PlainObject(9)
        let object = PlainObject(1, ["stock": .int(.max)])
        let other = PlainObject(2, ["stock": .int(-2)])
        let third = PlainObject(3, ["stock": .int(2)])
        object.toOnes["category"] = category
        category.toManys["products"] = [object, third, other]
        let text = "category.products.stock.@sum"
        #expect(try value(text, .int64, object) == .null)
        category.toManys["products"] = [object, other]
        #expect(try value(text, .int64, object) == .int(.max - 2))
        category.toManys["products"] = []
        #expect(try value(text, .int64, object) == .int(0))
        #expect(try value("category.products.stock.@avg", .double, object) == .null)
    }

    @Test func `objects are equal when they are one`() throws {
        let category = PlainObject(9)
        let object = PlainObject(1)
        #expect(try isTrue("category == nil", object))
        object.toOnes["category"] = category
        category.toManys["products"] = [object]
        #expect(try isTrue("SELF IN category.products", object))
        #expect(try isTrue("category != nil", object))
        let byKey = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["category"]), .equal, .literal(.int(9)), [])
        let evaluator = try ExpressionEvaluator(
            condition: byKey, entity: ShopModel.product, model: ShopModel.model)
        #expect(try evaluator.isTrue(object))
    }

    @Test func `now is the moment of evaluation`() throws {
        let evaluator = try ExpressionEvaluator(
            condition: ShopModel.condition("added < now() - 10"), entity: ShopModel.product,
            model: ShopModel.model)
        let object = PlainObject(1, ["added": .date(Date(timeIntervalSinceReferenceDate: 100))])
        #expect(try !evaluator.isTrue(object, now: Date(timeIntervalSinceReferenceDate: 110)))
        #expect(try evaluator.isTrue(object, now: Date(timeIntervalSinceReferenceDate: 111)))
    }
}
