import Cambium
import ShopModel

/// A required attribute without default is left out.
func addProduct(to context: ManagedObjectContext) -> Product {
    #if MISTAKE
        Product(in: context, sku: "AB-1", price: 5)  // error: kind
    #else
        Product(in: context, sku: "AB-1", kind: .book, price: 5)
    #endif
}
