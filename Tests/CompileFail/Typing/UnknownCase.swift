import Cambium
import ShopModel

/// An enumeration does not have the case.
func films() -> Condition<Product> {
    #if MISTAKE
        Product.kind == .film  // error: kind
    #else
        Product.kind == .book
    #endif
}
