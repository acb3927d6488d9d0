import Cambium
import ShopModel

/// A text is compared with a number.
func lateTitles() -> Condition<Product> {
    #if MISTAKE
        Product.title > 12  // error: String
    #else
        Product.title > "M"
    #endif
}
