import Cambium
import ShopModel

/// A predicate of Foundation's macro names an attribute that is not there.
func cheapProductsByMacro() throws -> FetchRequest<Product> {
    #if MISTAKE
        try Product.fetchRequest().filter(#Predicate<Product> { $0.prise < 5 })  // error: prise
    #else
        try Product.fetchRequest().filter(#Predicate<Product> { $0.price < 5 })
    #endif
}
