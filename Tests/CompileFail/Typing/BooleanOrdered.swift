import Cambium
import ShopModel

/// Booleans have no order that a comparison could mean.
func brands() -> Condition<Category> {
    #if MISTAKE
        Category.isBrand > false  // error: Bool
    #else
        Category.isBrand == true
    #endif
}
