import Cambium
import ShopModel

/// The main actor's context is asked for elsewhere, without waiting.
#if !MISTAKE
    @MainActor
#endif
func countProducts(in container: PersistentContainer) throws -> Int {
    try container.viewContext.count(for: Product.fetchRequest())  // error: main actor-isolated
}
