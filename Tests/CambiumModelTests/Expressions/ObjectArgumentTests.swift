@testable import CambiumModel
import Testing

/// Objects as arguments of a text.
@Suite struct ObjectArgumentTests {
    private func condition(_ text: String, _ argument: FormatArgument) throws -> String {
        try ShopModel.condition(text, arguments: [argument]).description
    }

    @Test func `an object stands for its key`() throws {
        let books = FormatArgument.object(entity: "Category", key: 7)
        #expect(try condition("category == %@", books) == "category == 7")
        #expect(try condition("%@ != category", books) == "7 != category")
        #expect(try condition("category IN %@", books) == "category == 7")
        #expect(
            try condition("category IN %@", .objects(entity: "Category", keys: [7, 8]))
                == "category IN {7, 8}")
        #expect(
            try condition("%@ IN tags", .object(entity: "Tag", key: 1)) == "1 IN tags")
    }

    @Test(arguments: ["category == %@", "stock == %@", "title CONTAINS %@", "SELF == %@"])
    func `an object of another entity, or beside a value, is a mistake`(_ text: String) {
        #expect(throws: ExpressionDiagnostics.self) {
            try condition(text, .object(entity: "Tag", key: 7))
        }
    }

    @Test func `the entity of an object can be asked for`() throws {
        let tree = try ShopModel.condition("entity:(SELF) == 'Product'")
        #expect(tree.description == "entity:(SELF) == 'Product'")
        let evaluator = try ExpressionEvaluator(
            condition: tree, entity: ShopModel.product, model: ShopModel.model)
        #expect(try !evaluator.isTrue(PlainObject(1)))  // it says that it is of the entity Plain
        #expect(throws: ExpressionDiagnostics.self) {
            try ShopModel.condition("entity:(title) == 'Product'")
        }
    }
}
