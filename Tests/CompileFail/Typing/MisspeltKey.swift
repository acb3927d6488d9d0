import Cambium
import ShopModel

/// A predicate names an attribute that is not there.
func cheapProducts() -> FetchRequest<Product> {
    #if MISTAKE
        Product.fetchRequest().filter(Product.prise < 5)  // error: prise
    #else
        Product.fetchRequest().filter(Product.price < 5)
    #endif
}
