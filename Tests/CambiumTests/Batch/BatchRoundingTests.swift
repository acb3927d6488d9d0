import Cambium
import Foundation
import ShopModel
import Testing

/// What a batch update computes for a decimal attribute is rounded to its scale: prices have two
/// places.
struct BatchRoundingTests {
    /// The prices that an update makes of 1, 2 and 3.
    private func prices(
        after update: BatchUpdateRequest<Product>, on kind: StoreKind = .current
    ) throws -> [Decimal] {
        var prices: [Decimal] = []
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            for number in 1...3 {
                let product = Product(
                    in: context, sku: "AB-\(number)", kind: .book, price: Decimal(number))
                product.stock = Int32(number)
            }
            try context.save()
            try context.execute(update)
            prices = try context.fetch(Product.fetchRequest().sorted(by: Product.sku)).map(\.price)
        }
        return prices
    }

    @Test(arguments: StoreKind.databases)
    func `a product of more places is rounded to the nearest, halves up`(_ kind: StoreKind) throws {
        let factor = try #require(Decimal(string: "1.125"))
        let update = BatchUpdateRequest<Product>().set(Product.price, to: Product.price * factor)
        #expect(try prices(after: update, on: kind).map(\.description) == ["1.13", "2.25", "3.38"])
    }

    @Test func `a quotient is rounded, in both spellings`() throws {
        let thirds = ["0.33", "0.67", "1"]
        let keys = BatchUpdateRequest<Product>().set(Product.price, to: Product.price / 3)
        #expect(try prices(after: keys).map(\.description) == thirds)
        let text = BatchUpdateRequest<Product>().set(Product.price, toResultOf: "price * 10 / 30")
        #expect(try prices(after: text).map(\.description) == thirds)
    }

    @Test func `what is too great for the attribute is refused`() {
        let update = BatchUpdateRequest<Product>()
            .set(Product.salePrice, toResultOf: "price / 0.0000000000001 / 0.0000000001")
        let error = #expect(throws: ValidationError.self) { try prices(after: update) }
        #expect(error?.code == .numberTooLarge && error?.property == "salePrice")
    }

    @Test func `a constant has to fit, and nothing becomes a number that is none`() {
        for text in ["1.005", "title", "category.name"] {
            let update = BatchUpdateRequest<Product>().set(Product.price, toResultOf: text)
            #expect(throws: (any Error).self, "\(text)") { try prices(after: update) }
        }
    }
}
