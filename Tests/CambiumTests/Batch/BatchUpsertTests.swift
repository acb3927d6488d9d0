import Cambium
import ShopModel
import Testing

/// Rows whose unique values another object has.
struct BatchUpsertTests {
    @Test func `rows of several chunks, half of them known, in one transaction`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            context.mergePolicy = .objectTrump
            func request(_ numbers: Range<Int>) -> BatchInsertRequest<Product> {
                BatchInsertRequest(numbers) { product, number in
                    product.sku = "AB-\(number)"
                    product.kind = .book
                    product.price = Decimal(numbers.lowerBound + 1)
                }
            }
            try #expect(context.execute(request(0..<5_000)).count == 5_000)
            try #expect(context.execute(request(2_500..<7_500)).count == 5_000)
            try #expect(context.count(for: Product.fetchRequest()) == 7_500)
            let changed = Product.fetchRequest().filter(Product.price == 2_501)
            try #expect(context.count(for: changed) == 5_000)
        }
    }
}
