import Cambium
import Foundation
import ShopModel
import Testing

extension EngineEntry {
    /// Runs a body with a shop of two categories and six products.
    ///
    /// - Parameter isSaved: Whether they are saved, and the context has read nothing.
    package func withShop(
        isSaved: Bool = true, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let books = Category(in: context, name: "Books")
            let toys = Category(in: context, name: "Toys", isBrand: true)
            for (index, price) in [30, 10, 20].enumerated() {
                _ = Product(
                    in: context, sku: "BO-\(index)", title: "Book \(index)", kind: .book,
                    price: Decimal(price), stock: Int32(index), category: books)
            }
            _ = Product(
                in: context, sku: "TO-0", title: "bear", kind: .toy, price: 10, salePrice: 5,
                stock: 10, category: toys)
            _ = Product(in: context, sku: "TO-1", kind: .toy, price: 40, category: toys)
            _ = Product(in: context, sku: "XX-0", title: "Ärmel", kind: .garment, price: 5)
            guard isSaved else { return try body(context) }
            try context.save()
            try body(container.newContext())
        }
    }
}

/// The numbers of the products that a request finds, which are as many as it counts.
package func skus(
    _ context: ManagedObjectContext, _ request: FetchRequest<Product>
) throws -> [String] {
    let found = try context.fetch(request).map(\.sku)
    let count = try context.count(for: request)
    #expect(count == found.count)
    return found
}
