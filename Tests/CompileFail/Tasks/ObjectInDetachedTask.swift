import Cambium
import ShopModel

/// An object of the main actor's context is captured by a task of its own.
@MainActor
func printTitleLater(of product: Product) {
    #if MISTAKE
        Task.detached { print(product.title) }  // error: sending
    #else
        let title = product.title
        Task.detached { print(title) }
    #endif
}
