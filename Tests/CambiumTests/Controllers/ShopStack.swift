import Cambium
import Foundation
import ShopModel

/// A shop with one product in one category, and a controller of products by category with a
/// delegate.
struct ShopStack {
    let container: PersistentContainer
    let main: ManagedObjectContext
    let product: Product
    let controller: FetchedResultsController<Product>
    let delegate: MirrorDelegate<Product>

    init() throws {
        container = try PersistentContainer(model: Shop.model, at: .temporary)
        main = container.newContext()
        let books = ShopModel.Category(in: main, name: "Books")
        product = Product(in: main, sku: "AB-1", kind: .book, price: 1)
        product.category = books
        try main.save()
        controller = FetchedResultsController(
            Product.fetchRequest().sorted(by: Product.title), in: main,
            sectionedBy: Product.category.name)
        try controller.performFetch()
        delegate = MirrorDelegate(controller)
        controller.delegate = delegate
    }
}
