import Cambium
import ShopModel

/// A path leads through a relationship to an attribute that is not there.
func booksOnly() -> Condition<Product> {
    #if MISTAKE
        Product.category.nam == "Books"  // error: nam
    #else
        Product.category.name == "Books"
    #endif
}
