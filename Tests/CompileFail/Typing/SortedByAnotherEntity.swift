import Cambium
import ShopModel

/// Categories are sorted by an attribute of products.
func sortedCategories() -> FetchRequest<Category> {
    #if MISTAKE
        Category.fetchRequest().sorted(by: Product.title.descending)  // error: Product
    #else
        Category.fetchRequest().sorted(by: Category.name.descending)
    #endif
}
