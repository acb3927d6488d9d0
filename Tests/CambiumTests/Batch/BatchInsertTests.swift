import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

struct BatchInsertTests {
    private struct Stop: Error {}

    private func insert(
        _ context: ManagedObjectContext, _ rows: [[String: Value]]
    ) throws -> BatchResult {
        try context.execute(BatchInsertRequest<Product>(objects: rows))
    }

    @Test func `an object for each element of a sequence`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let request = BatchInsertRequest<Product>(0..<5_000) { product, number in
                product.sku = "AB-\(number)"
                product.kind = .book
                product.price = 1
                product.stock = Int32(number)
            }
            try #expect(context.execute(request).count == 5_000)
            try #expect(
                context.count(for: Product.fetchRequest().filter(Product.stock >= 4_000))
                    == 1_000)
        }
    }

    private func product(_ sku: String, _ more: [String: Value] = [:]) -> [String: Value] {
        ["sku": .string(sku), "kind": .string("book"), "price": .int(1)].merging(more) { $1 }
    }

    @Test func `a row far behind is named too`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let request = BatchInsertRequest<Product>(0..<5_000) { product, number in
                product.sku = "AB-\(number)"
                product.kind = .book
                product.price = number == 4_765 ? -1 : 1
            }
            let error = #expect(throws: BatchInsertError.self) { try context.execute(request) }
            #expect(error?.row == 4_765)
            try #expect(context.count(for: Product.fetchRequest()) == 0)
        }
    }

    @Test func `what a handler throws ends the operation, and nothing is inserted`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let request = BatchInsertRequest<Product>(0..<5_000) { product, number in
                if number == 4_999 { throw Stop() }
                product.sku = "AB-\(number)"
                product.kind = .book
                product.price = 1
            }
            #expect(throws: Stop.self) { try context.execute(request) }
            try #expect(context.count(for: Product.fetchRequest()) == 0)
            // The context and the store work on.
            try #expect(insert(context, [product("AB-1")]).count == 1)
        }
    }
}
