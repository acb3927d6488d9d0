import Cambium
import ShopModel

/// The iterator of a to-many relationship is used in another task.
@MainActor
func printFirst(of category: Category) {
    #if MISTAKE
        var products = category.products.makeIterator()
        Task.detached { print(products.next()?.title ?? "") }  // error: sending
    #else
        var products = category.products.makeIterator()
        Task { print(products.next()?.title ?? "") }
    #endif
}
