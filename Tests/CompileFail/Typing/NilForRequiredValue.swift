import Cambium
import ShopModel

/// A required attribute is set to nil.
func clear(_ product: Product) {
    #if MISTAKE
        product.title = nil  // error: nil
    #else
        product.salePrice = nil
    #endif
}
