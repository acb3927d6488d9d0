import Cambium
import Foundation
import ShopModel

/// Two categories and six products, with nils where there can be some.
struct PredicateShop {
    let context: ManagedObjectContext

    init(in context: ManagedObjectContext) {
        self.context = context
        let books = Category(in: context, name: "Books")
        let toys = Category(in: context, name: "Toys", isBrand: true)
        _ = Category(in: context, name: "Empty")
        for (index, price) in [30, 10, 20].enumerated() {
            _ = Product(
                in: context, sku: "BO-\(index)", title: "Book \(index)", kind: .book,
                price: Decimal(price), stock: Int32(index), category: books)
        }
        _ = Product(
            in: context, sku: "TO-0", title: "bear", kind: .toy, price: 10, salePrice: 5,
            stock: 10, category: toys)
        _ = Product(
            in: context, sku: "TO-1", title: "TO-1 box", kind: .toy, price: 40, category: toys)
        _ = Product(in: context, sku: "XX-0", title: "Ärmel", kind: .garment, price: 5)
    }

    /// The SKUs of the products that meet a condition, the same from the pending objects, from the
    /// store and with the complement.
    func skus(_ condition: Condition<Product>) throws -> [String] {
        try context.fetch(Product.fetchRequest().filter(condition).sorted(by: Product.sku))
            .map(\.sku)
    }

    func names(_ condition: Condition<ShopModel.Category>) throws -> [String] {
        try context.fetch(
            Category.fetchRequest().filter(condition).sorted(by: ShopModel.Category.name)
        ).map(\.name)
    }
}

/// Runs a body with a shop that is not saved, then with the same one saved and read anew: the
/// evaluation in memory, then SQL.
func withPredicateShops(_ body: (PredicateShop) throws -> Void) throws {
    let container = try PersistentContainer(model: Shop.model, at: .temporary)
    let shop = PredicateShop(in: container.newContext())
    try body(shop)
    try shop.context.save()
    let saved = PredicateShop(savedIn: container.newContext())
    try body(saved)
}

extension PredicateShop {
    init(savedIn context: ManagedObjectContext) {
        self.context = context
    }
}
