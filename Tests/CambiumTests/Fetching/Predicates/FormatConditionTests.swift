import Cambium
import Foundation
import ShopModel
import Testing

struct FormatConditionTests {
    @Test func `text takes values, lists, objects and names`() throws {
        try withPredicateShops { shop in
            let books = try #require(
                shop.context.fetch(
                    Category.fetchRequest().filter(format: "name == %@", "Books")
                ).first)
            func found(_ text: String, _ arguments: any PredicateArgument...) throws -> Int {
                // A variadic cannot be handed on.
                switch arguments.count {
                case 1: try shop.skus(Condition(format: text, arguments[0])).count
                case 2: try shop.skus(Condition(format: text, arguments[0], arguments[1])).count
                default: try shop.skus(Condition(format: text)).count
                }
            }
            try #expect(found("price < %@", 20) == 3)
            try #expect(found("price < %@ AND %K == 'Books'", Decimal(20), "category.name") == 1)
            try #expect(found("sku IN %@", ["TO-0", "XX-0"]) == 2)
            try #expect(found("salePrice == %@", Decimal?.none) == 5)
            try #expect(found("category == %@", books) == 3)
            try #expect(found("category == %@", books.objectID) == 3)
            try #expect(found("category IN %@", [books]) == 3)
            try #expect(
                found("SELF IN %@", [try #require(books.products.first { _ in true })]) == 1)
            // Core Data's other name for the object itself.
            try #expect(found("objectID == %@", try #require(books.products.first)) == 1)
            try #expect(found("objectID IN %@", books.products.map(\.objectID)) == 3)
            try #expect(found("category.objectID == %@", books.objectID) == 3)
            try #expect(found("price BETWEEN %@", [10, 20]) == 3)
            let kinds = try shop.context.fetch(Product.fetchRequest()).map(\.kind)
            try #expect(found("kind == %@", Kind.book) == kinds.count { $0 == .book })
            try #expect(found("kind IN %@", [Kind.book, .toy]) == kinds.count { $0 != .garment })
            #expect(throws: ExpressionDiagnostics.self) { try found("sku == %@", books) }
        }
    }

    @Test func `the spellings of Core Data's other formats are taken`() throws {
        try withPredicateShops { shop in
            func found(_ text: String) throws -> [String] {
                try shop.skus(Condition(format: text))
            }
            // Options of texts mean nothing for numbers.
            try #expect(found("stock ==[c] 10") == ["TO-0"])
            try #expect(found("price <[cd] 10") == ["XX-0"])
            try #expect(found("title <[c] 'BOOK 1'") == ["BO-0", "TO-0"])
            try #expect(found("title <[cd] 'b'") == ["XX-0"])
            try #expect(found("title >=[d] 'bear'") == ["TO-0"])
            try #expect(found("{'TO-0', 'XX-0', 'a'} CONTAINS sku") == ["TO-0", "XX-0"])
            try #expect(found("{'to-0'} CONTAINS[c] sku") == ["TO-0"])
            try #expect(found("NOT {'TO-0'} CONTAINS sku").count == 5)
            try #expect(found("title.length == 4") == ["TO-0"])
            try #expect(found("category.name.length == 4") == ["TO-0", "TO-1"])
            let list = try Condition<Product>(format: "%@ CONTAINS sku", ["TO-1", "XX-0"])
            try #expect(shop.skus(list) == ["TO-1", "XX-0"])
        }
    }

    @Test func `conditions of all spellings are combined`() throws {
        try withPredicateShops { shop in
            let text = try Condition<Product>(format: "price >= 10")
            let macro = try Condition<Product>(#Predicate { $0.stock > 0 })
            try #expect(
                shop.skus(text && macro && Product.kind == .book) == ["BO-1", "BO-2"])
            let request = Product.fetchRequest().filter(format: "price >= 10")
                .filter(format: "stock > 0").filter(Product.kind == .book)
            #expect(try shop.context.fetch(request).count == 2)
        }
    }

    @Test func `what leads on from an object's identity is an error`() throws {
        let error = try #require(throws: ExpressionDiagnostics.self) {
            try Condition<Product>(format: "category.objectID.name == 'x'")
        }
        #expect("\(error)".contains("'Category' has no property 'objectID'"))
    }

    @Test func `a mistake in text is found at once, with its place`() throws {
        let error = try #require(throws: ExpressionDiagnostics.self) {
            try Condition<Product>(format: "price < 3 AND prise > 2")
        }
        #expect(error.diagnostics.first?.offset == 14)
    }
}
