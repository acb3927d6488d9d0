import Cambium
import Foundation
import ShopModel
import Testing

struct SetwiseDeleteTests {
    @Test(arguments: StoreKind.allCases)
    func `rows of different versions are deleted in one save`(_ kind: StoreKind) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            let products = (0..<30).map {
                Product(in: context, sku: "PR-\($0)", kind: .book, price: 1)
            }
            try context.save()
            for version in 2...4 {
                for product in products where product.objectID.key % 4 >= version - 1 {
                    product.stock += 1
                }
                try context.save()
            }
            for product in products.dropLast() { context.delete(product) }
            try context.save()
            let left = try container.newContext().fetch(Product.fetchRequest())
            #expect(left.map(\.sku) == ["PR-29"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a row that is gone already is deleted together with those that are not`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            let products = (0..<3).map {
                Product(in: context, sku: "PR-\($0)", kind: .book, price: 1)
            }
            try context.save()
            let other = container.newContext()
            let twin = try other.existingObject(with: products[1].objectID)
            other.delete(twin)
            try other.save()
            for product in products { context.delete(product) }
            try context.save()
            #expect(try container.newContext().count(for: Product.fetchRequest()) == 0)
        }
    }
}
