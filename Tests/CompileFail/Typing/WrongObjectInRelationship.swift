import Cambium
import ShopModel

/// A category is put among the products of a category.
func move(_ product: Product, to category: Category) {
    #if MISTAKE
        category.products.insert(category)  // error: Category
    #else
        category.products.insert(product)
    #endif
}
