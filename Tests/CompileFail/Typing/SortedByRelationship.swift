import Cambium
import ShopModel

/// A relationship has no order.
func sortedProducts() -> FetchRequest<Product> {
    #if MISTAKE
        Product.fetchRequest().sorted(by: Product.category)  // error: ToOneKey
    #else
        Product.fetchRequest().sorted(by: Product.category.name)
    #endif
}
