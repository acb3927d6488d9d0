import Cambium
import Dispatch
import ShopModel

/// An object is used on a queue.
@MainActor
func printTitle(of product: Product, on queue: DispatchQueue) {
    #if MISTAKE
        queue.async { print(product.title) }  // error: product
    #else
        let title = product.title
        queue.async { print(title) }
    #endif
}
