import Cambium
import Foundation
import ShopModel
import Testing

/// Results that are rows of values. Each test runs with everything saved, and with everything
/// unsaved: the outcome is the same.
struct SelectingTests {
    @Test func `what is required and has no value is an error`() throws {
        try StoreKind.current.withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(Product.fetchRequest().select(Product.salePrice.required))
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("salePrice") == true)
        }
    }

    @Test func `a column that is neither common to its group nor an aggregate is refused`() throws {
        try StoreKind.current.withShop { context in
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().select(Product.title, Product.price.sum)
                        .grouped(by: Product.kind))
            }
            #expect(error?.description.contains("title") == true)
        }
    }

    @Test func `distinct results cannot be sorted by what is not selected`() throws {
        try StoreKind.current.withShop { context in
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().sorted(by: Product.price).select(Product.kind)
                        .distinct())
            }
        }
    }

    @Test func `a constant that does not fit the aggregate is refused`() throws {
        try StoreKind.current.withShop { context in
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().select(Product.kind, Product.price.sum)
                        .grouped(by: Product.kind)
                        .having(Product.price.sum > Decimal(string: "0.0001")!))
            }
        }
    }

    @Test func `a child computes from its parent's objects as they are`() throws {
        try StoreKind.current.withShop { context in
            let product = try #require(
                try context.fetch(Product.fetchRequest().filter(Product.sku == "XX-0")).first)
            product.price = 7
            let child = context.newChildContext()
            let sum = Product.fetchRequest().select(Product.price.sum)
            try #expect(child.fetch(sum) == [117])
            try #expect(context.fetch(sum) == [117])
        }
    }

    @Test func `without unsaved changes that count the store answers`() throws {
        try StoreKind.current.withShop { context in
            let products = try context.fetch(Product.fetchRequest())
            for product in products { product.price = 1 }
            var request = Product.fetchRequest()
            request.includesPendingChanges = false
            let sums = try context.fetch(request.select(Product.price.sum))
            #expect(sums == [115])
        }
    }
}
