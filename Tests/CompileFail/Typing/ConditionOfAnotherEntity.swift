import Cambium
import ShopModel

/// Categories are filtered by an attribute of products.
func categories() -> FetchRequest<Category> {
    #if MISTAKE
        Category.fetchRequest().filter(Product.price < 5)  // error: Product
    #else
        Category.fetchRequest().filter(Category.products.any(Product.price < 5))
    #endif
}
