import Cambium
import ShopModel

/// A number is compared with a text.
func freeProducts() -> Condition<Product> {
    #if MISTAKE
        Product.price == "free"  // error: String
    #else
        Product.price == 0
    #endif
}
