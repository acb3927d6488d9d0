import Cambium
import Foundation
import ShopModel
import Testing

struct KeyOrderTests {
    @Test(arguments: StoreKind.allCases)
    func `without an order objects come by key, whatever index finds them`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            // The unique index on the number has them the other way round.
            let numbers = (0..<50).map { "PR-\(99 - $0)" }
            for number in numbers { _ = Product(in: context, sku: number, kind: .book, price: 1) }
            try context.save()
            let request = Product.fetchRequest().filter(Product.sku > "PR-")
            let found = try container.newContext().fetch(request)
            #expect(found.map(\.sku) == numbers)
        }
    }
}
