import CambiumModel
import Testing

@Suite struct CompositePathTests {
    private let city = ModelExpression.keyPath(root: .subject, names: ["home.city"])

    @Test(arguments: ["home.city == 'x'", "SELF.home.city == 'x'"])
    func `a part is one name of the tree`(_ text: String) throws {
        #expect(
            try ShopModel.condition(text) == .comparison(city, .equal, .literal(.string("x")), []))
    }

    @Test(arguments: [["home.city"], ["home", "city"]])
    func `code may name a part in one or in several names`(_ names: [String]) throws {
        let object = PlainObject(1, ["home.city": .string("x")])
        let evaluator = try ExpressionEvaluator(
            condition: .comparison(
                .keyPath(root: .subject, names: names), .equal, .literal(.string("x")), []),
            entity: ShopModel.product, model: ShopModel.model)
        #expect(try evaluator.isTrue(object))
    }

    @Test func `parts are reached through relationships and within quantifiers`() throws {
        let object = PlainObject(1, ["home.geo.lat": .double(3)])
        let category = PlainObject(2)
        object.toOnes["category"] = category
        category.toManys["products"] = [object]
        for text in [
            "category.products.home.geo.lat.@max == 3", "ANY category.products.home != nil",
        ] {
            let evaluator = try ExpressionEvaluator(
                condition: ShopModel.condition(text), entity: ShopModel.product,
                model: ShopModel.model)
            #expect(try evaluator.isTrue(object))
        }
    }

    @Test(arguments: [
        // text, no parts, the city alone, a coordinate alone
        ("home == nil", [true, false, false]), ("home != nil", [false, true, true]),
        ("nil == home", [true, false, false]), ("home IN {nil}", [true, false, false]),
        ("home.geo == nil", [true, true, false]), ("NOT home.geo == nil", [false, false, true]),
    ])
    func `a composite value is nil when all of its parts are`(
        _ text: String, _ expected: [Bool]
    ) throws {
        let values: [[String: Value]] = [
            [:], ["home.city": .string("x")], ["home.geo.long": .double(1)],
        ]
        for (values, expected) in zip(values, expected) {
            let evaluator = try ExpressionEvaluator(
                condition: ShopModel.condition(text), entity: ShopModel.product,
                model: ShopModel.model)
            #expect(try evaluator.isTrue(PlainObject(1, values)) == expected)
        }
    }
}
