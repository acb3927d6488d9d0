import Cambium
import ShopModel

/// An object is read by a child task.
@MainActor
func titleLength(of product: Product) async -> Int {
    #if MISTAKE
        async let length = product.title.count  // error: product
    #else
        let title = product.title
        async let length = title.count
    #endif
    return await length
}
